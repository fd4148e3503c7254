import type { SessionEvent } from '../../events/traces.js';
import { streamNameOf, type StoredEvent, type StreamName } from '../../kernel/ports.js';
import type { GroupWrite, RecordFolding, RecordWrites } from '../../kernel/records/records.js';
import type { RecordRow } from '../../kernel/records/record.js';
import { tombstoneOf, type Tombstone } from '../tombstones.js';
import { requireReadable, skippedType, type Gap, type Poison } from '../read-model.js';
import { foldSession } from './fold-session.js';
import { refreshSessions, type GroupRows, type SessionNeeds } from './refresh-sessions.js';
import { foldTraces, foldUpToPoison, type FoldOptions, type GroupEvents } from './trace-batch.js';

type RecordsBatch = {
  readonly writes: RecordWrites;
  readonly poisons: readonly Poison[];
  readonly gap: Gap | null;
};

/** Reads of stored rows that folding needs. */
export type StoredRows = SessionNeeds & Pick<RecordFolding, 'spanOutlines' | 'rowsByOrdinal'>;
type Groups = Map<StreamName, GroupRows>;

/**
 * Streams `trace-<project>-<trace>` and `session-<project>-<session>`, but not others with these
 * prefixes.
 */
const groupForm = /^(trace|session)-[0-9a-f]{8}-/;
const isOf = (noun: 'trace' | 'session', name: StreamName): boolean =>
  groupForm.exec(name)?.[1] === noun;

/**
 * Folds a batch of the log into rows. `look`: a group whose first event is in the batch is new, as
 * long as the batch continues what was applied; a batch that may have been applied before has to
 * look up every group.
 */
export const foldBatch = async (
  records: StoredRows,
  events: readonly StoredEvent[],
  look: 'every group' | 'older groups' = 'older groups',
  options: FoldOptions = {},
): Promise<RecordsBatch> => {
  const byStream = new Map<StreamName, StoredEvent[]>();
  const deletedRuns: string[] = [];
  const deletedProjects: string[] = [];
  const erased: StreamName[] = [];
  let purge = false;
  for (const event of events) {
    if (isOf('trace', event.stream) || isOf('session', event.stream)) {
      const known = byStream.get(event.stream);
      if (known === undefined) byStream.set(event.stream, [event]);
      else known.push(event);
    } else if (tombstoneOf(event) !== null) {
      const { kind, id } = tombstoneOf(event) as Tombstone;
      (kind === 'run' ? deletedRuns : deletedProjects).push(id);
    } else if (event.type === 'RecordsErased') {
      erased.push(...erasedGroups(event.data as ErasedRecords));
    } else if (event.type === 'OrgJobCompleted') {
      purge = true;
    }
  }
  const lookedUp = [...byStream].filter(
    ([, [first]]) => look === 'every group' || first?.revision !== 0,
  );
  const known = await loadHeads(records, [
    ...lookedUp.map(([name]) => name),
    ...erased.filter((name) => !byStream.has(name)),
  ]);
  const streams = [...byStream].map(([name, all]) => {
    const before = known.get(name) ?? null;
    return { name, before, events: unfoldedEvents(before, all) };
  });
  const gap = streams.reduce<Gap | null>((found, one) => found ?? findGap(one), null);
  const deletions = { deletedRuns, deletedProjects, purge };
  if (gap !== null) return { writes: { groups: [], ...deletions }, poisons: [], gap };
  const groups: Groups = new Map();
  const { writes, poisons } = await foldStreams(records, streams, groups, options);
  // Usually removed already by their own last event, but their content may be erased before that is
  // read.
  for (const name of erased) {
    const before = groups.get(name)?.before ?? known.get(name) ?? null;
    groups.set(name, { before, after: null });
    if (before === null) writes.delete(name);
    else writes.set(name, { group: name, fresh: false, rows: [] });
  }
  await refreshSessions(records, groups);
  for (const [name, { before, after }] of groups) {
    if (!isOf('session', name) || before === after) continue;
    const rows = after === null ? [] : [after];
    writes.set(name, { group: name, fresh: before === null, rows });
  }
  return { writes: { groups: [...writes.values()], ...deletions }, poisons, gap: null };
};

type ErasedRecords = {
  readonly project_id: string;
  readonly session_ids: readonly string[];
  readonly trace_ids: readonly string[];
};
const erasedGroups = (data: ErasedRecords): readonly StreamName[] => [
  ...data.session_ids.map((id) => streamNameOf('session', data.project_id, id)),
  ...data.trace_ids.map((id) => streamNameOf('trace', data.project_id, id)),
];

const loadHeads = async (
  records: StoredRows,
  names: readonly StreamName[],
): Promise<ReadonlyMap<StreamName, RecordRow>> =>
  names.length === 0 ? new Map() : records.firstRows(names);

const revisionOf = (head: RecordRow | null): number =>
  head === null ? -1 : Number(head.body['revision']);

/** Idempotence: each event once, in revision order, since a batch may redeliver events. */
const unfoldedEvents = (
  head: RecordRow | null,
  events: readonly StoredEvent[],
): readonly StoredEvent[] => {
  let last = revisionOf(head);
  return events.filter(({ revision }) => {
    if (revision <= last) return false;
    last = revision;
    return true;
  });
};

const findGap = ({ before, events }: GroupEvents): Gap | null => {
  let last = revisionOf(before);
  for (const event of events) {
    if (event.revision !== last + 1) {
      return { stream: event.stream, expected: last + 1, found: event.revision };
    }
    last = event.revision;
  }
  return null;
};

/** Folds every stream; `groups` gets the first row of each before and after. */
const foldStreams = async (
  records: StoredRows,
  streams: readonly GroupEvents[],
  groups: Groups,
  options: FoldOptions,
): Promise<{
  readonly writes: Map<StreamName, GroupWrite>;
  readonly poisons: readonly Poison[];
}> => {
  const writes = new Map<StreamName, GroupWrite>();
  const poisons: Poison[] = [];
  for (const { name, before, events } of streams) {
    if (!isOf('session', name)) continue;
    const { value: after, poisoned } = foldUpToPoison(events, (some) => sessionFold(before, some));
    if (poisoned !== null) poisons.push(poisoned);
    groups.set(name, { before, after });
  }
  const traces = streams.filter(({ name }) => isOf('trace', name));
  for (const { stream: one, after, write, poisoned } of await foldTraces(
    records,
    traces,
    options,
  )) {
    if (poisoned !== null) poisons.push(poisoned);
    groups.set(one.name, { before: one.before, after });
    if (write !== null) writes.set(one.name, write);
  }
  return { writes, poisons };
};

const sessionFold = (before: RecordRow | null, events: readonly StoredEvent[]): RecordRow | null =>
  foldSession(
    before,
    events
      .map(requireReadable)
      .filter(
        ({ type }) => type !== skippedType,
      ) as unknown as readonly StoredEvent<SessionEvent>[],
  );
