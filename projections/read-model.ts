import { redactedReason } from '../kernel/fault.js';
import type { Envelope, Position, StoredEvent, StreamName } from '../kernel/ports.js';
import type { Shadow, DumpItem, Checkpoint, ShadowOptions } from '../kernel/documents.js';

/**
 * A read model as the runner feeds it; one over Documents for each collection, one over Records.
 */
export type Sink = {
  readonly name: string;
  readonly version: number;
  /** Of the events that may change it; absent: any may. */
  readonly eventTypes?: readonly string[];
  /** It finds gaps by revisions, so it has to see every event of the streams that it folds. */
  readonly countsRevisions?: true;
  /**
   * Of the events at which what was deleted has to leave every file within a minute (contract
   * 5.13): a copy that is not as far yet is begun anew.
   */
  readonly purgeTypes?: readonly string[];
  checkpoint(): Promise<Position>;
  /**
   * Folds events in log order onto what is stored. Throws only when the store fails. Unless
   * `applied` is null, the batch before this one is still being written: the store may be read only
   * once it resolves. `erased`: what stayed of others between the first of the batch and its end.
   */
  fold(
    events: readonly StoredEvent[],
    applied: Promise<unknown> | null,
    erased: readonly Envelope[],
  ): Promise<Folded>;
  /**
   * `false`: it takes every event or none. It stalls where a store refuses one, and what was set
   * aside or ruled out for others counts for it.
   */
  readonly canPark: boolean;
  dump(): AsyncIterable<DumpItem>;
};

export type Folded = {
  /** Writes the outcome and the checkpoint in one step. */
  readonly apply: (checkpoint: Checkpoint) => Promise<void>;
  /**
   * The first event of each stream that cannot be folded; it and later ones of the stream are not
   * in `apply`.
   */
  readonly poisons: readonly Poison[];
  /** Set: an event is missing before this one, so nothing may be applied. */
  readonly gap: Gap | null;
};

export type Poison = {
  readonly id: string;
  readonly stream: StreamName;
  readonly revision: number;
  readonly position: Position;
  readonly type: string;
  readonly reason: string;
  /** Where it failed: the innermost frames of the stack. */
  readonly frames: readonly string[];
};
export type Gap = {
  readonly stream: StreamName;
  readonly expected: number;
  readonly found: number;
};

/** A live read model and the way to build another next to it. */
export type ReadModel = Sink & {
  shadow(copying?: ShadowOptions): Promise<Shadow<Sink>>;
  /** The lasting copy of that id; null: there is none, or it is of another version. */
  resume(id: string): Promise<Shadow<Sink> | null>;
};

/** Stands for an event that an operator ruled out: it counts, and changes nothing. */
export const skippedType = 'EventSkipped';
/** Stands for an event that today's code cannot read. */
export const unreadableType = 'EventUnreadable';
/** Its data: what the event is, why it cannot be read, and what the log has. */
export type Unreadable = {
  readonly type: string;
  readonly reason: string;
  readonly stored: unknown;
};

export const poison = (event: StoredEvent, error: unknown): Poison => ({
  id: event.id,
  stream: event.stream,
  revision: event.revision,
  position: event.position,
  type: event.type === unreadableType ? (event.data as Unreadable).type : event.type,
  reason: redactedReason(error),
  frames: framesOf(error),
});

/** Enough to see which part of which fold it was. */
const framesMax = 5;
/** Without the message above them, which may quote a tenant. */
const framesOf = (error: unknown): readonly string[] =>
  (error instanceof Error ? (error.stack ?? '') : '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /^at .+:\d+:\d+\)?$/.test(line))
    .slice(0, framesMax);

/**
 * Called where an event is folded, so that what cannot be read fails where it matters, and nowhere
 * else.
 */
export const requireReadable = <E extends StoredEvent>(event: E): E => {
  if (event.type === unreadableType) throw new TypeError((event.data as Unreadable).reason);
  return event;
};
