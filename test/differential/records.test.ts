import { expect } from 'chai';
import * as fc from 'fast-check';
import { openRecords } from '../../engines/duckdb/records.js';
import { openMongoRecords } from '../../engines/mongodb/records.js';
import {
  aggregate,
  indexChildren,
  isConsidered,
  metricTypes,
} from '../../kernel/records/reference/aggregate.js';
import { columnFacts, compareRows } from '../support/reference-columns.js';
import { appliesTo, metricRegistry, standardColumns } from '../../kernel/records/columns.js';
import { ratingTypes } from '../../kernel/records/feedback.js';
import type { Position } from '../../kernel/ports.js';
import type { Records, RecordWrites } from '../../kernel/records/records.js';
import {
  aggregationsOf,
  groupKeysMax,
  type Aggregate,
  type AggregateCell,
  type AggregatePlan,
  type AggregateRefusal,
  type GroupKey,
  type RecordScope,
  type SearchPlan,
  type Widget,
} from '../../kernel/records/query-plans.js';
import type { MetricType, Population, RecordRow } from '../../kernel/records/record.js';
import { temporaryFolder } from '../support/folder.js';
import { scopeFor } from '../support/filter-generators.js';
import { hasMongo, startMongo, type MongoServer } from '../support/mongo.js';
import {
  metadataKeys,
  metricNames,
  ratedTemplates,
  recordGroups,
} from '../support/record-generators.js';
import { drawSeed } from '../support/test-environment.js';
import { runs } from '../support/runs.js';
import { dropDatabase, skipMongo } from '../support/with-mongo.js';

const batches = 4;
const casesPerBatch = runs(50);
const seed = drawSeed();

describe('records and the reference', () => {
  let mongo: MongoServer | null = null;
  before(async () => {
    if (hasMongo) mongo = await startMongo();
  });
  after(() => mongo?.stop());

  for (let batch = 0; batch < batches; batch += 1) {
    it(`give one answer on every engine: data ${batch} of seed ${seed}`, async () => {
      const [groups = []] = fc.sample(recordGroups(90), { seed: seed + batch, numRuns: 1 });
      await withEngines(mongo, groups, (engines) => compare(engines, groups.flat(), seed + batch));
    }).timeout(240_000);
  }
  if (!hasMongo) skipMongo('records and the reference');
});

/** An engine that holds the rows. */
type Engine = {
  readonly name: string;
  readonly records: Records;
  readonly fill: (writes: RecordWrites) => Promise<void>;
  readonly close: () => Promise<void>;
};

const withEngines = async (
  mongo: MongoServer | null,
  groups: readonly (readonly RecordRow[])[],
  work: (engines: readonly Engine[]) => Promise<void>,
): Promise<void> => {
  const engines = [await openDuckdb(), await openReplica()];
  if (mongo !== null) engines.push(await openMongo(mongo));
  try {
    const writes = groups.flatMap((rows) =>
      rows[0] === undefined ? [] : [{ group: rows[0].group, fresh: true, rows }],
    );
    for (const { fill } of engines) {
      await fill({ groups: writes, deletedRuns: [], deletedProjects: [] });
    }
    await work(engines);
  } finally {
    for (const { close } of engines) await close();
  }
};
const mark = { position: '0000000000000001' as Position, fence: 1 };

const openDuckdb = async (): Promise<Engine> => {
  const { dir, remove } = await temporaryFolder();
  const records = await openRecords({ dir });
  const close = async (): Promise<void> => {
    await records.close();
    await remove();
  };
  return { name: 'DuckDB', records, fill: (writes) => records.apply(writes, mark), close };
};

/** Opens a replica as a process does that lost its own: beside the live ones, in less memory. */
const openReplica = async (): Promise<Engine> => {
  const { dir, remove } = await temporaryFolder();
  const records = await openRecords({ dir, memoryMb: 256 });
  const fill = async (writes: RecordWrites): Promise<void> => {
    const copy = await records.shadow({ durable: true });
    await copy.model.apply(writes, mark);
    await copy.promote();
  };
  const close = async (): Promise<void> => {
    await records.close();
    await remove();
  };
  return { name: 'a replica', records, fill, close };
};

const openMongo = async (server: MongoServer): Promise<Engine> => {
  const url = server.url();
  const records = await openMongoRecords({ url });
  const close = async (): Promise<void> => {
    await records.close();
    await dropDatabase(url);
  };
  return { name: 'MongoDB', records, fill: (writes) => records.apply(writes, mark), close };
};

