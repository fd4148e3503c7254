import { streamNameOf, type Position } from '../../kernel/ports.js';
import type { Checkpoint } from '../../kernel/documents.js';
import type { GroupWrite, Records, RecordWrites } from '../../kernel/records/records.js';
import {
  allTracesScope,
  type AggregatePlan,
  type GroupKey,
  type RecordScope,
  type SearchPlan,
} from '../../kernel/records/query-plans.js';
import type { RecordRow } from '../../kernel/records/record.js';
import type { Instant } from '../../kernel/schema-types.js';
import { uuid } from './record-generators.js';

export const project = uuid(1, 1);
export const run = uuid(2, 1);
export const traceId = (at: number): string => uuid(6, at);
export const spanId = (at: number): string => uuid(7, at);
export const sessionId = (at: number): string => uuid(3, at);
export const noon = '2026-03-01T12:00:00.000000Z' as Instant;

type Changes = Partial<Omit<RecordRow, 'values'>> & { readonly values?: RecordRow['values'] };

/** A lone trace of the project's one run, with what the test is about. */
export const traceRow = (at: number, { values, ...changes }: Changes = {}): RecordRow => {
  const id = traceId(at);
  const places = { project_id: project, run_id: run, session_id: id, created_at: noon };
  const all = { id, ...places, ...values };
  return {
    group: streamNameOf('trace', all.project_id, id),
    ordinal: 0,
    kind: 'trace',
    metrics: {},
    userMetadata: {},
    errors: {},
    annotators: [],
    spanCount: 0,
    body: {},
    ...changes,
    values: all,
  };
};

/** An llm span of a trace. */
export const spanRow = (
  of: RecordRow,
  ordinal: number,
  { values, ...changes }: Changes = {},
): RecordRow => {
  const { id: trace_id, project_id, run_id, session_id, created_at, is_complete } = of.values;
  const id = spanId(Number(String(trace_id).slice(-6)) * 100 + ordinal);
  const places = { project_id, run_id, session_id, created_at, trace_id, parent_id: trace_id };
  return {
    ...traceRow(0),
    group: of.group,
    ordinal,
    kind: 'llm',
    annotators: of.annotators,
    ...changes,
    values: {
      id,
      type: 'llm',
      ...places,
      ...(is_complete !== undefined && { is_complete }),
      ...values,
    } as RecordRow['values'],
  };
};

export const sessionRow = (at: number, { values, ...changes }: Changes = {}): RecordRow => ({
  ...traceRow(0),
  group: streamNameOf('session', project, sessionId(at)),
  kind: 'session',
  ...changes,
  values: { id: sessionId(at), project_id: project, run_id: run, created_at: noon, ...values },
});

/** Rows by group, none of which is known yet. */
export const groupsOf = (rows: readonly RecordRow[]): readonly GroupWrite[] => {
  const groups = Map.groupBy(rows, ({ group }) => group);
  return [...groups].map(([group, members]) => ({ group, fresh: true, rows: members }));
};

export const positionAt = (at: number): Position => at.toString(16).padStart(16, '0') as Position;
export const markAt = (at: number, fence = 1): Checkpoint => ({ position: positionAt(at), fence });

/** Applies at the position after the checkpoint. */
export const put = async (records: Records, writes: Partial<RecordWrites>): Promise<void> => {
  const at = Number.parseInt(await records.checkpoint(), 16) + 1;
  await records.apply({ groups: [], deletedRuns: [], deletedProjects: [], ...writes }, markAt(at));
};
export const putRows = (records: Records, rows: readonly RecordRow[]): Promise<void> =>
  put(records, { groups: groupsOf(rows) });

export const scopeOf = (changes: Partial<RecordScope> = {}): RecordScope => ({
  ...allTracesScope(project),
  ...changes,
});
export const searchOf = (changes: Partial<SearchPlan> = {}): SearchPlan => ({
  ...scopeOf(),
  sort: null,
  offset: 0,
  limit: 1_000,
  ...changes,
});
export const groupKey = (column: string, of: GroupKey['of'] = 'record'): GroupKey => ({
  column,
  of,
});
export const aggregateOf = (changes: Partial<AggregatePlan> = {}): AggregatePlan => ({
  ...scopeOf(),
  population: 'trace',
  widgets: [],
  intervalMinutes: 5,
  offsetMinutes: 0,
  groupBy: [],
  ...changes,
});

export const idsOf = (rows: readonly RecordRow[]): readonly unknown[] =>
  rows.map(({ values }) => values['id']);

/** Awkward in every part: names of prototypes, values that do not fit, texts beyond ASCII. */
export const awkwardTrace = (): RecordRow =>
  traceRow(1, {
    values: {
      name: '',
      input: 'a\u0000b 🎉 \uffff ΟΔΟΣ',
      output: 'x'.repeat(100_000),
      tags: ['ς', "';--"],
      status_code: -(2 ** 53 - 1),
      created_at: '0001-01-01T00:00:00.000001Z',
      updated_at: '9999-12-31T23:59:59.999999Z',
      is_complete: false,
      has_children: true,
    },
    metrics: Object.fromEntries([
      ['cost', { value: 0.1 + 0.2, rolledUp: true }],
      ['duration_ns', { value: 1.5, rolledUp: true }],
      ['toxicity', { value: 'no number', rolledUp: false }],
      ['num_input_tokens', { value: 1.5, rolledUp: false }],
      ['__proto__', { value: true, rolledUp: false, first: first('1', 'boolean') }],
      ['both', { value: 'text', rolledUp: false, rollUp: 0.5, first: first('2', 'text') }],
      ['reward', { value: 5e-324, rolledUp: false, first: first('3', 'floating_point') }],
    ]),
    userMetadata: Object.fromEntries([
      ['__proto__', 'x'],
      ['empty', ''],
      ['🎉', '🎉'],
    ]),
    errors: { toxicity: { code: 1001, message: null }, 'a/b': { code: -1, message: '' } },
    annotators: [`${uuid(4, 1)}/${uuid(5, 1)}`],
    spanCount: 1,
    body: { deep: [{ null: null }, 1e21, 'ſ'] },
  });

const first = (at: string, type: 'boolean' | 'text' | 'floating_point' | 'integer') =>
  ({ at, type, fraction: type === 'floating_point' }) as const;
