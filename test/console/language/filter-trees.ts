import * as fc from 'fast-check';
import type { FilterColumn, FilterContext } from '../../../console/language/catalogue.js';
import { levelBelow } from '../../../console/language/catalogue.js';
import type { ColumnComparison, FilterCondition } from '../../../kernel/filter.js';
import { appliesTo, standardColumns } from '../../../kernel/records/columns.js';
import type { FilterKind, MetricType, Population } from '../../../kernel/records/record.js';
import type { NamedTemplate } from '../../../kernel/records/feedback.js';
import type { Json } from '../../../kernel/schema-types.js';
import { anyUtf16 } from '../any-text.js';
import { leafOf } from '../../support/filter-generators.js';
import { metadataKeys, perhaps, pick, users } from '../../support/record-generators.js';

/** Metrics of the project; some have names that mean something in the language. */
export const projectMetrics: Readonly<Record<string, MetricType>> = {
  reward: 'integer',
  solved: 'boolean',
  verdict: 'text',
  in: 'integer',
  and: 'text',
  any: 'floating_point',
  annotated: 'boolean',
  'two words': 'floating_point',
  'a`b\\"c': 'text',
  'low..high': 'integer',
  '': 'integer',
};
const filterTypes: Readonly<Record<MetricType, FilterKind>> = {
  integer: 'number',
  floating_point: 'number',
  boolean: 'boolean',
  text: 'text',
};

export const projectTemplates: readonly NamedTemplate[] = [
  { id: '00000004-0000-4000-8000-000000000001', name: 'Helpful', type: 'score' },
  { id: '00000004-0000-4000-8000-000000000002', name: 'Issues found', type: 'tags' },
  { id: '00000004-0000-4000-8000-000000000003', name: 'Note', type: 'text' },
];
const ratingFilters: Readonly<Record<string, FilterKind>> = {
  score: 'number',
  tags: 'collection',
  text: 'text',
};

const columnsOf = (population: Population): readonly FilterColumn[] => [
  ...standardColumns
    .filter((column) => appliesTo(column, population))
    .map(({ id, label, filter, allowed }) => ({
      id,
      label,
      filter_type: filter,
      is_empty: id === 'external_id',
      ...(allowed !== null && { allowed_values: allowed }),
    })),
  ...Object.entries(projectMetrics)
    .filter(([name]) => name !== '')
    .map(([name, type]) => ({
      id: `metrics/${name}`,
      label: name,
      filter_type: filterTypes[type],
      is_empty: false,
    })),
  ...metadataKeys.map((key) => ({
    id: `user_metadata/${key}`,
    label: key,
    filter_type: 'text' as const,
    is_empty: false,
  })),
  ...(population === 'trace' ? projectTemplates : []).map(({ id, name, type }) => ({
    id: `annotations/${id}`,
    label: name,
    filter_type: ratingFilters[type] ?? 'text',
    is_empty: false,
  })),
];

export const contextOf = (population: Population): FilterContext => ({
  population,
  columns: {
    session: columnsOf('session'),
    trace: columnsOf('trace'),
    span: columnsOf('span'),
  },
  me: users[0] ?? null,
});

const textPool = fc.oneof(
  { weight: 2, arbitrary: anyUtf16(12) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }) },
  {
    weight: 1,
    arbitrary: pick(
      'and|or|not|true|FALSE|5|-0|1e3|me|in|..|a..b|"|\\|`|\n|i|"i|𝒳|2026-03-01|a b'.split('|'),
    ),
  },
);

/** The wire form of a planned leaf, in one of its spellings. */
const leafWritten = (leaf: FilterCondition): fc.Arbitrary<Json> => {
  if (leaf.kind === 'fully_annotated') {
    return pick<Json>([
      { type: leaf.kind, ...(leaf.users !== null && { user_ids: leaf.users }) },
      { type: leaf.kind, name: leaf.kind, user_ids: leaf.users },
    ]);
  }
  if (leaf.kind === 'error') {
    const { kind: type, column: name, codes } = leaf;
    if (codes !== null) return fc.constant<Json>({ type, name, operator: 'one_of', value: codes });
    return pick<Json>([
      { type, name },
      { type, column_id: name, operator: 'any', value: null },
    ]);
  }
  const { kind: type, column, operator } = leaf;
  const named = pick<Readonly<Record<string, Json>>>([
    { name: column },
    { column_id: column },
    { name: column, column_id: column },
  ]);
  return fc.tuple(named, valueWritten(leaf), fc.boolean()).map(([names, value, isTerse]) => ({
    type,
    ...names,
    ...(!(isTerse && operator === 'eq' && (type === 'id' || type === 'boolean')) && { operator }),
    ...(value !== null && { value }),
    ...((type === 'text' || type === 'collection') &&
      'caseSensitive' in leaf &&
      !(isTerse && leaf.caseSensitive) && { case_sensitive: leaf.caseSensitive }),
  }));
};

const valueWritten = (leaf: ColumnComparison): fc.Arbitrary<Json> => {
  if ('value' in leaf) return fc.constant<Json>(leaf.value);
  const { kind, operator, values } = leaf;
  const [first = null] = values;
  if (operator === 'is_null') return pick<Json>([null, true, false]);
  if (kind === 'number') return fc.constant<Json>(operator === 'between' ? values : first);
  const isList = operator === 'one_of' || operator === 'not_in' || values.length !== 1;
  const takesEither = operator === 'contains' || kind === 'collection';
  if (kind === 'id' && operator === 'contains') return fc.constant<Json>(first);
  if (kind === 'collection' && values.length === 1) return pick<Json>([first, values]);
  if (isList) return fc.constant<Json>(values);
  return takesEither ? pick<Json>([first, values]) : fc.constant<Json>(first);
};

