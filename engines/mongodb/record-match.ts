import type { Document, Filter as Match } from 'mongodb';
import {
  parseColumnId,
  registryType,
  type MeasureTarget,
} from '../../kernel/records/column-value.js';
import type { RatingType } from '../../kernel/records/feedback.js';
import { standardColumnById } from '../../kernel/records/columns.js';
import { unreachable } from '../../kernel/decision.js';
import {
  matchesMissingValue,
  type ColumnComparison,
  type Filter,
  type FilterCondition,
} from '../../kernel/filter.js';
import type { RecordScope } from '../../kernel/records/query-plans.js';
import type { MetricType } from '../../kernel/records/record.js';
import { foldCase } from '../../kernel/case-fold.js';
import { encodeMember } from './member-names.js';
import { kindsOf } from './record-encoding.js';
import {
  allOf,
  anyOf,
  between,
  comparison,
  matchAll,
  noneOf,
  matchNone,
  textMatch,
} from './text-match.js';

/** Condition for the records that a plan considers: tenancy first, in the order of the indexes. */
export const scopeMatch = (scope: RecordScope, visible: Match<Document>): Match<Document> => {
  const { project, run, from, to, population, kinds, filter } = scope;
  const window = {
    ...(from === null ? {} : { $gte: from }),
    ...(to === null ? {} : { $lte: to }),
  };
  const some = kinds === null ? null : kindsOf(population).filter((kind) => kinds.includes(kind));
  return {
    $and: [
      {
        project: { $eq: project },
        ...(run === null ? {} : { run: { $eq: run } }),
        population,
        ...(Object.keys(window).length === 0 ? {} : { at: window }),
        ...(some === null ? {} : { kind: { $in: some } }),
      },
      visible,
      ...(filter === null ? [] : [recordMatch(filter, templateIds(scope))]),
    ],
  };
};

/** Ids of the live templates. */
export const templateIds = ({ templates }: Pick<RecordScope, 'templates'>): readonly string[] =>
  templates.map(({ id }) => id);

/**
 * Index hint of scope queries: the time window of a project or of a run. Without it the server
 * would try plans for each new form of filter.
 */
export const scopeIndex = ({ run }: RecordScope): 'window' | 'run' =>
  run === null ? 'window' : 'run';

/**
 * Translates the filter to a condition on stored records, by the two-valued logic of contract 3.7.
 * It must concern these records only: see record-semi-join.ts.
 */
export const recordMatch = (filter: Filter, templates: readonly string[]): Match<Document> => {
  const each = (filters: readonly Filter[]) => filters.map((one) => recordMatch(one, templates));
  if ('all' in filter) return allOf(each(filter.all));
  if ('any' in filter) return anyOf(each(filter.any));
  if ('not' in filter) return noneOf(recordMatch(filter.not, templates));
  if ('some' in filter) throw new TypeError('condition on another level: resolve semi-joins first');
  if (filter.kind === 'fully_annotated') return annotatedMatch(filter.users, templates);
  return filter.kind === 'error' ? errorMatch(filter) : leafMatch(filter);
};

const leafMatch = (leaf: ColumnComparison): Match<Document> => {
  const places = leafMembers(leaf);
  if (places === null) return missingValueMatch(leaf);
  const { member, folded, long } = places;
  switch (leaf.kind) {
    case 'text':
      return textMatch(leaf, { text: member, folded, long });
    case 'id': {
      const values = leaf.values.map((value) => value.toLowerCase());
      return textMatch({ ...leaf, values, caseSensitive: true }, { text: member, folded });
    }
    case 'collection':
      return collectionMatch(leaf, member, folded);
    case 'number':
      return leaf.operator === 'between'
        ? between(member, leaf.values)
        : comparison(member, leaf.operator, leaf.values[0] ?? Number.NaN);
    case 'date':
    case 'boolean':
      return comparison(member, leaf.operator, leaf.value);
    default:
      return unreachable(leaf);
  }
};

/** The record itself has an evaluation error of the metric, with one of the codes. */
const errorMatch = ({
  column,
  codes,
}: Extract<FilterCondition, { readonly kind: 'error' }>): Match<Document> => {
  const place = parseColumnId(column);
  if (place?.in !== 'metrics') return matchNone;
  const member = `errors.${encodeMember(place.metric)}.code`;
  return { [member]: codes === null ? { $exists: true } : { $in: [...codes] } };
};

/** Result of a leaf on a record without the value. */
const missingValueMatch = (leaf: ColumnComparison): Match<Document> => {
  if (leaf.kind === 'collection') {
    const holds = leaf.operator === 'not_in' || (leaf.operator !== 'one_of' && !leaf.values.length);
    return holds ? matchAll : matchNone;
  }
  return matchesMissingValue(leaf.operator) ? matchAll : matchNone;
};

type LeafMembers = { readonly member: string; readonly folded: string; readonly long: boolean };

