import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { CustomMetrics } from '../../contract/metrics.js';
import { aggregate, metricTypes } from '../../kernel/records/reference/aggregate.js';
import type {
  Aggregate,
  AggregatePlan,
  AggregateRefusal,
} from '../../kernel/records/query-plans.js';
import type { MetricType, RecordRow } from '../../kernel/records/record.js';
import { openRecords } from '../../engines/duckdb/records.js';
import type { Position, StreamName } from '../../kernel/ports.js';
import { bucketOf, metricsParts } from '../../query-api/metrics/answer.js';
import { metricsInRequest, planMetrics } from '../../query-api/metrics/plan.js';
import { temporaryFolder } from '../support/folder.js';
import { textOf } from '../support/json-parts.js';
import { instantAt, project, readScript, type Step } from './metrics-scripts.js';

/** An engine that answers the queries of a script. */
type Answerer = {
  readonly put: (rows: readonly RecordRow[]) => Promise<void>;
  readonly types: (names: readonly string[]) => Promise<ReadonlyMap<string, MetricType>>;
  readonly aggregate: (plan: AggregatePlan) => Promise<Aggregate | AggregateRefusal>;
  readonly close: () => Promise<void>;
};

const reference = async (): Promise<Answerer> => {
  const all: RecordRow[] = [];
  return {
    put: async (rows) => void all.push(...rows),
    types: async () => metricTypes(all),
    aggregate: async (plan) => aggregate(plan, all),
    close: async () => {},
  };
};

const duckdb = async (): Promise<Answerer> => {
  const { dir, remove } = await temporaryFolder();
  const records = await openRecords({ dir });
  const all = new Map<StreamName, readonly RecordRow[]>();
  let batches = 0;
  return {
    put: async (rows) => {
      batches += 1;
      const position = String(batches).padStart(16, '0') as Position;
      const groups = [...new Set(rows.map(({ group }) => group))].map((group) => {
        const fresh = !all.has(group);
        const added = rows.filter((row) => row.group === group);
        all.set(group, [...(all.get(group) ?? []), ...added]);
        return { group, fresh, rows: all.get(group) ?? [] };
      });
      await records.apply(
        { groups, deletedRuns: [], deletedProjects: [] },
        { position, fence: 1 },
      );
    },
    types: async (names) => records.metricTypes(project, names),
    aggregate: async (plan) => records.aggregate(plan),
    close: async () => {
      await records.close();
      await remove();
    },
  };
};

const answerers: readonly (readonly [string, () => Promise<Answerer>])[] = [
  ['the reference', reference],
  ['DuckDB', duckdb],
];

const folder = new URL('../../../test/golden/metrics/', import.meta.url);
const scripts = readdirSync(folder).filter((name) => name.endsWith('.script'));

for (const [name, open] of answerers) {
  describe(`scripts of metrics, answered by ${name}`, () => {
    for (const file of scripts) {
      const { title, steps } = readScript(readFileSync(new URL(file, folder), 'utf8'));
      it(`${file.replace('.script', '')}: ${title}`, async () => {
        const answerer = await open();
        for (const step of steps) await follow(step, answerer);
        await answerer.close();
      });
    }
  });
}

const follow = async (step: Step, answerer: Answerer): Promise<void> => {
  if (step.is === 'rows') return answerer.put(step.rows);
  const { plan, complaints } = planMetrics(
    step.body,
    await answerer.types(metricsInRequest(step.body)),
  );
  if (plan === null) {
    const [complaint] = complaints;
    expect(complaint?.loc.slice(1).join('.'), step.line).to.equal(step.refusedAt);
    return expect(complaint?.type).to.equal('value_error') && undefined;
  }
  expect(step.refusedAt, `${step.line} is answered`).to.equal(null);
  const found = await answerer.aggregate({ ...plan, project, run: null, templates: [] });
  expect(found, step.line).to.not.have.property('refused');
  const parts = metricsParts(plan, found as Aggregate);
  const text = textOf(parts, (shown) => JSON.stringify(bucketOf(plan, shown)));
  const answer = JSON.parse(text) as CustomMetrics;
  expect(written(answer, step.answer), step.line).to.deep.equal(
    step.answer.map((tokens) => tokens.join(' ')),
  );
};

type Cell = Readonly<Record<string, unknown>>;
const countNames: Readonly<Record<string, string>> = {
  requests: 'requests_count',
  sessions: 'session_count',
  spans: 'span_count',
};

/** The answer in the words of the script; of the counts those that the script asks for. */
const written = (
  answer: CustomMetrics,
  expected: readonly (readonly string[])[],
): readonly string[] => {
  const lines = expected.filter(([first]) => first !== 'errors');
  const counts = (lines[0] ?? []).flatMap((token) => /^(\w+)=/.exec(token)?.[1] ?? []);
  const cells = (cell: Cell): readonly string[] => [
    ...Object.keys(cell)
      .filter((key) => key.startsWith('w'))
      .map((key) => JSON.stringify(sorted(cell[key]))),
    ...counts.map((count) => `${count}=${JSON.stringify(cell[countNames[count] ?? ''])}`),
  ];
  const buckets = Object.entries(answer.bucketed_metrics).flatMap(([key, list]) =>
    list.map((bucket) => {
      const clock = clockOf(bucket.start_bucket_time);
      return [clock, key === '' ? '""' : key, ...cells(bucket)].join(' ');
    }),
  );
  const inOrder = lines.slice(1).map((tokens) => tokens.join(' '));
  const errors = Object.keys(answer.standard_errors);
  return [
    ['total', ...cells(answer.aggregate_metrics)].join(' '),
    // Keys of an object have no order that the contract speaks of.
    ...buckets.sort((one, other) => inOrder.indexOf(one) - inOrder.indexOf(other)),
    ...(errors.length > 0 ? [`errors ${errors.join(' ')}`] : []),
  ];
};

const sorted = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value;

/** The clock of a bucket's start; before the day of the scripts `-24:00` and so on. */
const clockOf = (at: string): string => {
  const before = Date.parse(instantAt('00:00')) - Date.parse(at);
  return before > 0 ? `-${before / 3_600_000}:00` : at.slice(11, 16);
};
