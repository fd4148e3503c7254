import { Fault } from '../kernel/fault.js';
import { logStart, type Clock, type EventReader, type Position } from '../kernel/ports.js';
import { positionDistance } from './progress.js';

/**
 * A read model that is being filled from the log: reads from it would return a fraction of the
 * data.
 */
type FillProgress = {
  readonly name: string;
  readonly position: Position;
  /** The read model is complete again from this position on. */
  readonly until: Position;
  /** Progress from the start of the log to `until`, from 0 to 1. */
  readonly ratio: number;
  /** Null: the speed is not known yet. */
  readonly eta_seconds: number | null;
};

/** Reader of a read model's checkpoint, from its store, by name. */
export type CheckpointReaders = ReadonlyMap<string, () => Promise<Position>>;

/** Distinguishes read models that are being filled from those that only lag. */
export type FillMonitor = {
  /** The same readers; each checkpoint is compared with the ones before. */
  readonly wrapCheckpoints: (checkpoints: CheckpointReaders) => CheckpointReaders;
  /**
   * Call when the store of this read model may have lost its data: the next checkpoint shows it.
   */
  readonly markSuspect: (name: string) => void;
  /** Null: the read model is complete, or not read yet. */
  readonly progressOf: (name: string) => FillProgress | null;
  readonly allProgress: () => readonly FillProgress[];
};

/**
 * Lag allowed for a read model that counts as complete. A restart may leave this many events to
 * fold, which takes milliseconds: reads wait for it. A read model that lacks more is being filled.
 */
const lagEventsMax = 100;

/** Position from which a read model at `position` is complete; null: it only lags. */
export const fillTarget = async (
  reader: Pick<EventReader, 'head' | 'lag'>,
  position: Position,
): Promise<Position | null> => {
  const head = await reader.head();
  if (position >= head || (await reader.lag(position)) <= lagEventsMax) return null;
  return head;
};

/**
 * Position that a read model has to regain when it went back by a few events, so that no read sees
 * less than an earlier one; null: it is at the head.
 */
const regainTarget = async (
  reader: Pick<EventReader, 'head'>,
  position: Position,
  before: Position,
): Promise<Position | null> => {
  const head = await reader.head();
  if (position >= head) return null;
  return before < head ? before : head;
};

type Needs = {
  readonly reader: Pick<EventReader, 'head' | 'lag'>;
  readonly clock: Pick<Clock, 'milliseconds'>;
};

type KnownFill = {
  readonly from: Position;
  readonly since: number;
  position: Position;
  readonly until: Position;
};

/**
 * Detects read models that are being filled: checks the first checkpoint, and any checkpoint that
 * goes back, since the store was then lost, emptied or replaced. The read model is complete again
 * once it reaches the position that the log's head had at the detection.
 */
export const openFillMonitor = ({ reader, clock }: Needs): FillMonitor => {
  const furthest = new Map<string, Position>();
  const known = new Map<string, KnownFill>();
  const begin = (name: string, position: Position, until: Position): void => {
    known.set(name, { from: position, since: clock.milliseconds(), position, until });
  };
  const judge = async (
    name: string,
    position: Position,
    before: Position | undefined,
  ): Promise<void> => {
    const until =
      (await fillTarget(reader, position)) ??
      (before === undefined ? null : await regainTarget(reader, position, before));
    if (until === null) known.delete(name);
    else begin(name, position, until);
  };
  /** `before`: the furthest position seen before this checkpoint was read. */
  const observe = async (
    name: string,
    position: Position,
    before: Position | undefined,
  ): Promise<void> => {
    if (before === undefined || position < before) {
      // Marked as filling at once, while the log is read to confirm it.
      if (before !== undefined) begin(name, position, before);
      furthest.set(name, position);
      await judge(name, position, before);
      return;
    }
    if (position > (furthest.get(name) ?? logStart)) furthest.set(name, position);
    const filling = known.get(name);
    if (filling === undefined) return;
    if (position >= filling.until) known.delete(name);
    else filling.position = position;
  };
  const of = (name: string): FillProgress | null => {
    const filling = known.get(name);
    return filling === undefined ? null : fillProgress(name, filling, clock.milliseconds());
  };
  return {
    wrapCheckpoints: (checkpoints) =>
      new Map(
        [...checkpoints].map(([name, readCheckpoint]) => [
          name,
          async () => {
            const before = furthest.get(name);
            const position = await readCheckpoint();
            await observe(name, position, before);
            return position;
          },
        ]),
      ),
    markSuspect: (name) => {
      const until = furthest.get(name);
      if (until !== undefined && !known.has(name)) begin(name, logStart, until);
    },
    progressOf: of,
    allProgress: () => [...known.keys()].flatMap((name) => of(name) ?? []),
  };
};

const fillProgress = (
  name: string,
  { from, since, position, until }: KnownFill,
  now: number,
): FillProgress => {
  const done = positionDistance(from, position);
  const seconds = (now - since) / 1_000;
  return {
    name,
    position,
    until,
    ratio: Math.min(
      1,
      positionDistance(logStart, position) / Math.max(1, positionDistance(logStart, until)),
    ),
    eta_seconds:
      done === 0 ? null : Math.ceil((seconds * positionDistance(position, until)) / done),
  };
};

/** Message for operators and clients. */
export const fillMessage = ({ name, ratio, eta_seconds: eta }: FillProgress): string => {
  const rest = eta === null ? '' : `, about ${eta} s left`;
  return `The read model ${name} is being filled from the log: ${percent(ratio)} % done${rest}`;
};
/** Never 100 while something is missing. */
const percent = (ratio: number): number => Math.min(99, Math.floor(ratio * 100));

const retryFirstSeconds = 2;
const retryMaxSeconds = 30;

/** The error of contract 1.7, rule 8. */
export const readModelFillingFault = (filling: FillProgress): Fault => {
  const { name, ratio, eta_seconds: eta } = filling;
  const wait = Math.min(retryMaxSeconds, Math.max(1, eta ?? retryFirstSeconds));
  return new Fault(
    'read-model-filling',
    `${fillMessage(filling)}. Retry after ${wait} s; writes are accepted meanwhile.`,
    {
      retryAfterSeconds: wait,
      members: { progress: { read_model: name, ratio, eta_seconds: eta } },
    },
  );
};
