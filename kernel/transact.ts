import { isRejection, type Decide, type Fold } from './decision.js';
import { Fault } from './fault.js';
import {
  start,
  type Event,
  type EventLog,
  type EventReader,
  type Metadata,
  type NewEvent,
  type Position,
  type StreamName,
} from './ports.js';
import { openTurns, type InTurn } from './turns.js';

/** What `transact` needs to know of the request: contract/operation.ts has the full Cause. */
export type Authorship = {
  readonly actor: Metadata['actor'];
  readonly requestId: string;
  readonly correlationId: string;
  readonly causationId: string | null;
  readonly at: Metadata['at'];
  readonly eventId: (stream: StreamName, revision: number) => string;
};

export type Loaded<S> = {
  readonly state: S;
  /** Of the last event, `none` for a stream without events. */
  readonly revision: number | 'none';
  readonly position: Position;
};

export type Transacted<S, E> = {
  /** The state after the events. */
  readonly state: S;
  readonly events: readonly E[];
  /** Of the last event appended; of the state decided on when nothing was. */
  readonly position: Position;
};

/** A lost race is decided again this often before the caller gets 409 (contract 1.9). */
export const retriesMax = 3;

export const load = <S, E extends Event>(
  log: EventReader,
  stream: StreamName,
  fold: Fold<S, E>,
): Promise<Loaded<S>> => broughtForward(log, stream, fold, nothing(fold));

/** Before the first event. */
export const nothing = <S, E extends Event>({ initial }: Fold<S, E>): Loaded<S> => ({
  state: initial,
  revision: 'none',
  position: start,
});

/**
 * What was loaded before, with what came since, a portion of the stream at a time; nothing when the
 * stream was erased meanwhile. With `types` the place is that of the last event of these types.
 */
export const broughtForward = async <S, E extends Event>(
  log: EventReader,
  stream: StreamName,
  fold: Fold<S, E>,
  known: Loaded<S>,
  types?: readonly E['type'][],
): Promise<Loaded<S>> => {
  const from = known.revision === 'none' ? 0 : known.revision + 1;
  let loaded = known;
  for await (const events of log.portions(stream, { from, ...(types && { types }) })) {
    const last = events.at(-1);
    if (last === undefined) return nothing(fold);
    // The codec in the engine vouches for type and data; the stream's name says which union they
    // are of.
    const state = events.reduce(
      (one, event) => fold.evolve(one, event as unknown as E),
      loaded.state,
    );
    loaded = { state, revision: last.revision, position: last.position };
  }
  return loaded;
};

/** One line per stream of a log, however many hold the log. */
const lines = new WeakMap<EventLog, InTurn>();
const lineOf = (log: EventLog): InTurn => {
  const known = lines.get(log);
  if (known !== undefined) return known;
  const opened = openTurns();
  lines.set(log, opened);
  return opened;
};

/**
 * Loads, folds, decides, appends at the revision it read, after all that were called before it on
 * this stream of this log; on a race lost to another process does it all again, at most
 * `retriesMax` times. A rejection becomes a Fault; so `throw` starts where I/O does.
 */
export const transact = <S, E extends Event>(
  log: EventLog,
  stream: StreamName,
  fold: Fold<S, E>,
  decide: Decide<S, NoInfer<E>>,
  authorship: Authorship,
): Promise<Transacted<S, E>> =>
  lineOf(log)([stream], () => attempted(log, stream, fold, decide, authorship));

const attempted = async <S, E extends Event>(
  log: EventLog,
  stream: StreamName,
  fold: Fold<S, E>,
  decide: Decide<S, NoInfer<E>>,
  authorship: Authorship,
): Promise<Transacted<S, E>> => {
  for (let attempt = 0; attempt <= retriesMax; attempt += 1) {
    const loaded = await load(log, stream, fold);
    const decision = decide(loaded.state);
    if (isRejection(decision)) {
      throw new Fault(decision.rejected, decision.detail, decision.details);
    }
    if (decision.length === 0) {
      return { state: loaded.state, events: [], position: loaded.position };
    }
    const next = loaded.revision === 'none' ? 0 : loaded.revision + 1;
    const [result] = await log.append([
      {
        stream,
        expected: loaded.revision,
        events: stamped(stream, next, decision, authorship),
      },
    ]);
    if (result !== undefined && result !== 'conflict') {
      return {
        state: decision.reduce(fold.evolve, loaded.state),
        events: decision,
        position: result.position,
      };
    }
  }
  throw new Fault('conflict', 'Too many others changed this at the same time; try again');
};

/** Events with their ids and metadata, the first at revision `next` of its stream. */
export const stamped = (
  stream: StreamName,
  next: number,
  events: readonly Event[],
  authorship: Authorship,
): readonly NewEvent[] =>
  events.map((event, index) => ({
    type: event.type,
    data: event.data,
    id: authorship.eventId(stream, next + index),
    metadata: {
      actor: authorship.actor,
      request_id: authorship.requestId,
      correlation_id: authorship.correlationId,
      causation_id: authorship.causationId,
      at: authorship.at,
      schema: 1,
    },
  }));
