import { openRecords } from '../engines/duckdb/records.js';
import { instantOf } from '../kernel/records/time-buckets.js';
import { streamNameOf, type Position } from '../kernel/ports.js';
import type { Records } from '../kernel/records/records.js';
import type { AggregatePlan, RecordScope } from '../kernel/records/query-plans.js';
import type { RecordRow, SpanKind } from '../kernel/records/record.js';
import { temporaryFolder } from '../test/support/folder.js';

/**
 * `node dist/bench/records-engine.js [traces]`: the records engine alone, without log or HTTP:
 * spans written a second in batches of 1,000 traces of 10 spans of 1 KB, then searches and
 * aggregates over them. Sizes and medians.
 */

const traces = Number(process.argv[2] ?? 100_000);
const tracesPerApply = 1_000;
const spansPerTrace = 10;
const questions = 30;

const id = (family: number, at: number): string =>
  `${family.toString(16).padStart(8, '0')}-0000-4000-8000-${at.toString(16).padStart(12, '0')}`;
const project = id(1, 1);
const kinds: readonly SpanKind[] = [
  'llm',
  'tool',
  'llm',
  'retriever',
  'llm',
  'agent',
  'tool',
  'workflow',
  'llm',
  'control',
];
const models = ['model-a', 'model-b', 'model-c', 'model-d', 'model-e'];
const words = Array.from({ length: 4_000 }, (_, at) =>
  ((at * 2_654_435_761) % 4_294_967_296).toString(36),
);

/** A fixed generator: the same rows in every run. */
let state = 42;
const next = (bound: number): number => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 4_294_967_296) * bound);
};
const prose = (characters: number): string => {
  let text = '';
  while (text.length < characters) text += `${words[next(words.length)] ?? ''} `;
  return text.slice(0, characters);
};

const began = Date.UTC(2026, 2, 1);
const windowMs = 14 * 24 * 3_600_000;

const traceRows = (at: number): readonly RecordRow[] => {
  const trace = id(6, at);
  const group = streamNameOf('trace', project, trace);
  const createdMs = began + Math.floor((at / traces) * windowMs);
  const session = at % 3 === 0 ? trace : id(3, Math.floor(at / 12));
  const base = {
    project_id: project,
    run_id: id(2, at % 4),
    session_id: session,
    status_code: at % 17 === 0 ? 500 : 200,
    is_complete: true,
  };
  const created = (offset: number) => instantOf(BigInt(createdMs + offset) * 1_000n);
  const rest = { userMetadata: { task_id: `task-${at % 50}` }, errors: {}, annotators: [] };
  const spans = kinds.map((kind, place): RecordRow => ({
    ...rest,
    group,
    ordinal: place + 1,
    kind,
    values: {
      ...base,
      id: id(7, at * spansPerTrace + place),
      type: kind,
      trace_id: trace,
      parent_id: trace,
      created_at: created(place * 100),
      name: `${kind} ${words[next(40)] ?? ''}`,
      input: prose(700),
      output: prose(300),
      step_number: place,
      tags: [],
      has_children: false,
      ...(kind === 'llm' && {
        model: models[next(models.length)] ?? '',
        temperature: next(10) / 10,
      }),
    },
    userMetadata: {},
    metrics: {
      duration_ns: { value: next(2_000_000_000), rolledUp: false },
      num_input_tokens: { value: next(4_000), rolledUp: false },
      num_output_tokens: { value: next(800), rolledUp: false },
      ...(place % 5 === 0 && { toxicity: { value: next(1_000) / 1_000, rolledUp: false } }),
    },
    spanCount: 0,
    body: { revision: 1 },
  }));
  const first = { at: String(at).padStart(16, '0'), type: 'integer', fraction: false } as const;
  const row: RecordRow = {
    ...rest,
    group,
    ordinal: 0,
    kind: 'trace',
    values: {
      ...base,
      id: trace,
      created_at: created(0),
      name: `run ${words[next(40)] ?? ''}`,
      input: prose(300),
      output: prose(300),
      tags: [`trial-${at % 4}`],
      has_children: true,
    },
    metrics: {
      duration_ns: { value: next(20_000_000_000), rolledUp: true },
      num_total_tokens: { value: next(40_000), rolledUp: true },
      reward: { value: next(2), rolledUp: false, first },
    },
    spanCount: spansPerTrace,
    body: { revision: 1 },
  };
  return [row, ...spans];
};

