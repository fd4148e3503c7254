import { nearestName } from '../../kernel/nearest-name.js';
import { annotationPrefix } from '../../kernel/records/column-value.js';
import {
  appliesTo,
  filterKindOf,
  registryMetricByName,
  standardColumnById,
  standardColumns,
} from '../../kernel/records/columns.js';
import type { FilterKind, Population } from '../../kernel/records/record.js';

/** The members of a column descriptor that the language reads (contract 3.2). */
export type FilterColumn = {
  readonly id: string;
  readonly label: string;
  readonly filter_type: FilterKind;
  readonly is_empty: boolean;
  readonly allowed_values?: readonly string[];
};

export type FilterContext = {
  /** The records that are filtered. */
  readonly population: Population;
  /** Answers of the available-columns operations, as far as they came. */
  readonly columns: Readonly<Partial<Record<Population, readonly FilterColumn[]>>>;
  /** Id of the user who is signed in; null with a key. */
  readonly me: string | null;
};

/** A column that a name means: its descriptor if it has one, and the filters that it takes. */
type ColumnMeaning = {
  readonly column: FilterColumn | null;
  /** Several of a column whose values nobody knows yet. */
  readonly types: readonly FilterKind[];
};

/** The reason why a name is no column there: a sentence. */
type UnknownColumn = { readonly message: string };

const metricPrefix = 'metrics/';
const metadataPrefix = 'user_metadata/';
const averagePrefixes = ['average_', 'percentage_true_'];
const populations: readonly Population[] = ['session', 'trace', 'span'];
const unknownMetricTypes: readonly FilterKind[] = ['number', 'boolean', 'text'];
const unknownRatingTypes: readonly FilterKind[] = ['number', 'collection', 'text'];

/**
 * The column that a name means among those of the population (contract 3.4, rule 6; 3.7, rules 4
 * and 5): a standard column, ratings by id or name of their template, user metadata, or a metric
 * under any of its names.
 */
export const lookUpColumn = (
  name: string,
  population: Population,
  context: FilterContext,
): ColumnMeaning | UnknownColumn => {
  const standard = standardColumnById.get(name);
  if (standard !== undefined && !appliesTo(standard, population)) {
    return { message: elsewhere(name, population) };
  }
  const column = descriptorOf(name, population, context);
  if (column !== null) return { column, types: [column.filter_type] };
  if (standard !== undefined) return { column: null, types: [standard.filter] };
  if (isBelow(name, metadataPrefix)) return { column: null, types: ['text'] };
  if (isBelow(name, annotationPrefix)) return ratingMeaning(name, population, context);
  return metricMeaning(name, population, context);
};

/** Descriptor of a column under its id, of ratings also under the name of their template. */
const descriptorOf = (
  name: string,
  population: Population,
  { columns }: FilterContext,
): FilterColumn | null => {
  const own = columns[population] ?? [];
  const byId = columnById(own, name);
  if (byId !== undefined || !isBelow(name, annotationPrefix)) return byId ?? null;
  const template = name.slice(annotationPrefix.length);
  const ratings = own.filter(({ id }) => id.startsWith(annotationPrefix));
  const rating = ratings.find(({ id }) => id === annotationPrefix + template.toLowerCase());
  return rating ?? ratings.find(({ label }) => label === template) ?? null;
};

/** Indexes of lists of columns: a completion looks up each of up to 2,000 columns. */
const indexes = new WeakMap<readonly FilterColumn[], ReadonlyMap<string, FilterColumn>>();

const columnById = (list: readonly FilterColumn[], id: string): FilterColumn | undefined => {
  const index = indexes.get(list) ?? new Map(list.map((column) => [column.id, column]));
  indexes.set(list, index);
  return index.get(id);
};

const isBelow = (name: string, prefix: string): boolean =>
  name.startsWith(prefix) && name.length > prefix.length;

