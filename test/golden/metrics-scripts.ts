import type { CustomSearch } from '../../contract/metrics.js';
import { standardColumnById } from '../../kernel/records/columns.js';
import { streamNameOf } from '../../kernel/ports.js';
import type { Aggregation } from '../../kernel/records/query-plans.js';
import type {
  ColumnValue,
  MetricCell,
  MetricError,
  MetricType,
  RecordKind,
  RecordRow,
} from '../../kernel/records/record.js';
import type { Instant, Json } from '../../kernel/schema-types.js';

/**
 * A text script of golden/metrics: rows, questions and the answers that every engine has to give.
 *
 * rows KIND every Nm from HH:MM        one line per series of rows, `column=value` before the
 * metrics column=value … metric v v v ; metric v v v query Aggregation(metric) … by COLUMN bucket
 * Nm from HH:MM to HH:MM where {filter tree} total value … requests=N            values of the
 * widgets in their order, counts to check HH:MM key value … requests=N        one line per bucket;
 * key "" in quotes errors code … refused … as query … at LOC           the planner complains there
 *
 * Of values `_` is none, `~1.5` is rolled up, `!7` is an error code in the value's place. `trace`,
 * `session` and `spans` are no columns: they name the trace, its session and how many spans it has.
 * All times are of 2026-03-01, UTC.
 */
type Script = { readonly title: string; readonly steps: readonly Step[] };
export type Step =
  | { readonly is: 'rows'; readonly rows: readonly RecordRow[] }
  | {
      readonly is: 'query';
      readonly line: string;
      readonly body: CustomSearch;
      /** Tokens of the lines below, and where a refused question is refused. */
      readonly answer: readonly (readonly string[])[];
      readonly refusedAt: string | null;
    };

export const project = '3fa85f64-5717-4562-b3fc-2c963f66afa6';
const run = '74aec44e-ec21-4c9f-a3e2-b2ab2b81b4db';
const midnight = Date.UTC(2026, 2, 1);

export const readScript = (text: string): Script => {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const title = (text.split('\n')[0] ?? '').replace(/^# /, '');
  const blocks: { readonly head: string; readonly below: string[] }[] = [];
  for (const line of lines) {
    if (line.startsWith(' ')) blocks.at(-1)?.below.push(line.trim());
    else blocks.push({ head: line, below: [] });
  }
  const counter = { rows: 0 };
  return {
    title,
    steps: blocks.map(({ head, below }) =>
      head.startsWith('rows ')
        ? { is: 'rows', rows: below.flatMap((line) => series(head, line, counter)) }
        : question(head, below),
    ),
  };
};

const question = (line: string, below: readonly string[]): Step => {
  const [words = '', where] = line.split(' where ');
  const [asked = '', refusedAt] = words.split(' at ');
  const after = (word: string) => new RegExp(` ${word} (\\S+)`).exec(asked)?.[1];
  const widgets = [...asked.matchAll(/(\w+)\(([^)]*)\)/g)];
  const by = after('by');
  return {
    is: 'query',
    line,
    body: {
      start_time: instantAt(after('from') ?? '00:00'),
      end_time: instantAt(after('to') ?? '23:59'),
      metric_details: widgets.map(([, aggregation, metric = ''], index) => ({
        id: `w${index}`,
        metric_name: metric,
        aggregation: aggregation as Aggregation,
      })),
      interval_minutes: Number.parseInt(after('bucket') ?? '5', 10),
      ...(by !== undefined && { group_by: by }),
      ...(where !== undefined && { filter_tree: JSON.parse(where) as Json }),
    },
    answer: below.map((answer) => answer.split(/\s+/)),
    refusedAt: refusedAt ?? null,
  };
};

/** `-24:00` is a day earlier. */
export const instantAt = (clock: string): Instant => {
  const [hours = '0', minutes = '0', seconds = '0'] = clock.split(':');
  const [whole = '0', fraction = ''] = seconds.split('.');
  const at = midnight + Number(hours) * 3_600_000 + Number(minutes) * 60_000 + Number(whole) * 1000;
  return `${new Date(at).toISOString().slice(0, 19)}.${fraction.padEnd(6, '0')}Z` as Instant;
};

