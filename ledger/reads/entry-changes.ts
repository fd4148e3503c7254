import { apiKeyStream } from '../../command-api/facts/api-keys.js';
import { userStream } from '../../command-api/facts/users.js';
import { valueFault } from '../../kernel/fault.js';
import type { ChainEntry } from '../chain/entries.js';
import {
  collectEvents,
  type Clock,
  type EventReader,
  type Position,
  type StoredEvent,
  type Sha256,
  type StreamName,
} from '../../kernel/ports.js';
import type { JsonObject } from '../../kernel/schema-types.js';
import { changesByEvent, foldCosts } from '../../projections/states/changes.js';
import { changedRowsMax } from '../../projections/states/dataset-rows.js';
import { openMask, type MergePatches } from '../../projections/states/masked-state.js';
import type { StateDefinition, StateSubject } from '../../projections/states/state.js';
import { stateDefinitions } from '../../projections/states/state-definitions.js';
import type { EntryChanges } from './page.js';
import type { HistoryReadNeeds } from './history-routes.js';
import type { ResolveAsOf } from '../as-of-position.js';
import { foldOrNull, nullIfUnfoldable } from '../../projections/states/fold-or-null.js';
import { rowChangesOf } from './dataset-row-changes.js';

type Needs = {
  readonly log: EventReader;
  readonly clock: Clock;
  /** Processor time of this thread, in milliseconds. */
  readonly processorMs: () => number;
  readonly sha256: Sha256;
  readonly positionOf: ResolveAsOf;
};

/** Contract 1.11: event limit of one page, which then ends early. */
const foldedMax = 100_000;
/** Processor time of one page, which then ends early, since folding blocks this thread. */
const foldTimeMaxMs = 1_500;
/** Time limit of one page on a machine whose processors others use: a caller waits for it. */
const pageTimeMaxMs = 5_000;
/** Time slice after which the event loop runs other work. */
const sliceMs = 5;
/** Contract 1.11: byte limit of a page's changes, also of one state's members. */
const pageBytesMax = 8_388_608;
/** Contract 1.11: event limit of one resource's `as_of`. */
const stateEventsMax = 1_000_000;

/**
 * History details beyond the entries, folded from the log, since `query-api` sees no event. Each
 * stream is read and folded once per page.
 */
export const historyChanges = (needs: Needs): Pick<HistoryReadNeeds, 'changesOf' | 'stateAt'> => ({
  changesOf: async (entries, signal) => {
    const emailOf = openEmailLookup(needs.log);
    const folded = await foldChanges(needs, entries, signal);
    const changes: EntryChanges[] = [];
    let bytes = 0;
    for (const [index, change] of folded.entries()) {
      bytes += JSON.stringify([change.before, change.after]).length;
      const entry = entries[index];
      if (entry === undefined || (bytes > pageBytesMax && changes.length > 0)) break;
      changes.push({ ...change, email: await emailOf(entry.actor) });
    }
    return changes;
  },
  stateAt: async (organization, subject, asOf) => {
    const until = await needs.positionOf(organization, asOf, 'at');
    return stateAt(needs, subject, until);
  },
});

type Change = Omit<EntryChanges, 'email'>;
const unchanged = { before: null, after: null };

/** Changes of the first entries, as many as a page may fold (at least one). */
const foldChanges = async (
  needs: Needs,
  entries: readonly ChainEntry[],
  signal: AbortSignal,
): Promise<readonly Change[]> => {
  const { clock, processorMs } = needs;
  const begun = clock.milliseconds();
  const worked = processorMs();
  let slice = begun;
  let left = foldedMax;
  const changeOfSeq = new Map<number, Change>();
  for (const group of groupsOf(entries)) {
    const now = clock.milliseconds();
    const isLate = now - begun > pageTimeMaxMs || processorMs() - worked > foldTimeMaxMs;
    if (changeOfSeq.size > 0 && (left <= 0 || isLate)) break;
    if (now - slice > sliceMs) {
      await clock.wait(0, signal);
      signal.throwIfAborted();
      slice = clock.milliseconds();
    }
    const { found, weight } = await resourceChangesOf(needs, group, left);
    left -= weight;
    for (const [seq, change] of found) changeOfSeq.set(seq, change);
  }
  const changes: Change[] = [];
  for (const { seq } of entries) {
    const change = changeOfSeq.get(seq);
    if (change === undefined) break;
    changes.push(change);
  }
  return changes;
};

/** Groups entries by resource, in order of first occurrence. */
const groupsOf = (entries: readonly ChainEntry[]): readonly (readonly ChainEntry[])[] => {
  const groups = new Map<string, ChainEntry[]>();
  for (const entry of entries) {
    const { resource, projectId } = entry;
    const key = `${resource.type} ${resource.id} ${projectId}`;
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [entry]);
    else known.push(entry);
  }
  return [...groups.values()];
};

type ResourceChanges = {
  /** By `seq`; only the first entries when all would exceed the remaining limit. */
  readonly found: ReadonlyMap<number, Change>;
  readonly weight: number;
};

