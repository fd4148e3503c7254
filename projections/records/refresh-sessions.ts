import {
  traceOutline,
  type SessionScope,
  type TraceOutline,
} from '../../kernel/records/outlines.js';
import { streamNameOf, type StreamName } from '../../kernel/ports.js';
import type { RecordQueries } from '../../kernel/records/record-queries.js';
import type { RecordFolding } from '../../kernel/records/records.js';
import type { ColumnValue, RecordRow } from '../../kernel/records/record.js';
import {
  commonAnnotators,
  applyTraceChanges,
  emptySums,
  rolledUpMetrics,
  sumsOf,
  withExtremes,
  type SessionSums,
  type TraceChange,
} from './session-sums.js';

/** The first row of a group before and after a batch; null = the group does not exist. */
export type GroupRows = { readonly before: RecordRow | null; readonly after: RecordRow | null };

export type SessionNeeds = Pick<RecordQueries, 'firstRows'> &
  Pick<RecordFolding, 'sessionsWithTraces' | 'traceOutlines'>;

/** Outlines read at a time: a few megabytes. */
const outlinesMax = 5_000;

/**
 * Updates each session that began, or that a trace of the batch is or was in, from its traces
 * (contract 3.4, 3.6, 5.7). Other traces are read only for values that the stored sums cannot give.
 */
export const refreshSessions = async (
  records: SessionNeeds,
  groups: Map<StreamName, GroupRows>,
): Promise<void> => {
  const touched = touchedSessions(groups);
  const unread = [...touched.keys()].filter((name) => !groups.has(name));
  if (unread.length > 0) {
    for (const [name, row] of await records.firstRows(unread)) {
      groups.set(name, { before: row, after: row });
    }
  }
  const started = [...touched].filter(([name]) => groups.get(name)?.before === null);
  const older = await sessionsWithOlderTraces(
    records,
    started.map(([, { scope }]) => scope),
  );
  for (const [name, { scope, traces }] of touched) {
    const group = groups.get(name);
    if (group === undefined || group.after === null) continue;
    const session = { records, scope, traces, before: group.before, hasOlder: older.has(name) };
    groups.set(name, { ...group, after: await withTraces(group.after, session) });
  }
};

type TouchedSession = { readonly scope: SessionScope; readonly traces: GroupRows[] };

const touchedSessions = (
  groups: ReadonlyMap<StreamName, GroupRows>,
): ReadonlyMap<StreamName, TouchedSession> => {
  const touched = new Map<StreamName, TouchedSession>();
  for (const group of groups.values()) {
    const row = group.after ?? group.before;
    const scope = row === null ? null : sessionOf(row);
    if (row === null || scope === null) continue;
    const name = nameOf(scope);
    const known = touched.get(name) ?? { scope, traces: [] };
    if (row.kind === 'trace') known.traces.push(group);
    touched.set(name, known);
  }
  return touched;
};

const nameOf = ({ project, session }: SessionScope): StreamName =>
  streamNameOf('session', project, session);

/**
 * Session of a session's or a trace's row. Null for a trace outside sessions, which has its own id
 * there (contract 3.1, rule 4); so a trace sent with its own id as its session counts as outside,
 * here as in every engine.
 */
const sessionOf = ({ kind, values }: RecordRow): SessionScope | null =>
  kind !== 'session' && values['session_id'] === values['id']
    ? null
    : { project: String(values['project_id']), session: String(values['session_id']) };

/** Finds new sessions that have older traces: their stream may have been parked and resumed. */
const sessionsWithOlderTraces = async (
  records: SessionNeeds,
  started: readonly SessionScope[],
): Promise<ReadonlySet<StreamName>> => {
  if (started.length === 0) return new Set();
  return new Set((await records.sessionsWithTraces(started)).map(nameOf));
};

type SessionUpdate = {
  readonly records: SessionNeeds;
  readonly scope: SessionScope;
  readonly traces: readonly GroupRows[];
  readonly before: RecordRow | null;
  readonly hasOlder: boolean;
};