const position = (at: number): Position => at.toString(16).padStart(16, '0') as Position;

const write = async (records: Records): Promise<void> => {
  const seconds: number[] = [];
  let cpu = 0;
  for (let at = 0; at < traces; at += tracesPerApply) {
    const groups = Array.from({ length: Math.min(tracesPerApply, traces - at) }, (_, place) => {
      // By way of JSON, as rows of events are: texts that were joined would be put together
      // within the measured time.
      const rows = JSON.parse(JSON.stringify(traceRows(at + place))) as readonly RecordRow[];
      return { group: streamNameOf('trace', project, id(6, at + place)), fresh: true, rows };
    });
    const from = performance.now();
    const used = process.cpuUsage();
    await records.apply(
      { groups, deletedRuns: [], deletedProjects: [] },
      { position: position(at + 1), fence: 1 },
    );
    seconds.push((performance.now() - from) / 1_000);
    const { user, system } = process.cpuUsage(used);
    cpu += user + system;
  }
  const total = seconds.reduce((sum, one) => sum + one, 0);
  const rate = (one: number): string =>
    Math.round((tracesPerApply * spansPerTrace) / one).toLocaleString('en-US');
  const sorted = seconds.toSorted((one, other) => one - other);
  say(
    `write ${traces * spansPerTrace} spans: ` +
      `${Math.round((traces * spansPerTrace) / total)} spans/s; ` +
      `batch median ${rate(sorted[Math.floor(sorted.length / 2)] ?? 0)}, ` +
      `slowest ${rate(sorted.at(-1) ?? 0)} spans/s; ` +
      `${(cpu / traces / spansPerTrace).toFixed(1)} us of both cores a span`,
  );
};

const say = (line: string): void => {
  process.stdout.write(`${line} · rss ${Math.round(process.memoryUsage().rss / 1e6)} MB\n`);
};

const measure = async (name: string, ask: (at: number) => Promise<unknown>): Promise<void> => {
  const times: number[] = [];
  let answer: unknown;
  for (let at = 0; at < questions; at += 1) {
    const from = performance.now();
    answer = await ask(at);
    times.push(performance.now() - from);
  }
  const first = times[0] ?? 0;
  times.sort((one, other) => one - other);
  const at = (share: number): string =>
    (times[Math.ceil(share * times.length) - 1] ?? 0).toFixed(1);
  say(
    `${name}: median ${at(0.5)}, p95 ${at(0.95)}, first ${first.toFixed(1)} ms · ` +
      `${JSON.stringify(answer).length} characters`,
  );
};

const scope = (
  population: 'trace' | 'span',
  more: Partial<RecordScope> = {},
): RecordScope & { population: typeof population } => ({
  project,
  run: null,
  from: instantOf(BigInt(began) * 1_000n),
  to: instantOf(BigInt(began + windowMs) * 1_000n),
  filter: null,
  kinds: null,
  templates: [],
  ...more,
  population,
});

const nested = {
  all: [
    {
      any: [
        { kind: 'number', column: 'status_code', operator: 'eq', values: [200] },
        {
          kind: 'text',
          column: 'name',
          operator: 'contains',
          values: ['LLM'],
          caseSensitive: false,
        },
      ],
    },
    { not: { kind: 'number', column: 'metrics/toxicity', operator: 'gte', values: [0.9] } },
  ],
} as const;

const p95: Omit<AggregatePlan, keyof RecordScope> = {
  widgets: [{ id: 'w', metric: 'duration_ns', aggregation: 'P95', type: 'integer' }],
  intervalMinutes: 1_440,
  offsetMinutes: 0,
  groupBy: [{ column: 'model', of: 'record' }],
};