const resourceChangesOf = async (
  { log, sha256 }: Needs,
  group: readonly ChainEntry[],
  left: number,
): Promise<ResourceChanges> => {
  const known = stateSourceOf(group);
  if (known === null) return { found: new Map(), weight: 0 };
  const { subject, definition, streams } = known;
  const own = group.filter(({ stream }) => streams.includes(stream as StreamName));
  const found = new Map<number, Change>();
  const isErased = openErasedCheck(log);
  let weight = group.length;
  const shown = new Set(group);
  if (definition !== null && own.length > 0) {
    const through = own.reduce((last, one) => (one.position > last ? one.position : last), '');
    const events = await eventsOf(log, streams, ({ position }) => position <= through);
    const { folding, showing } = foldCosts(definition, events);
    const some = own.slice(0, Math.max(1, Math.floor((left - folding) / (2 * showing))));
    for (const entry of own.slice(some.length)) shown.delete(entry);
    weight += folding + 2 * showing * some.length;
    const wanted = new Set(some.map(({ eventId }) => eventId));
    const changes = foldOrNull(() =>
      changesByEvent(definition, subject, events, { wanted, mask: openMask(sha256) }),
    );
    const there = new Map(events.map((event) => [event.id, event]));
    for (const { seq, eventId } of some) {
      const patches = changes?.get(eventId) ?? unchanged;
      const event = there.get(eventId);
      const rows =
        event && (await rowChangesOf(log, event, events, openMask(sha256)).catch(nullIfUnfoldable));
      weight += rows == null ? 0 : changedRowsMax;
      found.set(seq, { ...mergedPatches(patches, rows ?? null), erased: event === undefined });
    }
  }
  for (const entry of shown) {
    if (found.has(entry.seq)) continue;
    found.set(entry.seq, { ...unchanged, erased: await isErased(entry.stream as StreamName) });
  }
  return { found, weight };
};

const mergedPatches = ({ before, after }: MergePatches, rows: MergePatches | null): MergePatches =>
  rows === null
    ? { before, after }
    : {
        before: before && { ...before, ...rows.before },
        after: after && { ...after, ...rows.after },
      };

type StateSource = {
  readonly subject: StateSubject;
  readonly definition: StateDefinition | null;
  readonly streams: readonly StreamName[];
};

/**
 * State source of the first entry whose stream leads to the resource's state: the stream of an
 * integration's ciphertext does not, and may come first on a page.
 */
const stateSourceOf = (group: readonly ChainEntry[]): StateSource | null => {
  let last: StateSource | null = null;
  for (const entry of group) {
    const subject = subjectOf(entry);
    const definition = definitionOf(subject);
    last = { subject, definition, streams: definition?.streams(subject) ?? [] };
    if (last.streams.length > 0) break;
  }
  return last;
};

const subjectOf = ({ resource, projectId, stream }: ChainEntry): StateSubject => ({
  type: resource.type,
  id: resource.id,
  projectId,
  stream: stream as StreamName,
});

const definitionOf = ({ type }: StateSubject): StateDefinition | null =>
  Object.hasOwn(stateDefinitions, type)
    ? stateDefinitions[type as keyof typeof stateDefinitions]
    : null;

/**
 * True for a stream that an entry refers to and the log no longer has: erased streams read as
 * empty.
 */
const openErasedCheck = (log: EventReader): ((stream: StreamName) => Promise<boolean>) => {
  const known = new Map<StreamName, boolean>();
  return async (stream) => {
    const isErased = known.get(stream) ?? (await log.last(stream)) === null;
    known.set(stream, isErased);
    return isErased;
  };
};

/** Sorted by position. */
const eventsOf = async (
  log: EventReader,
  streams: readonly StreamName[],
  isWanted: (event: StoredEvent) => boolean,
): Promise<readonly StoredEvent[]> => {
  const events: StoredEvent[] = [];
  for (const stream of streams) {
    for (const event of await collectEvents(log.portions(stream))) {
      if (!isWanted(event)) break;
      events.push(event);
    }
  }
  return streams.length === 1
    ? events
    : events.sort((one, other) => (one.position < other.position ? -1 : 1));
};

/** Throws Fault `invalid` for a resource with too many events. */
const stateAt = async (
  { log, sha256 }: Needs,
  subject: StateSubject,
  until: Position,
): Promise<JsonObject | null> => {
  const definition = definitionOf(subject);
  if (definition === null) return null;
  const events = await eventsOf(
    log,
    definition.streams(subject),
    ({ position }) => position <= until,
  );
  if (events.length > stateEventsMax) {
    throw valueFault(['query', 'at'], 'too many events to fold');
  }
  const shown = foldOrNull(() => {
    const state = definition.open(subject);
    state.fold(events);
    return state.snapshot();
  });
  return shown === null ? null : (openMask(sha256)(shown) as JsonObject);
};

/** E-mail of a user, or of a key's creator, also after they were removed. */
const openEmailLookup = (
  log: EventReader,
): ((actor: ChainEntry['actor']) => Promise<string | null>) => {
  const known = new Map<string, Promise<string | null>>();
  const ofUser = async (id: string): Promise<string | null> => {
    const [made] = await log.read(userStream(id), { limit: 1 });
    return textIn(made, 'email');
  };
  const ofKey = async (id: string): Promise<string | null> => {
    const [made] = await log.read(apiKeyStream(id), { limit: 1 });
    const creator = textIn(made, 'created_by');
    return creator === null ? null : ofUser(creator);
  };
  return async ({ type, id }) => {
    if (type !== 'user' && type !== 'api_key') return null;
    const email = known.get(id) ?? (type === 'user' ? ofUser(id) : ofKey(id));
    known.set(id, email);
    return email;
  };
};

const textIn = (event: StoredEvent | undefined, member: string): string | null => {
  const value = (event?.data as Readonly<Record<string, unknown>> | undefined)?.[member];
  return typeof value === 'string' ? value : null;
};
