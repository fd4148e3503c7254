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
  type StoredForm,
  type StreamName,
} from './ports.js';
import { openKeyedMutex, type KeyedMutex } from './concurrency.js';
import { memoizeByObject } from './memoize-by-object.js';

/** Request facts that `transact` records; contract/operation.ts has the full Cause. */
export type Authorship = {
  readonly actor: Metadata['actor'];
  readonly requestId: string;
  readonly correlationId: string;
  readonly causationId: string | null;
  readonly at: Metadata['at'];
  /** Undefined: it follows from an event without one. */
  readonly organizationId: Metadata['organization_id'];
  readonly eventId: (stream: StreamName, revision: number) => string;
};

export type StreamState<S> = {
  readonly state: S;
  /** Revision of the last event, `none` for a stream without events. */
  readonly revision: number | 'none';
  readonly position: Position;
};

/** Fold with a state cache, as an alternative to reading a stream from its first event. */
export type CachedFold<S, E extends Event> = Fold<S, E> & {
  readonly load?: (stream: StreamName) => Promise<StreamState<S>>;
  /** Called with the state after an own append to the state loaded last. */
  readonly store?: (stream: StreamName, loaded: StreamState<S>) => void;
};

export type TransactResult<S, E> = {
  /** The state after the events. */
  readonly state: S;
  readonly events: readonly E[];
  /** Position of the last event appended, or of the state decided on when nothing was. */
  readonly position: Position;
};

/** Decision over several streams, each with its argument. */
type Decider<A, S, E extends Event> = {
  readonly load: (stream: StreamName, argument: A) => Promise<StreamState<S>>;
  readonly decide: (state: S, argument: A) => Decision<E> | Promise<Decision<E>>;
  readonly companions?: CompanionsOf<S, E>;
};

/** Outcome for one of several streams. */
type StreamOutcome<S, E> = {
  /** State of the last attempt's decision. */
  readonly before: StreamState<S>;
  readonly events: readonly E[];
  /** `conflict`: nothing was appended, since each attempt lost a race. */
  readonly position: Position | 'conflict';
};

/** Events to append after the expected revision; without `expected`, the stream's first. */
export type StreamAddition = {
  readonly stream: StreamName;
  readonly expected?: number | 'none';
  readonly events: readonly AddedEvent[];
  readonly afterPrevious?: true;
};
type AddedEvent = Event & { readonly stored?: StoredForm };

/** Additions to other streams that frame the events of a decision, all in one append. */
type Companions = {
  /** The decision's events follow only once these are appended, in this order. */
  readonly before: readonly StreamAddition[];
  /** These follow only once the decision's events are appended. */
  readonly after: readonly StreamAddition[];
};
export const noCompanions: Companions = { before: [], after: [] };
/** Companions of a decision's events; `state` is that before them. */
type CompanionsOf<S, E> = (state: S, events: readonly E[]) => Promise<Companions>;

/** Decision on another stream whose events can be a companion. */
export type JoinedDecision = {
  readonly stream: StreamName;
  /** Null for an empty decision. A rejection becomes a Fault. */
  readonly addition: (log: EventReader) => Promise<StreamAddition | null>;
};
export const joinDecision = <S, E extends Event>(
  stream: StreamName,
  fold: Fold<S, E>,
  decide: Decide<S, NoInfer<E>>,
): JoinedDecision => ({
  stream,
  addition: async (log) => {
    const { state, revision } = await loadStreamState(log, stream, fold);
    const events = requireAccepted(decide(state));
    return events.length === 0 ? null : { stream, expected: revision, events };
  },
});

const requireAccepted = <E>(decision: Decision<E>): readonly E[] => {
  if (!isRejection(decision)) return decision;
  throw new Fault(decision.rejected, decision.detail, decision.details);
};

/** Retries after a lost race before the caller gets 409 (contract 1.9). */
export const conflictRetriesMax = 3;