const { dir, remove } = await temporaryFolder();
const records = await openRecords({ dir });
await write(records);
await measure('custom_search spans, nested filter, by model, P95, 24 h', () =>
  records.aggregate({
    ...scope('span', { filter: nested, kinds: ['llm'] }),
    ...p95,
    population: 'span',
  }),
);
await measure('custom_search all spans by type, P95, 24 h', () =>
  records.aggregate({
    ...scope('span', { filter: nested }),
    ...p95,
    population: 'span',
    groupBy: [{ column: 'type', of: 'record' }],
  }),
);
await measure('custom_search all spans, two widgets, 5 min', () =>
  records.aggregate({
    ...scope('span'),
    ...p95,
    population: 'span',
    groupBy: [],
    intervalMinutes: 5,
    offsetMinutes: 0,
    widgets: [
      ...p95.widgets,
      { id: 'v', metric: 'num_input_tokens', aggregation: 'Sum', type: 'integer' },
    ],
  }),
);
await measure('custom_search traces, tags filter, Average reward', () =>
  records.aggregate({
    ...scope('trace', {
      filter: {
        kind: 'collection',
        column: 'tags',
        operator: 'contains',
        values: ['trial-1'],
        caseSensitive: true,
      },
    }),
    widgets: [{ id: 'w', metric: 'reward', aggregation: 'Average', type: 'integer' }],
    intervalMinutes: 1_440,
    offsetMinutes: 0,
    groupBy: [],
    population: 'trace',
  }),
);
await measure('search 100 traces, filter', (at) =>
  records.search({
    ...scope('trace', {
      filter: { kind: 'number', column: 'metrics/duration_ns', operator: 'gt', values: [5e9] },
    }),
    sort: null,
    offset: at * 100,
    limit: 100,
  }),
);
await measure('search 100 traces, by reward', (at) =>
  records.search({
    ...scope('trace'),
    sort: { column: 'metrics/reward', ascending: false },
    offset: at * 100,
    limit: 100,
  }),
);
await measure('search 100 spans, name contains, no case', () =>
  records.search({
    ...scope('span', {
      filter: {
        kind: 'text',
        column: 'name',
        operator: 'contains',
        values: ['TOOL'],
        caseSensitive: false,
      },
    }),
    sort: null,
    offset: 0,
    limit: 100,
  }),
);
await measure('count spans, input contains', () =>
  records.count(
    scope('span', {
      filter: {
        kind: 'text',
        column: 'input',
        operator: 'contains',
        values: ['needle'],
        caseSensitive: false,
      },
    }),
  ),
);
await measure('columns of spans', () => records.columns(scope('span')));
await measure('columns of traces, whole project', () =>
  records.columns({ ...scope('trace'), from: null, to: null }),
);
await measure('locate a span', (at) =>
  records.findGroup(project, 'span', id(7, (at * 7_919) % (traces * spansPerTrace))),
);
await measure('100 groups', (at) =>
  records
    .rowsByGroup(
      Array.from({ length: 100 }, (_, place) =>
        streamNameOf('trace', project, id(6, (at * 7_919 + place * 31) % traces)),
      ),
    )
    .then((found) => found.size),
);
await measure('traces of 20 sessions', (at) =>
  records.tracesOfSessions({
    project,
    sessions: Array.from({ length: 20 }, (_, place) =>
      id(3, (at * 97 + place * 5) % Math.floor(traces / 12)),
    ),
    tracesMax: traces,
  }),
);
await measure('rewrite 100 groups', (at) => {
  const places = Array.from({ length: 100 }, (_, place) => (at * 7_919 + place * 31) % traces);
  const groups = places.map((place) => ({
    group: streamNameOf('trace', project, id(6, place)),
    fresh: false,
    rows: traceRows(place),
  }));
  return records
    .apply(
      { groups, deletedRuns: [], deletedProjects: [] },
      { position: position(traces + at + 1), fence: 1 },
    )
    .then(() => null);
});
const from = performance.now();
await records.close();
say(`close ${(performance.now() - from).toFixed(0)} ms`);
const reopening = performance.now();
await (await openRecords({ dir })).close();
say(`open and close ${(performance.now() - reopening).toFixed(0)} ms`);
await remove();
