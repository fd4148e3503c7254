import type { SessionEvent, TraceEvent } from '../../events/traces.js';
import { stream, type Recorded, type StreamName } from '../../kernel/ports.js';
import type { GroupWrite, RecordRow, Records, RecordWrites } from '../../kernel/records.js';
import { endingOf, type Ending } from '../endings.js';
import { poison, readable, skippedType, type Gap, type Poison } from '../source.js';
import { foldSession, withTraces } from './session.js';
import { foldTrace } from './trace.js';

export type RecordsBatch = {
  readonly writes: RecordWrites;
  readonly poisons: readonly Poison[];
  readonly gap: Gap | null;
};

type Loaded = Pick<Records, 'groups' | 'tracesOfSessions'>;
type Group = { readonly before: readonly RecordRow[]; readonly after: readonly RecordRow[] };
type Groups = Map<StreamName, Group>;

/**
 * Streams `trace-<project>-<trace>` and `session-<project>-<session>`, and no other that begins so.
 */
const groupForm = /^(trace|session)-[0-9a-f]{8}-/;
const isOf = (noun: 'trace' | 'session', name: StreamName): boolean =>
  groupForm.exec(name)?.[1] === noun;

/**
 * The rows after a batch of the log. `look`: a group whose first event is here is new, as long as
 * the batch continues what was applied; a batch that may have been applied before has to look for
 * every group.
 */
export const foldBatch = async (
  records: Loaded,
  events: readonly Recorded[],
  look: 'every group' | 'older groups' = 'older groups',
): Promise<RecordsBatch> => {
  const byStream = new Map<StreamName, Recorded[]>();
  const deletedRuns: string[] = [];
  const deletedProjects: string[] = [];
  const erased: StreamName[] = [];
  let purge = false;
  for (const event of events) {
    if (isOf('trace', event.stream) || isOf('session', event.stream)) {
      const known = byStream.get(event.stream);
      if (known === undefined) byStream.set(event.stream, [event]);
      else known.push(event);
    } else if (endingOf(event) !== null) {
      const { what, id } = endingOf(event) as Ending;
      (what === 'run' ? deletedRuns : deletedProjects).push(id);
    } else if (event.type === 'RecordsErased') {
      erased.push(...erasedGroups(event.data as Erased));
    } else if (event.type === 'OrgJobCompleted') {
      purge = true;
    }
  }
  const known = await load(records, [
    ...[...byStream]
      .filter(([, [first]]) => look === 'every group' || first?.revision !== 0)
      .map(([name]) => name),
    ...erased.filter((name) => !byStream.has(name)),
  ]);
  const groups: Groups = new Map();
  const poisons: Poison[] = [];
  let gap: Gap | null = null;
  for (const [name, ofStream] of byStream) {
    const before = known.get(name) ?? [];
    const fresh = unseen(before, ofStream);
    gap ??= gapIn(before, fresh);
    const { after, poisoned } = folded(name, before, fresh);
    if (poisoned !== null) poisons.push(poisoned);
    groups.set(name, { before, after });
  }
  // Mostly gone by their own last event; their content may be erased before that was read.
  for (const name of erased) {
    const before = groups.get(name)?.before ?? known.get(name) ?? [];
    groups.set(name, { before, after: [] });
  }
  if (gap === null) await refreshSessions(records, groups);
  return {
    writes: { groups: writesOf(groups), deletedRuns, deletedProjects, purge },
    poisons,
    gap,
  };
};

type Erased = {
  readonly project_id: string;
  readonly session_ids: readonly string[];
  readonly trace_ids: readonly string[];
};
const erasedGroups = (data: Erased): readonly StreamName[] => [
  ...data.session_ids.map((id) => stream('session', data.project_id, id)),
  ...data.trace_ids.map((id) => stream('trace', data.project_id, id)),
];

const load = async (
  records: Loaded,
  names: readonly StreamName[],
): Promise<ReadonlyMap<StreamName, readonly RecordRow[]>> =>
  names.length === 0 ? new Map() : records.groups(names);

const revisionOf = (rows: readonly RecordRow[]): number =>
  rows[0] === undefined ? -1 : Number(rows[0].body['revision']);