const series = (head: string, line: string, counter: { rows: number }): readonly RecordRow[] => {
  const [, kind, every = '', from = ''] = /^rows (\w+) every (\d+)m from (\S+)$/.exec(head) ?? [];
  const labels = [...line.matchAll(/(\S+)=(\S*)/g)].map(([, name = '', value = '']) => [
    name,
    value,
  ]);
  const metrics = line
    .replaceAll(/\S+=\S*/g, '')
    .replace(/^[\s-]*(?=[a-z])/, '')
    .split(';')
    .map((part) => part.trim().split(/\s+/));
  const count = Math.max(...metrics.map((part) => part.length - 1));
  return Array.from({ length: count }, (_, index) => {
    counter.rows += 1;
    const minutes = Number(from.slice(0, 2)) * 60 + Number(from.slice(3)) + index * Number(every);
    return row({
      kind: kind as RecordKind,
      number: counter.rows,
      createdAt: instantAt(`00:${minutes}`),
      labels: new Map(labels as [string, string][]),
      metrics: metrics.map(([name = '', ...values]) => [name, values[index] ?? '_'] as const),
    });
  });
};

type Written = {
  readonly kind: RecordKind;
  readonly number: number;
  readonly createdAt: Instant;
  readonly labels: ReadonlyMap<string, string>;
  readonly metrics: readonly (readonly [string, string])[];
};

const idOf = (name: string): string =>
  `00000000-0000-4000-8000-${Buffer.from(name).toString('hex').padStart(12, '0').slice(-12)}`;

const row = ({ kind, number, createdAt, labels, metrics }: Written): RecordRow => {
  const own = idOf(`r${number}`);
  const trace = labels.has('trace') ? idOf(String(labels.get('trace'))) : own;
  const session = labels.has('session') ? idOf(String(labels.get('session'))) : trace;
  const columns = [...labels].filter(([name]) => standardColumnById.has(name));
  const metadata = [...labels].filter(([name]) => name.startsWith('user_metadata/'));
  const isTrace = kind === 'trace';
  return {
    group: streamNameOf('trace', project, trace),
    ordinal: isTrace ? 0 : number,
    kind,
    values: {
      id: isTrace ? trace : own,
      project_id: project,
      run_id: run,
      session_id: session,
      created_at: createdAt,
      has_children: false,
      is_complete: true,
      ...(!isTrace && { type: kind, trace_id: trace, parent_id: trace }),
      ...Object.fromEntries(columns.map(([name, value]) => [name, columnValue(name, value)])),
    },
    metrics: Object.fromEntries(
      metrics
        .filter(([, value]) => value !== '_' && !value.startsWith('!'))
        .map(([name, value]) => [name, cell(value, number)]),
    ),
    userMetadata: Object.fromEntries(
      metadata.map(([name, value]) => [name.slice('user_metadata/'.length), value]),
    ),
    errors: Object.fromEntries(
      metrics
        .filter(([, value]) => value.startsWith('!'))
        .map(([name, value]): [string, MetricError] => [
          name,
          { code: Number(value.slice(1)), message: null },
        ]),
    ),
    annotators: [],
    spanCount: isTrace ? Number(labels.get('spans') ?? 0) : 0,
    body: {},
  };
};

const columnValue = (column: string, written: string): ColumnValue => {
  const type = standardColumnById.get(column)?.type;
  if (type === 'string_list') return written.split(',');
  if (type === 'boolean') return written === 'true';
  return type === 'integer' || type === 'floating_point' ? Number(written) : written;
};

const cell = (written: string, number: number): MetricCell => {
  if (written.startsWith('~')) return { value: Number(written.slice(1)), rolledUp: true };
  const value = valueOf(written);
  const fraction = typeof value === 'number' && !Number.isInteger(value);
  const at = String(number).padStart(16, '0');
  return { value, rolledUp: false, first: { at, type: typeOf(value), fraction } };
};

const valueOf = (written: string): number | boolean | string => {
  if (written === 'true' || written === 'false') return written === 'true';
  return Number.isNaN(Number(written)) ? written : Number(written);
};

const typeOf = (value: number | boolean | string): MetricType => {
  if (typeof value === 'string') return 'text';
  if (typeof value === 'boolean') return 'boolean';
  return Number.isInteger(value) ? 'integer' : 'floating_point';
};