/** Texts of a leaf drawn anew, from any text. */
const withAnyTexts = (leaf: FilterCondition): fc.Arbitrary<FilterCondition> => {
  if (leaf.kind !== 'text' && leaf.kind !== 'collection') return fc.constant(leaf);
  const values = fc.tuple(...leaf.values.map(() => textPool));
  return values.map((texts) => ({ ...leaf, values: texts }));
};

const leafFor = (population: Population): fc.Arbitrary<FilterCondition> => {
  const standard = standardColumns.filter((column) => appliesTo(column, population));
  const metrics = Object.entries(projectMetrics).flatMap(([name, type]) => {
    const ids = name === '' ? [] : [`metrics/${name}`, name, `average_${name}`];
    return ids.map((id) => [id, filterTypes[type]] as const);
  });
  const ratings = projectTemplates.flatMap(({ id, name, type }) =>
    [id, id.toUpperCase(), name].map(
      (named) => [`annotations/${named}`, ratingFilters[type] ?? 'text'] as const,
    ),
  );
  const unknown = pick(['number', 'boolean', 'text'] as const).map(
    (type) => ['metrics/never recorded', type] as const,
  );
  const registered = pick(['toxicity', 'metrics/cost', 'average_bleu', 'percentage_true_rouge']);
  const columns: fc.Arbitrary<readonly [string, FilterKind]> = fc.oneof(
    pick(standard).map(({ id, filter }) => [id, filter] as const),
    pick(metrics),
    registered.map((name) => [name, 'number'] as const),
    pick([...metadataKeys, 'never seen', ' ']).map(
      (key) => [`user_metadata/${key}`, 'text'] as const,
    ),
    unknown,
    ...(population === 'trace' ? [pick(ratings)] : []),
  );
  const annotated = fc.record({
    kind: fc.constant('fully_annotated' as const),
    users: perhaps(fc.uniqueArray(pick(users), { minLength: 1 })),
  });
  const comparison = columns
    .chain(([column, type]) => leafOf[type](column))
    .chain((leaf) => fc.oneof(fc.constant(leaf), withAnyTexts(leaf)));
  const failed = fc.record({
    kind: fc.constant('error' as const),
    column: fc.oneof(
      pick(metrics).map(([name]) => name),
      registered,
      fc.constant('metrics/never recorded'),
    ),
    codes: perhaps(fc.array(pick([1_001, 1_003, 0, -7]), { minLength: 1, maxLength: 3 })),
  });
  return fc.oneof(
    { weight: 9, arbitrary: comparison },
    { weight: 1, arbitrary: annotated },
    { weight: 1, arbitrary: failed },
  );
};

const wordLeaf = textPool.map((value): Json => ({
  or: ['input', 'output', 'name'].map((name) => ({
    filter: { type: 'text', name, operator: 'contains', value, case_sensitive: false },
  })),
}));

/** Filter trees in every spelling of contract 3.7, with every operator. */
export const writtenTrees = (population: Population, depth = 4): fc.Arbitrary<Json> => {
  const key = `${population} ${depth}`;
  const made = generators.get(key) ?? makeTrees(population, depth);
  generators.set(key, made);
  return made;
};
const generators = new Map<string, fc.Arbitrary<Json>>();

const makeTrees = (population: Population, depth: number): fc.Arbitrary<Json> => {
  const leaf = leafFor(population)
    .chain(leafWritten)
    .map((filter): Json => ({ filter }));
  if (depth === 0) return leaf;
  const node = writtenTrees(population, depth - 1);
  const nodes = fc.array(node, { minLength: 1, maxLength: 3 });
  const below = levelBelow[population];
  const level = (of: 'trace' | 'span') =>
    fc
      .tuple(
        pick(
          of === 'span'
            ? ['any_span', 'all_spans', 'no_span']
            : ['any_trace', 'all_traces', 'no_trace'],
        ),
        writtenTrees(of, depth - 1),
      )
      .map(([member, tree]): Json => ({ [member]: tree }));
  return fc.oneof(
    { weight: 3, arbitrary: leaf },
    {
      weight: 2,
      arbitrary: fc
        .tuple(pick(['and', 'and_']), nodes)
        .map(([and, list]): Json => ({ [and]: list })),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(pick(['or', 'or_']), nodes).map(([or, list]): Json => ({ [or]: list })),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(pick(['not', 'not_']), node).map(([not, one]): Json => ({ [not]: one })),
    },
    { weight: 1, arbitrary: wordLeaf },
    ...(below === null ? [] : [{ weight: 2, arbitrary: level(below) }]),
  );
};

/** Texts that are filters, nearly filters, words of the language in any order, or any text. */
export const filterTexts = (printed: fc.Arbitrary<string>): fc.Arbitrary<string> => {
  const piece = pick(
    (
      'and or not any every no span trace in is empty annotated by me error of ' +
      '( ) { } , .. = != ~ ^= $= > < <= ' +
      '"x"i " ` \\ 5 input model tags created_at 2026-03-01 09:00 true refund ! & \''
    ).split(' '),
  );
  const soup = fc
    .array(fc.tuple(piece, pick(['', ' ', '\n'])), { maxLength: 30 })
    .map((pieces) => pieces.flat().join(''));
  const cut = fc
    .tuple(printed, fc.nat(), fc.nat({ max: 3 }), piece)
    .map(([text, at, length, put]) => {
      const from = text.length === 0 ? 0 : at % text.length;
      return text.slice(0, from) + put + text.slice(from + length);
    });
  return fc.oneof(cut, soup, textPool, anyUtf16(60));
};
