import { expect } from 'chai';
import * as fc from 'fast-check';
import { openRecords } from '../../engines/duckdb/records.js';
import {
  aggregate,
  columnFacts,
  compareRows,
  considers,
  metricTypes,
} from '../../kernel/aggregate.js';
import { appliesTo, metricRegistry, standardColumns } from '../../kernel/columns.js';
import type { Position } from '../../kernel/ports.js';
import type {
  Aggregate,
  AggregateCell,
  AggregatePlan,
  AggregateRefusal,
  Aggregation,
  MetricType,
  Population,
  RecordRow,
  Records,
  SearchPlan,
  Widget,
} from '../../kernel/records.js';
import { temporaryFolder } from '../support/folder.js';
import { scopeFor } from '../support/filter-generators.js';
import { metadataKeys, metricNames, recordGroups } from '../support/record-generators.js';
import { runs } from '../support/runs.js';

const batches = 4;
const casesPerBatch = runs(550);
const seed = Math.floor(Math.random() * 2 ** 31);

describe('records and the reference', () => {
  for (let batch = 0; batch < batches; batch += 1) {
    it(`give one answer: data ${batch} of seed ${seed}`, async () => {
      const [groups = []] = fc.sample(recordGroups(90), { seed: seed + batch, numRuns: 1 });
      await withRecords(groups, (records) => compare(records, groups.flat(), seed + batch));
    }).timeout(120_000);
  }
});

const withRecords = async (
  groups: readonly (readonly RecordRow[])[],
  work: (records: Records) => Promise<void>,
): Promise<void> => {
  const { dir, remove } = await temporaryFolder();
  const records = await openRecords({ dir });
  try {
    const writes = groups.flatMap((rows) =>
      rows[0] === undefined ? [] : [{ group: rows[0].group, fresh: true, rows }],
    );
    const mark = { position: '0000000000000001' as Position, fence: 1 };
    await records.apply({ groups: writes, deletedRuns: [], deletedProjects: [] }, mark);
    await work(records);
  } finally {
    await records.close();
    await remove();
  }
};

const compare = async (
  records: Records,
  rows: readonly RecordRow[],
  batchSeed: number,
): Promise<void> => {
  await fc.assert(
    fc.asyncProperty(questionFor(metricTypes(ofProject(rows))), async (question) => {
      if (question.ask === 'search') await compareSearch(records, rows, question.plan);
      else await compareAggregate(records, rows, question.plan);
    }),
    { seed: batchSeed, numRuns: casesPerBatch, interruptAfterTimeLimit: 100_000 },
  );
};

const ofProject = (rows: readonly RecordRow[]): readonly RecordRow[] =>
  rows.filter(({ values }) => values['project_id'] === rows[0]?.values['project_id']);

type Question =
  | { readonly ask: 'search'; readonly plan: SearchPlan }
  | { readonly ask: 'aggregate'; readonly plan: AggregatePlan };

const questionFor = (types: ReadonlyMap<string, MetricType>): fc.Arbitrary<Question> =>
  fc.oneof(
    fc
      .constantFrom<Population>('session', 'trace', 'span')
      .chain(searchPlan)
      .map((plan) => ({ ask: 'search' as const, plan })),
    fc
      .constantFrom<'trace' | 'span'>('trace', 'span')
      .chain((population) => aggregatePlan(population, types))
      .map((plan) => ({ ask: 'aggregate' as const, plan })),
  );

const beyondStandard = [
  ...[...metricNames, 'cost', 'duration_ns'].map((name) => `metrics/${name}`),
  ...[...metadataKeys, 'unknown'].map((key) => `user_metadata/${key}`),
];

const searchPlan = (population: Population): fc.Arbitrary<SearchPlan> => {
  const columns = standardColumns
    .filter((column) => column.id !== 'tags' && appliesTo(column, population))
    .map(({ id }) => id);
  return fc
    .record({
      scope: scopeFor(population),
      sort: fc.option(
        fc.record({
          column: fc.constantFrom(...columns, ...beyondStandard),
          ascending: fc.boolean(),
        }),
      ),
      offset: fc.constantFrom(0, 0, 1, 10),
      limit: fc.constantFrom(1, 7, 1000),
    })
    .map(({ scope, ...page }) => ({ ...scope, ...page }));
};

const aggregationsOf: Readonly<Record<MetricType | 'none', readonly Aggregation[]>> = {
  integer: ['Count', 'Sum', 'Average', 'Min', 'Max', 'P50', 'P90', 'P95', 'P99'],
  floating_point: ['Count', 'Sum', 'Average', 'Min', 'Max', 'P50', 'P90', 'P95', 'P99'],
  boolean: ['Count', 'PercentageTrue', 'PercentageFalse'],
  text: ['Count'],
  none: ['Count', 'Average', 'P90', 'PercentageTrue'],
};

