import * as fc from 'fast-check';
import {
  appliesTo,
  filterKindOf,
  spanKinds,
  standardColumns,
} from '../../kernel/records/columns.js';
import type { ComparisonOperator, Filter, FilterCondition } from '../../kernel/filter.js';
import type { RecordScope } from '../../kernel/records/query-plans.js';
import { ratingTypes } from '../../kernel/records/feedback.js';
import type { Population } from '../../kernel/records/record.js';
import {
  instants,
  errorCodes,
  failingMetrics,
  integers,
  metadataKeys,
  metricNames,
  numbers,
  perhaps,
  pick,
  projects,
  runIds,
  sessionIds,
  tags,
  ratedTemplates,
  texts,
  users,
  uuid,
} from './record-generators.js';

const comparisons: readonly ComparisonOperator[] = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte'];
const idOperators = ['eq', 'ne', 'contains', 'one_of', 'not_in'] as const;
const textOperators = [...idOperators, 'starts_with', 'ends_with', 'is_null'] as const;
/** Number of values of a leaf with the operator. */
const lengths = (operator: (typeof textOperators)[number]) => {
  if (operator === 'is_null') return { minLength: 0, maxLength: 0 };
  const takesList = operator === 'contains' || operator === 'one_of' || operator === 'not_in';
  return { minLength: 1, maxLength: takesList ? 3 : 1 };
};

/** Parts of pool texts too, for `contains`. */
const needle = fc.oneof(pick(texts), pick(Array.from(texts.join(''))));

const textLeaf = (column: string): fc.Arbitrary<FilterCondition> =>
  pick(textOperators).chain((operator) =>
    fc.record({
      kind: fc.constant('text' as const),
      column: fc.constant(column),
      operator: fc.constant(operator),
      values: fc.array(needle, lengths(operator)),
      caseSensitive: fc.boolean(),
    }),
  );
const idLeaf = (column: string): fc.Arbitrary<FilterCondition> =>
  pick(idOperators).chain((operator) =>
    fc.record({
      kind: fc.constant('id' as const),
      column: fc.constant(column),
      operator: fc.constant(operator),
      values: fc.array(
        pick([...sessionIds, ...runIds, ...projects, uuid(6, 1), uuid(7, 11), '0000', '-4', 'no']),
        lengths(operator),
      ),
      caseSensitive: fc.boolean(),
    }),
  );
const numberLeaf = (column: string): fc.Arbitrary<FilterCondition> => {
  const pool = pick([...numbers, ...integers]);
  const base = { kind: fc.constant('number' as const), column: fc.constant(column) };
  return fc.oneof(
    fc.record({ ...base, operator: pick(comparisons), values: fc.tuple(pool) }),
    fc.record({
      ...base,
      operator: fc.constant('between' as const),
      values: fc
        .tuple(pool, pool)
        .map(([one, other]) => [Math.min(one, other), Math.max(one, other)]),
    }),
  );
};
const booleanLeaf = (column: string): fc.Arbitrary<FilterCondition> =>
  fc.record({
    kind: fc.constant('boolean' as const),
    column: fc.constant(column),
    operator: pick(['eq', 'ne'] as const),
    value: fc.boolean(),
  });
const dateLeaf = (column: string): fc.Arbitrary<FilterCondition> =>
  fc.record({
    kind: fc.constant('date' as const),
    column: fc.constant(column),
    operator: pick(comparisons),
    value: pick(instants),
  });
const collectionLeaf = (column: string): fc.Arbitrary<FilterCondition> =>
  pick(['eq', 'contains', 'one_of', 'not_in'] as const).chain((operator) =>
    fc.record({
      kind: fc.constant('collection' as const),
      column: fc.constant(column),
      operator: fc.constant(operator),
      values: fc.array(pick(tags), { minLength: operator === 'eq' ? 0 : 1, maxLength: 3 }),
      caseSensitive: fc.boolean(),
    }),
  );
const errorLeaf: fc.Arbitrary<FilterCondition> = fc.record({
  kind: fc.constant('error' as const),
  column: pick([...failingMetrics, 'unknown']).map((name) => `metrics/${name}`),
  codes: perhaps(fc.uniqueArray(pick([...errorCodes, 7]), { minLength: 1, maxLength: 3 })),
});
export const leafOf = {
  text: textLeaf,
  id: idLeaf,
  number: numberLeaf,
  boolean: booleanLeaf,
  date: dateLeaf,
  collection: collectionLeaf,
} as const;

const leafFor = (population: Population): fc.Arbitrary<FilterCondition> => {
  const standard = standardColumns.filter((column) => appliesTo(column, population));
  const metric = pick(metricNames).map((name) => `metrics/${name}`);
  const key = pick([...metadataKeys, 'unknown']).map((name) => `user_metadata/${name}`);
  const rating = pick(ratedTemplates).chain(({ id, type }) =>
    leafOf[filterKindOf[ratingTypes[type]]](`annotations/${id}`),
  );
  const registered = pick(['toxicity', 'duration_ns', 'cost', 'bleu']);
  return fc.oneof(
    { weight: 6, arbitrary: pick(standard).chain(({ id, filter }) => leafOf[filter](id)) },
    { weight: 1, arbitrary: metric.chain(numberLeaf) },
    { weight: 1, arbitrary: metric.chain(textLeaf) },
    { weight: 1, arbitrary: metric.chain(booleanLeaf) },
    { weight: 1, arbitrary: registered.chain((name) => numberLeaf(`metrics/${name}`)) },
    { weight: 1, arbitrary: key.chain(textLeaf) },
    { weight: 1, arbitrary: errorLeaf },
    ...(population === 'trace' ? [{ weight: 2, arbitrary: rating }] : []),
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('fully_annotated' as const),
        users: perhaps(fc.uniqueArray(pick(users), { minLength: 1 })),
      }),
    },
  );
};

const filterFor = (population: Population, depth = 3): fc.Arbitrary<Filter> => {
  const leaf = leafFor(population);
  if (depth === 0) return leaf;
  const node = filterFor(population, depth - 1);
  const level = population === 'session' ? 'trace' : 'span';
  const where = filterFor(level, depth - 1);
  const nodes = fc.array(node, { minLength: 1, maxLength: 3 });
  return fc.oneof(
    { weight: 3, arbitrary: leaf },
    { weight: 1, arbitrary: nodes.map((all) => ({ all })) },
    { weight: 1, arbitrary: nodes.map((any) => ({ any })) },
    { weight: 1, arbitrary: node.map((not) => ({ not })) },
    ...(population === 'span'
      ? []
      : [{ weight: 2, arbitrary: where.map((node) => ({ some: level, where: node }) as const) }]),
  );
};

export const scopeFor = (population: Population): fc.Arbitrary<RecordScope> =>
  fc.record({
    project: fc.oneof(
      { weight: 9, arbitrary: fc.constant(projects[0] ?? '') },
      pick([...projects, uuid(1, 9)]),
    ),
    run: fc.option(pick(runIds), { freq: 1, nil: null }),
    from: fc.option(pick(instants), { freq: 1, nil: null }),
    to: fc.option(pick(instants), { freq: 1, nil: null }),
    filter: perhaps(filterFor(population)),
    population: fc.constant(population),
    kinds:
      population === 'span'
        ? fc.option(fc.uniqueArray(pick(spanKinds)), { freq: 1, nil: null })
        : fc.constant(null),
    templates: pick([ratedTemplates, ratedTemplates.slice(0, 1), ratedTemplates.slice(0, 2)]),
  });