/** Concurrent stream reads: enough to hide a server's latency, few enough for memory. */
const concurrentReadsMax = 64;

export const loadStreamState = <S, E extends Event>(
  log: EventReader,
  stream: StreamName,
  fold: Fold<S, E>,
): Promise<StreamState<S>> => catchUpState(log, stream, fold, emptyStreamState(fold));

/** State before the first event. */
export const emptyStreamState = <S, E extends Event>({ initial }: Fold<S, E>): StreamState<S> => ({
  state: initial,
  revision: 'none',
  position: logStart,
});

/**
 * Folds events since `known` into it, a portion of the stream at a time; returns the empty state if
 * the stream was erased meanwhile. With `types`, revision and position are those of the last event
 * of these types.
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
    // The codec in the engine guarantees type and data; the stream's name determines their union.
    const state = events.reduce(
      (one, event) => fold.evolve(one, event as unknown as E),
      loaded.state,
    );
    loaded = { state, revision: last.revision, position: last.position };
  }
  return loaded;
};

/** Keyed mutex of a log's streams, one per log instance. */
const streamMutexOf = memoizeByObject((_log: EventLog): KeyedMutex => openKeyedMutex());

/**
 * Optimistic concurrency: loads, folds, decides and appends at the revision it read, one call at a
 * time per stream of this log; after a race lost to another process it retries, at most
 * `conflictRetriesMax` times. A rejection becomes a Fault; so `throw` starts where I/O does. With
 * `companions`, events go with additions to other streams, and losing their race is a lost race. A
 * decision may wait for what it stores first. `alsoLocked`: streams of companions that are busy.
 */