/** Paths that a leaf compares; null if no record can have such a value. */
const leafMembers = (leaf: ColumnComparison): LeafMembers | null => {
  const { column } = leaf;
  const place = parseColumnId(column);
  if (place === null) return null;
  if (place.in === 'annotations') return ratingLeafMembers(leaf, place.template);
  if (place.in === 'user_metadata') {
    const member = encodeMember(place.key);
    const isText = leaf.kind === 'text' || leaf.kind === 'id';
    return isText
      ? { member: `notes.${member}`, folded: `foldedNotes.${member}`, long: false }
      : null;
  }
  if (place.in === 'metrics') {
    const type = leafType(leaf, place.metric);
    if (type === null) return null;
    return {
      member: metricMember(place.metric, type),
      folded: `metrics.${encodeMember(place.metric)}.folded`,
      long: true,
    };
  }
  if (!comparable(column).includes(leaf.kind)) return null;
  return { member: columnMember(column), folded: `folded.${column}`, long: true };
};

const ratingLeafMembers = ({ kind }: ColumnComparison, template: string): LeafMembers | null => {
  const of = `annotations.${encodeMember(template)}`;
  switch (kind) {
    case 'number':
      return { member: ratingMember(template, 'floating_point'), folded: '', long: false };
    case 'collection':
      return {
        member: ratingMember(template, 'string_list'),
        folded: `${of}.foldedList`,
        long: true,
      };
    case 'text':
      return { member: ratingMember(template, 'text'), folded: `${of}.folded`, long: true };
    case 'id':
    case 'date':
    case 'boolean':
      return null;
    default:
      return unreachable(kind);
  }
};

/** Kinds of leaf that the column's values can match; the server fails on others in expressions. */
const comparable = (column: string): readonly ColumnComparison['kind'][] => {
  switch (standardColumnById.get(column)?.filter) {
    case 'collection':
      return ['collection'];
    case 'number':
      return ['number'];
    case 'boolean':
      return ['boolean'];
    case 'text':
    case 'id':
    case 'date':
      return ['text', 'id', 'date'];
    case undefined:
      return [];
  }
};

/** Metric type that a leaf compares: the registry's, otherwise implied by the leaf's kind. */
const leafType = (leaf: ColumnComparison, metric: string): MetricType | null => {
  const registered = registryType(metric);
  switch (leaf.kind) {
    case 'number':
      return registered ?? 'floating_point';
    case 'boolean':
      return registered === null ? 'boolean' : null;
    case 'text':
    case 'id':
    case 'date':
      return registered === null ? 'text' : null;
    case 'collection':
      return null;
    default:
      return unreachable(leaf);
  }
};

/** Path of a standard column's value. */
export const columnMember = (column: string): string => {
  if (column === 'id') return 'id';
  return column === 'created_at' ? 'at' : `values.${column}`;
};
/** Path of a metric's value of this type. */
export const metricMember = (metric: string, type: MetricType): string =>
  `metrics.${encodeMember(metric)}.${type}`;
/** Path of a template's rating value of this type. */
export const ratingMember = (template: string, type: RatingType): string =>
  `annotations.${encodeMember(template)}.${type}`;
/** Path of a measured value; null if the metric has no type, and so no values. */
export const measuredMember = ({ metric, type, source }: MeasureTarget): string | null => {
  if (source === 'annotations') return ratingMember(metric, ratingTypeIn(type));
  return type === null || type === 'string_list' ? null : metricMember(metric, type);
};
const ratingTypeIn = (type: MeasureTarget['type']): RatingType =>
  type === 'text' || type === 'string_list' ? type : 'floating_point';
export const metadataMember = (key: string): string => `notes.${encodeMember(key)}`;

type CollectionLeaf = Extract<FilterCondition, { readonly kind: 'collection' }>;

/** Set comparison; a missing list is the empty set. Folded lists are always stored. */
const collectionMatch = (leaf: CollectionLeaf, member: string, folded: string): Match<Document> => {
  const list = leaf.caseSensitive ? member : folded;
  const values = [...new Set(leaf.caseSensitive ? leaf.values : leaf.values.map(foldCase))];
  switch (leaf.operator) {
    case 'eq':
      return { $expr: { $setEquals: [{ $ifNull: [`$${list}`, []] }, { $literal: values }] } };
    case 'contains':
      return values.length === 0 ? matchAll : { [list]: { $all: values } };
    case 'one_of':
      return { [list]: { $in: values } };
    case 'not_in':
      return { [list]: { $nin: values } };
    default:
      return unreachable(leaf.operator);
  }
};

/** True if every live template has a rating by each of the users, or by anyone (contract 3.7). */
const annotatedMatch = (
  users: readonly string[] | null,
  templates: readonly string[],
): Match<Document> => {
  if (templates.length === 0) return matchNone;
  return allOf(
    templates.flatMap((template): readonly Match<Document>[] =>
      users === null
        ? // Prefix range: the template and a slash; `0` is the character after the slash.
          [{ annotators: { $elemMatch: { $gte: `${template}/`, $lt: `${template}0` } } }]
        : users.map((user) => ({ annotators: { $eq: `${template}/${user}` } })),
    ),
  );
};