const withTraces = async (row: RecordRow, session: SessionUpdate): Promise<RecordRow> => {
  const known = session.before === null ? emptySums : sumsOf(session.before);
  const began = session.hasOlder ? await sumsOfOlder(session) : known;
  const changes = session.traces.map((rows) => changeOf(rows, session.scope));
  // A new session has not counted any of them yet.
  const counted = session.before === null ? changes.map(onlyAfter) : changes;
  const { sums: after, lost } = applyTraceChanges(began, counted);
  const extremes = await settledExtremes(session, after, lost.extremes);
  const sums = {
    ...extremes,
    first: await settledEdge(session, 'first', after.first, lost.first),
    last: await settledEdge(session, 'last', after.last, lost.last),
  };
  const { input: _i, output: _o, ...own } = row.values;
  const values: Record<string, ColumnValue> = own;
  const input = await textAt(session, 'input', sums.first, known.first);
  const output = await textAt(session, 'output', sums.last, known.last);
  if (input !== undefined) values['input'] = input;
  if (output !== undefined) values['output'] = output;
  return {
    ...row,
    values,
    metrics: rolledUpMetrics(sums),
    annotators: commonAnnotators(sums),
    body: {
      ...row.body,
      is_complete: sums.complete === sums.traces,
      traces: sums.traces,
      sums,
    },
  };
};

/** Change of a trace in this session; a trace that was in no session before was not counted. */
const changeOf = ({ before, after }: GroupRows, { session }: SessionScope): TraceChange => ({
  before: before === null || before.values['session_id'] !== session ? null : traceOutline(before),
  after: after === null ? null : traceOutline(after),
});

const onlyAfter = ({ after }: TraceChange): TraceChange => ({ before: null, after });

/** Other traces of the session than those of the batch, a part at a time. */
async function* otherTraces(session: SessionUpdate): AsyncIterable<readonly TraceOutline[]> {
  for (let after: string | null = null; ;) {
    const part: readonly TraceOutline[] = await readOutlines(session, 'first', after, outlinesMax);
    if (part.length > 0) yield part;
    if (part.length < outlinesMax) return;
    after = part.at(-1)?.at ?? null;
  }
}

const readOutlines = (
  { records, scope, traces }: SessionUpdate,
  order: 'first' | 'last',
  after: string | null,
  limit: number,
): Promise<readonly TraceOutline[]> => {
  const except = traces.flatMap(({ before }) => (before === null ? [] : [before.group]));
  return records.traceOutlines(scope, { after, order, except, limit });
};

const sumsOfOlder = async (session: SessionUpdate): Promise<SessionSums> => {
  let sums = emptySums;
  const lost = new Set<string>();
  for await (const part of otherTraces(session)) {
    const changed = applyTraceChanges(
      sums,
      part.map((after) => ({ before: null, after })),
    );
    ({ sums } = changed);
    for (const name of changed.lost.extremes) lost.add(name);
  }
  return settledExtremes(session, sums, [...lost]);
};

const settledExtremes = async (
  session: SessionUpdate,
  sums: SessionSums,
  lost: readonly string[],
): Promise<SessionSums> => {
  if (lost.length === 0) return sums;
  let settled = sums;
  for await (const part of otherTraces(session)) settled = withExtremes(settled, lost, part);
  return settled;
};

const settledEdge = async (
  session: SessionUpdate,
  order: 'first' | 'last',
  known: string | null,
  isLost: boolean,
): Promise<string | null> => {
  if (!isLost) return known;
  const [found] = await readOutlines(session, order, null, 1);
  if (found === undefined || known === null) return found?.at ?? known;
  return found.at < known === (order === 'first') ? found.at : known;
};

/** Text of the first or last trace; the session's row holds the text of the previous one. */
const textAt = async (
  { records, scope, traces, before }: SessionUpdate,
  text: 'input' | 'output',
  at: string | null,
  known: string | null,
): Promise<ColumnValue | undefined> => {
  if (at === null) return undefined;
  const changed = traces.find(({ after }) => after !== null && traceOutline(after).at === at);
  if (changed !== undefined) return changed.after?.values[text];
  if (at === known) return before?.values[text];
  const group = streamNameOf('trace', scope.project, at.slice(at.indexOf(' ') + 1));
  return (await records.firstRows([group])).get(group)?.values[text];
};