const compare = async (
  engines: readonly Engine[],
  rows: readonly RecordRow[],
  batchSeed: number,
): Promise<void> => {
  await fc.assert(
    fc.asyncProperty(questionFor(metricTypes(ofProject(rows))), async (question) => {
      if (question.ask === 'search') await compareSearch(engines, rows, question.plan);
      else await compareAggregate(engines, rows, question.plan);
    }),
    {
      seed: batchSeed,
      numRuns: casesPerBatch,
      interruptAfterTimeLimit: 200_000,
      markInterruptAsFailure: true,
    },
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

/** Scope with the live templates, which type the columns of ratings. */
const typedBy = (scope: RecordScope, ...columns: readonly string[]): RecordScope =>
  columns.some((column) => column.startsWith('annotations/'))
    ? { ...scope, templates: ratedTemplates }
    : scope;

const sortedRatings = ratedTemplates
  .filter(({ type }) => ratingTypes[type] !== 'string_list')
  .map(({ id }) => `annotations/${id}`);

const searchPlan = (population: Population): fc.Arbitrary<SearchPlan> => {
  const columns = standardColumns
    .filter((column) => column.id !== 'tags' && appliesTo(column, population))
    .map(({ id }) => id);
  return fc
    .record({
      scope: scopeFor(population),
      sort: fc.option(
        fc.record({
          column: fc.constantFrom(...columns, ...beyondStandard, ...sortedRatings),
          ascending: fc.boolean(),
        }),
      ),
      offset: fc.constantFrom(0, 0, 1, 10),
      limit: fc.constantFrom(1, 7, 1000),
    })
    .map(({ scope, ...page }) => ({ ...typedBy(scope, page.sort?.column ?? ''), ...page }));
};

const aggregatePlan = (
  population: 'trace' | 'span',
  types: ReadonlyMap<string, MetricType>,
): fc.Arbitrary<AggregatePlan> => {
  const registered = metricRegistry.map(({ name }) => name);
  const typeOf = (metric: string): MetricType | null =>
    metricRegistry.find(({ name }) => name === metric)?.type ?? types.get(metric) ?? null;
  const rating = fc.constantFrom(...ratedTemplates).chain(({ id, type }) =>
    fc.constantFrom(...aggregationsOf(ratingTypes[type])).map((aggregation) => ({
      metric: id,
      source: 'annotations' as const,
      aggregation,
      type: ratingTypes[type],
    })),
  );
  const metric = fc.constantFrom(...metricNames, ...registered, 'unknown').chain((metric) =>
    fc.constantFrom(...aggregationsOf(typeOf(metric))).map((aggregation) => ({
      metric,
      aggregation,
      type: typeOf(metric),
    })),
  );
  const groupable = (grouped: 'trace' | 'span') => [
    ...standardColumns
      .filter((column) => column.type !== 'timestamp' && appliesTo(column, grouped))
      .map(({ id }) => id),
    ...metricNames
      .filter((name) => ['boolean', 'text'].includes(types.get(name) ?? ''))
      .map((name) => `metrics/${name}`),
    ...metadataKeys.map((key) => `user_metadata/${key}`),
    ...(grouped === 'trace' ? ratedTemplates.map(({ id }) => `annotations/${id}`) : []),
  ];
  const keyOf = (of: GroupKey['of'], grouped: 'trace' | 'span'): fc.Arbitrary<GroupKey> =>
    fc.constantFrom(...groupable(grouped)).map((column) => ({ column, of }));
  const own = keyOf('record', population);
  const key = population === 'span' ? own : fc.oneof(own, keyOf('any_span', 'span'));
  return fc
    .record({
      scope: scopeFor(population),
      widgets: fc.array(population === 'trace' ? fc.oneof(metric, metric, rating) : metric, {
        maxLength: 4,
      }),
      intervalMinutes: fc.constantFrom(1, 5, 7, 60, 1_440, 525_600),
      offsetMinutes: fc.constantFrom(0, 0, 330, -840, 1),
      groupBy: fc.uniqueArray(key, {
        maxLength: groupKeysMax,
        selector: ({ of, column }) => `${of} ${column}`,
      }),
    })
    .map(({ scope, widgets, ...rest }) => ({
      ...typedBy(scope, ...rest.groupBy.map(({ column }) => column)),
      ...rest,
      population,
      widgets: widgets.map((one, at): Widget => ({ id: `w${at}`, ...one })),
    }));
};

const onEach = async (
  engines: readonly Engine[],
  work: (engine: Engine) => Promise<void>,
): Promise<void> => {
  await Promise.all(engines.map(work));
};

const compareSearch = async (
  engines: readonly Engine[],
  rows: readonly RecordRow[],
  plan: SearchPlan,
): Promise<void> => {
  const project = rows.filter(({ values }) => values['project_id'] === plan.project);
  const below = indexChildren(project);
  const considered = project.filter((row) => isConsidered(plan, row, below));
  const sorted = considered.toSorted(compareRows(plan.sort, metricTypes(project)));
  const page = sorted.slice(plan.offset, plan.offset + plan.limit);
  // Dearer than the rest together, and of no page: a third of the cases will do.
  const facts = plan.limit === 1 ? columnFacts(plan, project) : null;
  await onEach(engines, async ({ name, records }) => {
    const found = await records.search(plan);
    expect(found.rows.map(nameOf), name).to.deep.equal(page.map(nameOf));
    expect(found.more, name).to.equal(sorted.length > plan.offset + plan.limit);
    // Whole rows are dear to compare, and any few of them would do.
    const [some, few] = [found.rows.slice(0, 5), page.slice(0, 5)];
    expect(some.map(canonical), name).to.deep.equal(few.map(canonical));
    expect(await records.count(plan), name).to.equal(considered.length);
    if (facts !== null) expect(await records.columns(plan), name).to.deep.equal(facts);
  });
};

const nameOf = ({ group, ordinal }: RecordRow): string => `${group} ${ordinal}`;

const compareAggregate = async (
  engines: readonly Engine[],
  rows: readonly RecordRow[],
  plan: AggregatePlan,
): Promise<void> => {
  const project = rows.filter(({ values }) => values['project_id'] === plan.project);
  const expected = aggregate(plan, project);
  await onEach(engines, async ({ name, records }) => {
    const found = await records.aggregate(plan);
    expect(settled(found, expected, plan, project), name).to.deep.equal(plain(expected));
  });
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