/** Each event once, in revision order: a batch may bring one again. */
const unseen = (rows: readonly RecordRow[], events: readonly Recorded[]): readonly Recorded[] => {
  let last = revisionOf(rows);
  return events.filter(({ revision }) => {
    if (revision <= last) return false;
    last = revision;
    return true;
  });
};

const gapIn = (rows: readonly RecordRow[], events: readonly Recorded[]): Gap | null => {
  let last = revisionOf(rows);
  for (const event of events) {
    if (event.revision !== last + 1) {
      return { stream: event.stream, expected: last + 1, found: event.revision };
    }
    last = event.revision;
  }
  return null;
};

/** All events at once; when that fails, one by one up to the one that cannot be folded. */
const folded = (
  name: StreamName,
  before: readonly RecordRow[],
  events: readonly Recorded[],
): { readonly after: readonly RecordRow[]; readonly poisoned: Poison | null } => {
  if (events.length === 0) return { after: before, poisoned: null };
  const fold = isOf('trace', name) ? traceFold : sessionFold;
  try {
    return { after: fold(before, events), poisoned: null };
  } catch {
    let after = before;
    for (const event of events) {
      try {
        after = fold(after, [event]);
      } catch (error) {
        return { after, poisoned: poison(event, error) };
      }
    }
    return { after, poisoned: null };
  }
};

type GroupFold = (rows: readonly RecordRow[], events: readonly Recorded[]) => readonly RecordRow[];

const traceFold: GroupFold = (rows, events) =>
  foldTrace(rows, events.map(readable) as unknown as readonly Recorded<TraceEvent>[]);

const sessionFold: GroupFold = (rows, events) => {
  const row = foldSession(
    rows[0] ?? null,
    events
      .map(readable)
      .filter(({ type }) => type !== skippedType) as unknown as readonly Recorded<SessionEvent>[],
  );
  return row === null ? [] : [row];
};

/**
 * Each session that changed, or that a trace of the batch is or was in, is computed from its
 * traces.
 */
const refreshSessions = async (records: Loaded, groups: Groups): Promise<void> => {
  const touched = new Map<StreamName, { readonly project: string; readonly session: string }>();
  for (const [name, { before, after }] of groups) {
    for (const row of isOf('session', name) ? after : [before[0], after[0]]) {
      const session = row === undefined ? null : sessionOf(row);
      if (session !== null) {
        touched.set(stream('session', session.project, session.session), session);
      }
    }
  }
  if (touched.size === 0) return;
  const sessions = await load(
    records,
    [...touched.keys()].filter((name) => !groups.has(name)),
  );
  for (const [name, rows] of sessions) groups.set(name, { before: rows, after: rows });
  const traces = new Map<StreamName, RecordRow[]>();
  const assign = (row: RecordRow | undefined): void => {
    const session = row === undefined ? null : sessionOf(row);
    if (row === undefined || session === null) return;
    const name = stream('session', session.project, session.session);
    const known = traces.get(name);
    if (known === undefined) traces.set(name, [row]);
    else known.push(row);
  };
  const stored = await records.tracesOfSessions([...touched.values()]);
  for (const row of stored) if (!groups.has(row.group)) assign(row);
  for (const [name, { after }] of groups) if (isOf('trace', name)) assign(after[0]);
  for (const name of touched.keys()) {
    const group = groups.get(name);
    const row = group?.after[0];
    if (group === undefined || row === undefined) continue;
    groups.set(name, { ...group, after: [withTraces(row, traces.get(name) ?? [])] });
  }
};

/**
 * The session of a session's or a trace's row. Null for a trace outside any, which has its own id
 * there (contract 3.1, rule 4); so a trace sent with its own id as its session counts as outside,
 * here as in every engine.
 */
const sessionOf = ({
  kind,
  values,
}: RecordRow): { readonly project: string; readonly session: string } | null =>
  kind !== 'session' && values['session_id'] === values['id']
    ? null
    : { project: String(values['project_id']), session: String(values['session_id']) };

const writesOf = (groups: Groups): readonly GroupWrite[] =>
  [...groups]
    .filter(([, { before, after }]) => before !== after && (before.length > 0 || after.length > 0))
    .map(([group, { before, after }]) => ({ group, fresh: before.length === 0, rows: after }));
