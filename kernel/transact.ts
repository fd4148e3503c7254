import { isRejection, type Decide, type Decision, type Fold } from './decision.js';
import { Fault } from './fault.js';
import {
  logStart,
  type EventReferences,
  type AppendResult,
  type Event,
  type EventLog,
  type EventReader,
  type Metadata,
  type NewEvent,
  type Position,
  type StreamName,
} from './ports.js';
import { openKeyedMutex, type KeyedMutex } from './concurrency.js';
import { memoizeByObject } from './memoize-by-object.js';

/** What `transact` needs to know of the request: contract/operation.ts has the full Cause. */
export type Authorship = {
  readonly actor: Metadata['actor'];
  readonly requestId: string;
  readonly correlationId: string;
  readonly causationId: string | null;
  readonly at: Metadata['at'];
  /** Undefined: it follows from an event that does not say. */
  readonly organizationId: Metadata['organization_id'];
  readonly eventId: (stream: StreamName, revision: number) => string;
};

export type StreamState<S> = {
  readonly state: S;
  /** Of the last event, `none` for a stream without events. */
  readonly revision: number | 'none';
  readonly position: Position;
};

/** A fold, and another way to its states than from the first event of a stream. */
export type CachedFold<S, E extends Event> = Fold<S, E> & {
  readonly load?: (stream: StreamName) => Promise<StreamState<S>>;
  /** Told what an append of ours made of the state that was loaded last. */
  readonly store?: (stream: StreamName, loaded: StreamState<S>) => void;
};

export type TransactResult<S, E> = {
  /** The state after the events. */
  readonly state: S;
  readonly events: readonly E[];
  /** Of the last event appended; of the state decided on when nothing was. */
  readonly position: Position;
};

/** How each of several streams is decided on, by what is asked of it. */
type Decider<A, S, E extends Event> = {
  readonly load: (stream: StreamName, asked: A) => Promise<StreamState<S>>;
  readonly decide: (state: S, asked: A) => Decision<E>;
};

/** What became of one of several streams. */
type StreamOutcome<S, E> = {
  /** What was decided on, the last time. */
  readonly before: StreamState<S>;
  readonly events: readonly E[];
  /** `conflict`: the events are not there, since others were faster each time. */
  readonly position: Position | 'conflict';
};

/** Events behind the last one that the caller knows of; without `expected` their stream's first. */
export type StreamAddition = {
  readonly stream: StreamName;
  readonly expected?: number | 'none';
  readonly events: readonly Event[];
};

/** A lost race is decided again this often before the caller gets 409 (contract 1.9). */
export const conflictRetriesMax = 3;

/** Streams read at once: enough to hide a server's answer time, few enough for memory. */
const concurrentReadsMax = 64;

export const loadStreamState = <S, E extends Event>(
  log: EventReader,
  stream: StreamName,
  fold: Fold<S, E>,
): Promise<StreamState<S>> => catchUpState(log, stream, fold, emptyStreamState(fold));

/** Before the first event. */
export const emptyStreamState = <S, E extends Event>({ initial }: Fold<S, E>): StreamState<S> => ({
  state: initial,
  revision: 'none',
  position: logStart,
});

/**
 * What was loaded before, with what came since, a portion of the stream at a time; nothing when the
 * stream was erased meanwhile. With `types` the place is that of the last event of these types.
 */