const aggregatePlan = (
  population: 'trace' | 'span',
  types: ReadonlyMap<string, MetricType>,
): fc.Arbitrary<AggregatePlan> => {
  const registered = metricRegistry.map(({ name }) => name);
  const typeOf = (metric: string): MetricType | null =>
    metricRegistry.find(({ name }) => name === metric)?.type ?? types.get(metric) ?? null;
  const widget = fc.constantFrom(...metricNames, ...registered, 'unknown').chain((metric) =>
    fc.constantFrom(...aggregationsOf[typeOf(metric) ?? 'none']).map((aggregation) => ({
      metric,
      aggregation,
      type: typeOf(metric),
    })),
  );
  const groupable = [
    ...standardColumns
      .filter((column) => column.type !== 'timestamp' && appliesTo(column, population))
      .map(({ id }) => id),
    ...metricNames
      .filter((name) => ['boolean', 'text'].includes(types.get(name) ?? ''))
      .map((name) => `metrics/${name}`),
    ...metadataKeys.map((key) => `user_metadata/${key}`),
  ];
  return fc
    .record({
      scope: scopeFor(population),
      widgets: fc.array(widget, { maxLength: 4 }),
      intervalMinutes: fc.constantFrom(1, 5, 7, 60, 1_440, 525_600),
      groupBy: fc.option(fc.constantFrom(...groupable), { freq: 2 }),
    })
    .map(({ scope, widgets, ...rest }) => ({
      ...scope,
      ...rest,
      population,
      widgets: widgets.map((one, at): Widget => ({ id: `w${at}`, ...one })),
    }));
};

const compareSearch = async (
  records: Records,
  rows: readonly RecordRow[],
  plan: SearchPlan,
): Promise<void> => {
  const project = rows.filter(({ values }) => values['project_id'] === plan.project);
  const considered = project.filter((row) => considers(plan, row));
  const sorted = considered.toSorted(compareRows(plan.sort, metricTypes(project)));
  const page = sorted.slice(plan.offset, plan.offset + plan.limit);
  const found = await records.search(plan);
  expect(found.rows.map(nameOf)).to.deep.equal(page.map(nameOf));
  expect(found.more).to.equal(sorted.length > plan.offset + plan.limit);
  // Whole rows are dear to compare, and any few of them would do.
  expect(found.rows.slice(0, 5).map(canonical)).to.deep.equal(page.slice(0, 5).map(canonical));
  expect(await records.count(plan)).to.equal(considered.length);
  // Dearer than the rest together, and of no page: a third of the cases will do.
  if (plan.limit !== 1) return;
  expect(await records.columns(plan)).to.deep.equal(columnFacts(plan, project));
};

const nameOf = ({ group, ordinal }: RecordRow): string => `${group} ${ordinal}`;

const compareAggregate = async (
  records: Records,
  rows: readonly RecordRow[],
  plan: AggregatePlan,
): Promise<void> => {
  const project = rows.filter(({ values }) => values['project_id'] === plan.project);
  const expected = aggregate(plan, project);
  const found = await records.aggregate(plan);
  expect(settled(found, expected, plan, project)).to.deep.equal(plain(expected));
};

/** Members in one order and without prototypes. */
const plain = (value: unknown): unknown => JSON.parse(canonical(value));
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );

/**
 * Sums may differ in their last bits by the order of adding; where they do, the expected one
 * stands. All else is exact.
 */
const settled = (
  found: Aggregate | AggregateRefusal,
  expected: Aggregate | AggregateRefusal,
  plan: AggregatePlan,
  rows: readonly RecordRow[],
): unknown => {
  if ('refused' in found || 'refused' in expected) return plain(found);
  const scales = new Map(plan.widgets.map(({ metric }) => [metric, scaleOf(metric, rows)]));
  const cell = (one: AggregateCell, other: AggregateCell | undefined): unknown => ({
    ...one,
    widgets: Object.fromEntries(
      plan.widgets.map(({ id, metric, aggregation }) => {
        const [value, wanted] = [one.widgets[id], other?.widgets[id]];
        const isSum = aggregation === 'Sum' || aggregation === 'Average';
        if (!isSum || typeof value !== 'number' || typeof wanted !== 'number') return [id, value];
        const tolerance = 1e-12 * (scales.get(metric) ?? 0);
        return [id, Math.abs(value - wanted) <= tolerance ? wanted : value];
      }),
    ),
  });
  return plain({
    ...found,
    total: cell(found.total, expected.total),
    groups: found.groups.map((group, at) => ({
      ...group,
      buckets: group.buckets.map((one, place) => cell(one, expected.groups[at]?.buckets[place])),
    })),
  });
};

/** No sum of the metric is larger. */
const scaleOf = (metric: string, rows: readonly RecordRow[]): number =>
  rows.reduce((sum, { metrics }) => {
    const cell = Object.hasOwn(metrics, metric) ? metrics[metric] : undefined;
    return sum + sizeOf(cell?.value) + sizeOf(cell?.rollUp);
  }, 0);
const sizeOf = (value: unknown): number => (typeof value === 'number' ? Math.abs(value) : 0);