export const transact = <S, E extends Event>(
  log: EventLog,
  stream: StreamName,
  fold: CachedFold<S, E>,
  decide: (state: S) => Decision<NoInfer<E>> | Promise<Decision<NoInfer<E>>>,
  authorship: Authorship,
  companions?: CompanionsOf<S, E>,
  alsoLocked: readonly StreamName[] = [],
): Promise<TransactResult<S, E>> =>
  streamMutexOf(log)([stream, ...alsoLocked], async () => {
    const known = (): Promise<StreamState<S>> =>
      fold.load?.(stream) ?? loadStreamState(log, stream, fold);
    const targets = new Map([[stream, null]]);
    const decider = { load: known, decide, ...(companions && { companions }) };
    const outcome = (await decideAndAppend(log, targets, decider, authorship)).get(stream);
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
 * `transact` for several streams: each has its own decision, and all are in one append. Streams
 * that lost a race are retried without the others. A rejection ends it; events appended before
 * stay. Results by stream, in the given order.
 */
export const transactAll = <A, S, E extends Event>(
  log: EventLog,
  targets: ReadonlyMap<StreamName, A>,
  decider: Decider<A, S, E>,
  authorship: Authorship,
): Promise<ReadonlyMap<StreamName, StreamOutcome<S, E>>> =>
  streamMutexOf(log)([...targets.keys()], () => decideAndAppend(log, targets, decider, authorship));

const decideAndAppend = async <A, S, E extends Event>(
  log: EventLog,
  targets: ReadonlyMap<StreamName, A>,
  { load, decide, companions }: Decider<A, S, E>,
  authorship: Authorship,
): Promise<ReadonlyMap<StreamName, StreamOutcome<S, E>>> => {
  const outcomes = new Map<StreamName, StreamOutcome<S, E>>();
  let open = [...targets];
  await attemptUntilDone(async () => {
    const additions: StreamAddition[] = [];
    /** Index of each stream's own addition. */
    const pending = new Map<number, StreamName>();
    for (const [stream, before, argument] of await loadStreamStates(open, load)) {
      const events = requireAccepted(await decide(before.state, argument));
      outcomes.set(stream, { before, events, position: before.position });
      if (events.length === 0) continue;
      const own = { stream, expected: before.revision, events };
      const around = companions ? await companions(before.state, events) : noCompanions;
      pending.set(additions.length + around.before.length, stream);
      additions.push(...chainAdditions([...around.before, own, ...around.after]));
    }
    const results = await appendEvents(log, additions, authorship);
    for (const [at, stream] of pending) {
      const outcome = outcomes.get(stream);
      const result = results[at] ?? 'conflict';
      const position = result === 'conflict' ? result : result.position;
      if (outcome !== undefined) outcomes.set(stream, { ...outcome, position });
    }
    open = open.filter(([stream]) => outcomes.get(stream)?.position === 'conflict');
    return open.length === 0 ? null : 'conflict';
  });
  return outcomes;
};

/** Makes each addition depend on the one before it. */
const chainAdditions = (additions: readonly StreamAddition[]): readonly StreamAddition[] =>
  additions.map((addition, at) => (at === 0 ? addition : { ...addition, afterPrevious: true }));

const loadStreamStates = async <A, S>(
  targets: readonly (readonly [StreamName, A])[],
  load: Decider<A, S, never>['load'],
): Promise<readonly (readonly [StreamName, StreamState<S>, A])[]> => {
  const loaded: (readonly [StreamName, StreamState<S>, A])[] = [];
  for (let from = 0; from < targets.length; from += concurrentReadsMax) {
    const some = targets.slice(from, from + concurrentReadsMax);
    const read = some.map(
      async ([name, argument]) => [name, await load(name, argument), argument] as const,
    );
    loaded.push(...(await Promise.all(read)));
  }
  return loaded;
};

/**
 * Retries `attempt` while it returns `conflict`, at most `conflictRetriesMax` times, then throws
 * Fault `conflict`; for work between attempts that `transact` cannot do. `number` is that of the
 * attempt.
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

/** Converts a caught Fault `conflict` to a value; rethrows other errors. */
export const asConflict = (error: unknown): 'conflict' => {
  if (error instanceof Fault && error.code === 'conflict') return 'conflict';
  throw error;
};

export const conflictFault = (): Fault =>
  new Fault('conflict', 'Too many concurrent changes to this resource. Try again.');

/**
 * Appends at revisions that the caller knows, in one append, without mutex or retry. The only way
 * into the log. Results in the order of the additions.
 */
export const appendEvents = async (
  log: EventLog,
  additions: readonly StreamAddition[],
  authorship: Authorship,
): Promise<readonly AppendResult[]> => {
  if (additions.length === 0) return [];
  const results = await log.append(
    additions.map(({ stream, expected = 'none', events, afterPrevious }) => ({
      stream,
      expected,
      events: stampEvents(stream, nextRevision(expected), events, authorship),
      ...(afterPrevious && { afterPrevious }),
    })),
  );
  return additions.map((_, at) => results[at] ?? 'conflict');
};

const nextRevision = (revision: number | 'none'): number =>
  revision === 'none' ? 0 : revision + 1;

/** Adds ids and metadata to events, the first at revision `next` of its stream. */
const stampEvents = (
  stream: StreamName,
  next: number,
  events: readonly AddedEvent[],
  authorship: Authorship,
): readonly NewEvent[] =>
  events.map((event, index) => ({
    type: event.type,
    data: event.data,
    ...(event.stored !== undefined && { json: event.stored.json }),
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
      schema: event.stored?.schema ?? event.schema ?? 1,
    },
  }));

const referenceMembers = ['project_id', 'template_id', 'task_id'] as const;

/**
 * References kept in the metadata: a stream can be erased with its data, and history still lists
 * its events by these.
 */
const eventReferencesOf = (stream: StreamName, data: unknown): Pick<Metadata, 'about'> => {
  let about: EventReferences | undefined;
  for (const name of referenceMembers) {
    const value = (data as Readonly<Record<string, unknown>>)[name];
    if (typeof value === 'string' && !stream.includes(value)) about = { ...about, [name]: value };
  }
  return about === undefined ? {} : { about };
};