export const catchUpState = async <S, E extends Event>(
  log: EventReader,
  stream: StreamName,
  fold: Fold<S, E>,
  known: StreamState<S>,
  types?: readonly E['type'][],
): Promise<StreamState<S>> => {
  const from = known.revision === 'none' ? 0 : known.revision + 1;
  let loaded = known;
  for await (const events of log.portions(stream, { from, ...(types && { types }) })) {
    const last = events.at(-1);
    if (last === undefined) return emptyStreamState(fold);
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
const streamMutexOf = memoizeByObject((_log: EventLog): KeyedMutex => openKeyedMutex());

/**
 * Loads, folds, decides, appends at the revision it read, after all that were called before it on
 * this stream of this log; on a race lost to another process does it all again, at most
 * `conflictRetriesMax` times. A rejection becomes a Fault; so `throw` starts where I/O does.
 */
export const transact = <S, E extends Event>(
  log: EventLog,
  stream: StreamName,
  fold: CachedFold<S, E>,
  decide: Decide<S, NoInfer<E>>,
  authorship: Authorship,
): Promise<TransactResult<S, E>> =>
  streamMutexOf(log)([stream], async () => {
    const known = (): Promise<StreamState<S>> =>
      fold.load?.(stream) ?? loadStreamState(log, stream, fold);
    const asked = new Map([[stream, null]]);
    const outcome = (await decideAndAppend(log, asked, { load: known, decide }, authorship)).get(
      stream,
    );
    if (outcome === undefined || outcome.position === 'conflict') throw conflictFault();
    const { before, events, position } = outcome;
    const state = events.reduce(fold.evolve, before.state);
    if (events.length > 0) {
      const revision = nextRevision(before.revision) + events.length - 1;
      fold.store?.(stream, { state, revision, position });
    }
    return { state, events, position };
  });

/**
 * The same for several streams, each decided on by itself and all in one append; those that lost a
 * race are decided on again without the others. A rejection ends it, whatever was appended by then.
 * Answers by stream, in the order asked.
 */
export const transactAll = <A, S, E extends Event>(
  log: EventLog,
  asked: ReadonlyMap<StreamName, A>,
  decider: Decider<A, S, E>,
  authorship: Authorship,
): Promise<ReadonlyMap<StreamName, StreamOutcome<S, E>>> =>
  streamMutexOf(log)([...asked.keys()], () => decideAndAppend(log, asked, decider, authorship));

const decideAndAppend = async <A, S, E extends Event>(
  log: EventLog,
  asked: ReadonlyMap<StreamName, A>,
  { load, decide }: Decider<A, S, E>,
  authorship: Authorship,
): Promise<ReadonlyMap<StreamName, StreamOutcome<S, E>>> => {
  const outcomes = new Map<StreamName, StreamOutcome<S, E>>();
  let open = [...asked];
  await attemptUntilDone(async () => {
    const due: (StreamAddition & {
      readonly before: StreamState<S>;
      readonly events: readonly E[];
    })[] = [];
    for (const [stream, before, one] of await loadStreamStates(open, load)) {
      const events = decide(before.state, one);
      if (isRejection(events)) throw new Fault(events.rejected, events.detail, events.details);
      outcomes.set(stream, { before, events, position: before.position });
      if (events.length > 0) due.push({ stream, expected: before.revision, events, before });
    }
    const results = await appendEvents(log, due, authorship);
    for (const [at, { stream, before, events }] of due.entries()) {
      const result = results[at] ?? 'conflict';
      const position = result === 'conflict' ? result : result.position;
      outcomes.set(stream, { before, events, position });
    }
    open = open.filter(([stream]) => outcomes.get(stream)?.position === 'conflict');
    return open.length === 0 ? null : 'conflict';
  });
  return outcomes;
};

const loadStreamStates = async <A, S>(
  asked: readonly (readonly [StreamName, A])[],
  load: Decider<A, S, never>['load'],
): Promise<readonly (readonly [StreamName, StreamState<S>, A])[]> => {
  const loaded: (readonly [StreamName, StreamState<S>, A])[] = [];
  for (let from = 0; from < asked.length; from += concurrentReadsMax) {
    const some = asked.slice(from, from + concurrentReadsMax);
    const read = some.map(async ([name, one]) => [name, await load(name, one), one] as const);
    loaded.push(...(await Promise.all(read)));
  }
  return loaded;
};

/**
 * For what has to be made ready between two tries, which `transact` cannot know: does it again
 * while it answers `conflict`, at most `conflictRetriesMax` times; then Fault `conflict`. Told the
 * number of the try.
 */
export const retryOnConflict = async <T>(
  attempt: (number: number) => Promise<T | 'conflict'>,
): Promise<T> => {
  const done = await attemptUntilDone(attempt);
  if (done === 'conflict') throw conflictFault();
  return done;
};

const attemptUntilDone = async <T>(
  attempt: (number: number) => Promise<T | 'conflict'>,
): Promise<T | 'conflict'> => {
  for (let number = 0; number <= conflictRetriesMax; number += 1) {
    const done = await attempt(number);
    if (done !== 'conflict') return done;
  }
  return 'conflict';
};

/** A Fault `conflict`, caught, as a value; what else was thrown is thrown on. */
export const asConflict = (error: unknown): 'conflict' => {
  if (error instanceof Fault && error.code === 'conflict') return 'conflict';
  throw error;
};

export const conflictFault = (): Fault =>
  new Fault('conflict', 'Too many others changed this at the same time; try again');

/**
 * All of it in one append, at places that the caller knows: no turn is waited for, and nothing is
 * tried again. The only way into the log. Results in the order of the additions.
 */
export const appendEvents = async (
  log: EventLog,
  additions: readonly StreamAddition[],
  authorship: Authorship,
): Promise<readonly AppendResult[]> => {
  if (additions.length === 0) return [];
  const results = await log.append(
    additions.map(({ stream, expected = 'none', events }) => ({
      stream,
      expected,
      events: stampEvents(stream, nextRevision(expected), events, authorship),
    })),
  );
  return additions.map((_, at) => results[at] ?? 'conflict');
};

const nextRevision = (revision: number | 'none'): number =>
  revision === 'none' ? 0 : revision + 1;

/** Events with their ids and metadata, the first at revision `next` of its stream. */
const stampEvents = (
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
      ...(authorship.organizationId !== undefined && {
        organization_id: authorship.organizationId,
      }),
      ...eventReferencesOf(stream, event.data),
      schema: 1,
    },
  }));

const referenceMembers = ['project_id', 'template_id', 'task_id'] as const;

/** A stream can be erased with its data; history goes on listing its events by these. */
const eventReferencesOf = (stream: StreamName, data: unknown): Pick<Metadata, 'about'> => {
  let about: EventReferences | undefined;
  for (const name of referenceMembers) {
    const value = (data as Readonly<Record<string, unknown>>)[name];
    if (typeof value === 'string' && !stream.includes(value)) about = { ...about, [name]: value };
  }
  return about === undefined ? {} : { about };
};