const ratingMeaning = (
  name: string,
  population: Population,
  context: FilterContext,
): ColumnMeaning | UnknownColumn => {
  if (population !== 'trace') {
    return { message: `\`${name}\` is a column of traces, and this is about ${population}s.` };
  }
  // A template without a rating in the window is not listed, and a metric may have such a name.
  const metric = knownMetric(name, context);
  return metric ?? { column: null, types: unknownRatingTypes };
};

const metricMeaning = (
  name: string,
  population: Population,
  context: FilterContext,
): ColumnMeaning | UnknownColumn => {
  const known = knownMetric(name, context);
  if (known !== null) return known;
  const isLoaded = context.columns[population] !== undefined;
  if (isBelow(name, metricPrefix) || !isLoaded) return { column: null, types: unknownMetricTypes };
  const near = nearestName(name, namesOf(population, context));
  const hint = near === null ? '' : ` Did you mean \`${near}\`?`;
  return { message: `Unknown column \`${name}\` of ${population}s.${hint}` };
};

/** Why the name means no metric of the project, as a sentence; null where it does. */
export const noMetricMessage = (
  name: string,
  population: Population,
  context: FilterContext,
): string | null => {
  const isRating = isBelow(name, annotationPrefix) && knownMetric(name, context) === null;
  if (standardColumnById.has(name) || isBelow(name, metadataPrefix) || isRating) {
    return `\`${name}\` is another column: only metrics have evaluation errors.`;
  }
  const meaning = metricMeaning(name, population, context);
  return 'message' in meaning ? meaning.message : null;
};

/** The first reading of the name that is a metric of the registry or of the project. */
const knownMetric = (name: string, { columns }: FilterContext): ColumnMeaning | null => {
  const bare = isBelow(name, metricPrefix) ? name.slice(metricPrefix.length) : name;
  const averages = averagePrefixes.filter((prefix) => isBelow(bare, prefix));
  for (const reading of [bare, ...averages.map((prefix) => bare.slice(prefix.length))]) {
    const id = metricPrefix + reading;
    // A metric is one for the whole project, so each list that has it knows its type.
    const lists = populations.map((population) => columns[population] ?? []);
    const column = lists.flatMap((list) => columnById(list, id) ?? [])[0];
    const registered = registryMetricByName.get(reading);
    if (registered !== undefined) {
      return { column: column ?? null, types: [filterKindOf[registered.type]] };
    }
    if (column !== undefined) return { column, types: [column.filter_type] };
  }
  return null;
};

const namesOf = (population: Population, { columns }: FilterContext): readonly string[] =>
  (columns[population] ?? []).flatMap(({ id }) =>
    isBelow(id, metricPrefix) ? [id.slice(metricPrefix.length), id] : [id],
  );

const elsewhere = (name: string, population: Population): string => {
  const standard = standardColumnById.get(name);
  const owners = populations.filter((one) => standard !== undefined && appliesTo(standard, one));
  const below = levelBelow[population];
  const instead =
    below !== null && owners.includes(below) ? ` Write \`any ${below} (${name} …)\`.` : '';
  const of = owners.map((one) => `${one}s`).join(' and ');
  return `\`${name}\` is a column of ${of}, and this is about ${population}s.${instead}`;
};

/** The records below one of the population. */
export const levelBelow: Readonly<Record<Population, 'trace' | 'span' | null>> = {
  session: 'trace',
  trace: 'span',
  span: null,
};

/** The columns of the population, those without values last; the standard ones till they came. */
export const columnsOf = (
  population: Population,
  { columns }: FilterContext,
): readonly FilterColumn[] => {
  const list = columns[population] ?? standardDescriptors(population);
  return [...list.filter((one) => !one.is_empty), ...list.filter((one) => one.is_empty)];
};

const standardDescriptors = (population: Population): readonly FilterColumn[] =>
  standardColumns
    .filter((column) => appliesTo(column, population))
    .map(({ id, label, filter, allowed }) => ({
      id,
      label,
      filter_type: filter,
      is_empty: false,
      ...(allowed !== null && { allowed_values: allowed }),
    }));
