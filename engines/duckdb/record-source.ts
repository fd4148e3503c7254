import { microsecondsOf } from '../../kernel/records/time-buckets.js';
import {
  parseColumnId,
  registryType,
  type MeasureTarget,
} from '../../kernel/records/column-value.js';
import { appliesTo, standardColumnById } from '../../kernel/records/columns.js';
import type { Filter } from '../../kernel/filter.js';
import type { RatingType } from '../../kernel/records/feedback.js';
import { comparedCharactersMax, type RecordScope } from '../../kernel/records/query-plans.js';
import type { MetricType } from '../../kernel/records/record.js';
import { filterToSql, type FilterColumns } from './filter-to-sql.js';
import { longTextMarker } from './long-text.js';
import type { ProjectModel } from './project-columns.js';
import { ratingValueSql, ratingSqlTypes, type RatingLists } from './rating-sql.js';
import { foldedTextMarker, metricSql, tableOf } from './schema.js';
import {
  bigintConstant,
  bindText,
  newParameters,
  uuidConstant,
  type SqlParameters,
} from './sql.js';

/**
 * The records that a plan considers, as `FROM … WHERE …`, and their column expressions: `r` is the
 * record.
 */
export type RecordSource = {
  readonly parameters: SqlParameters;
  /** A standard column or user metadata in its stored type; null where there is no value. */
  column(column: string): string;
  /** Visible value of a metric (contract 3.4, rule 3). */
  metric(metric: string, type: MetricType | null): string;
  /** Value of the template's ratings; null without one, and for records other than traces. */
  rating(template: string, type: RatingType): string;
  /** Visible value of a measure; for rating texts the compared part. */
  measuredValue(one: MeasureTarget): string;
  /** The FROM and WHERE clauses. Call last: joins what the requested columns need. */
  fromWhere(): string;
};

export const recordSource = (
  model: ProjectModel,
  scope: RecordScope,
  to: SqlParameters = newParameters(),
): RecordSource => {
  const columns = sourceColumns(model, scope);
  const where = conditionsOf(model, scope, to);
  if (scope.filter !== null) {
    where.push(filterToSql(scope.filter, filterColumns(model, scope, to, columns)));
  }
  return {
    parameters: to,
    column: (column) => columns.typed(column, 'text', 'VARCHAR'),
    metric: columns.metric,
    rating: (template, type) => columns.rating(template, type),
    measuredValue: ({ metric, type, source }) => {
      if (source === 'annotations') return comparedRating(columns, metric, type);
      return type === 'string_list' ? nullSql('VARCHAR[]') : columns.metric(metric, type);
    },
    fromWhere: () =>
      `FROM ${tableOf[scope.population]} r ${columns.joins()} WHERE ${where.join(' AND ')}`,
  };
};

const comparedRating = (
  { rating }: Pick<SourceColumns, 'rating'>,
  template: string,
  type: MeasureTarget['type'],
): string => {
  if (type === 'string_list') return rating(template, type);
  if (type !== 'text') return rating(template, 'floating_point');
  return `left(${rating(template, type)}, ${comparedCharactersMax})`;
};

/** SQL of a record's columns, and the joins that the requested ones need. */
type SourceColumns = {
  readonly standard: (column: string, type: string) => string;
  readonly metric: (metric: string, type: MetricType | null) => string;
  readonly rating: (template: string, type: RatingType, lists?: RatingLists) => string;
  readonly typed: (column: string, type: MetricType, sql: string) => string;
  /** Member of the column's row in `facets`. */
  readonly facet: (column: string, member: string, type: string) => string;
  /** Column that a span inherits and that only its trace's row stores. */
  readonly copied: (column: string) => string;
  readonly joins: () => string;
};

const nullSql = (type: string): string => `CAST(NULL AS ${type})`;

const sourceColumns = (
  model: ProjectModel,
  { population, project }: RecordScope,
): SourceColumns => {
  const joins = new Map<number, string>();
  let joinsTrace = false;
  /** A record has at most one row per column id. */
  const facet = (column: string, member: string, type: string): string => {
    const number = model.columns.get(column);
    if (number === undefined) return nullSql(type);
    const alias = joins.get(number) ?? `f${joins.size}`;
    joins.set(number, alias);
    return `${alias}.${member}`;
  };
  const copied = (sql: string): string => {
    if (population !== 'span') return `r.${sql}`;
    joinsTrace = true;
    return `whole.${sql}`;
  };
  const standard = (column: string, type: string): string => {
    const known = standardColumnById.get(column);
    if (known === undefined || !appliesTo(known, population)) return nullSql(type);
    if (column === 'is_complete') return copied(column);
    return column === 'project_id' ? uuidConstant(project) : `r."${column}"`;
  };
  const metric = (name: string, type: MetricType | null): string => {
    const registered = registryType(name);
    if (registered !== null) {
      const numeric = type === 'integer' || type === 'floating_point';
      return numeric ? `r.${metricSql(name)}` : nullSql(type === 'boolean' ? 'BOOLEAN' : 'VARCHAR');
    }
    const column = `metrics/${name}`;
    if (type === 'text') return facet(column, 'text', 'VARCHAR');
    if (type === 'boolean') return facet(column, 'bool', 'BOOLEAN');
    const number = facet(column, 'num', 'DOUBLE');
    if (type !== 'integer') return type === null ? nullSql('DOUBLE') : number;
    const alias = number.slice(0, number.indexOf('.'));
    return model.columns.has(column)
      ? `CASE WHEN ${integerCondition(alias)} THEN ${number} END`
      : number;
  };
  const rating: SourceColumns['rating'] = (template, type, lists = ratingLists) =>
    population === 'trace' ? ratingValueSql(template, type, lists) : nullSql(ratingSqlTypes[type]);
  const typed = (column: string, type: MetricType, sql: string): string => {
    const place = parseColumnId(column);
    if (place?.in === 'annotations') {
      return rating(place.template, type === 'text' ? type : 'floating_point');
    }
    if (place?.in === 'metrics') return metric(place.metric, type);
    if (place?.in === 'user_metadata') return facet(column, 'text', 'VARCHAR');
    return standard(column, sql);
  };
  return {
    standard,
    metric,
    rating,
    typed,
    facet,
    copied,
    joins: () => {
      const facets = [...joins].map(
        ([number, alias]) =>
          `LEFT JOIN facets ${alias} ON ${alias}.key = r.key AND ${alias}.col = ${number}`,
      );
      const whole = joinsTrace ? ['LEFT JOIN traces whole ON whole.grp = r.grp'] : [];
      return [...facets, ...whole].join(' ');
    },
  };
};

/** Conditions on long texts, which are stored in pieces. */
const longTextConditions = (
  model: ProjectModel,
  scope: RecordScope,
  to: SqlParameters,
): Pick<FilterColumns, 'longTextContains' | 'longTextEndsWith'> => {
  /** FROM clause of the column's pieces; null if no text is long. */
  const pieces = (column: string): string | null => {
    const project = model.projects.get(scope.project);
    const isLong = model.markers.has(longTextMarker(scope.population, column));
    if (!isLong || project === undefined) return null;
    return `FROM texts t WHERE t.project = ${project} AND t.name = ${bindText(to, column)}`;
  };
  const pieceText = (isFolded: boolean): string =>
    isFolded ? 'coalesce(t.folded, lower(t.text))' : 't.text';
  return {
    longTextContains: (column, isFolded, bound) => {
      const from = pieces(column);
      if (from === null) return null;
      const text = pieceText(isFolded);
      const has = bound.map((one) => `contains(${text}, ${one})`);
      if (has.length === 1) return `r.key IN (SELECT t.key ${from} AND ${has.join('')})`;
      const having = has.map((one) => `bool_or(${one})`).join(' AND ');
      return `r.key IN (SELECT t.key ${from} GROUP BY t.key HAVING ${having})`;
    },
    longTextEndsWith: (column, isFolded, bound) => {
      const from = pieces(column);
      if (from === null) return null;
      // The last piece is longer than any search value: it repeats part of the one before.
      const last = `max_by(${pieceText(isFolded)}, t.start)`;
      const ends = `SELECT t.key ${from} GROUP BY t.key HAVING suffix(${last}, ${bound})`;
      return { isLong: `r.key IN (SELECT t.key ${from})`, ends: `r.key IN (${ends})` };
    },
  };
};

const listSql = (
  column: string,
  standard: SourceColumns['standard'],
  rating: (template: string) => string,
): string => {
  const place = parseColumnId(column);
  return place?.in === 'annotations' ? rating(place.template) : standard(column, 'VARCHAR[]');
};

const ratingLists: RatingLists = { values: 'r.ratings', texts: 'r.rating_texts' };

const filterColumns = (
  model: ProjectModel,
  scope: RecordScope,
  to: SqlParameters,
  { standard, rating, typed, facet, copied }: SourceColumns,
): FilterColumns => {
  const hasFolded = (column: string): boolean =>
    model.markers.has(foldedTextMarker(scope.population, column));
  const foldedList = (column: string, list: string): string => {
    const lowered = `list_transform(${list}, lambda item: lower(item))`;
    return hasFolded(column)
      ? `coalesce(CAST(json_extract(r.folded, '$.${column}') AS VARCHAR[]), ${lowered})`
      : lowered;
  };
  const foldedRating = (template: string, type: RatingType): string => {
    const texts = foldedList('rating_texts', ratingLists.texts);
    return rating(template, type, { values: foldedList('ratings', ratingLists.values), texts });
  };
  const folded = (column: string): string => {
    const place = parseColumnId(column);
    if (place?.in === 'annotations') return foldedRating(place.template, 'text');
    if (place?.in === 'standard') {
      const lowered = `lower(${standard(column, 'VARCHAR')})`;
      return hasFolded(column)
        ? `coalesce(json_extract_string(r.folded, '$.${column}'), ${lowered})`
        : lowered;
    }
    if (place?.in === 'metrics' && registryType(place.metric) !== null) return nullSql('VARCHAR');
    const kept = facet(column, 'folded', 'VARCHAR');
    return `coalesce(${kept}, lower(${facet(column, 'text', 'VARCHAR')}))`;
  };
  return {
    parameters: to,
    templates: scope.templates.map(({ id }) => id),
    text: (column) => typed(column, 'text', 'VARCHAR'),
    foldedText: folded,
    ...longTextConditions(model, scope, to),
    texts: (column) => listSql(column, standard, (template) => rating(template, 'string_list')),
    foldedTexts: (column) =>
      listSql(
        column,
        (id, type) => foldedList(id, standard(id, type)),
        (template) => foldedRating(template, 'string_list'),
      ),
    uuid: (column) => standard(column, 'UUID'),
    microseconds: (column) => standard(column, 'BIGINT'),
    number: (column) => typed(column, 'floating_point', 'DOUBLE'),
    boolean: (column) => typed(column, 'boolean', 'BOOLEAN'),
    annotators: () => copied('annotators'),
    errorCode: (column) => {
      const place = parseColumnId(column);
      return place?.in === 'metrics'
        ? facet(`errors/${place.metric}`, 'num', 'DOUBLE')
        : nullSql('DOUBLE');
    },
    existsBelow: (level, where) => belowSql(model, scope, to, level, where),
  };
};

/**
 * Semi-join with the level below: one scan, not a subquery per record. `r` is the outer record
 * outside the brackets, the inner one within.
 */
const belowSql = (
  model: ProjectModel,
  { project, run, templates }: RecordScope,
  to: SqlParameters,
  population: 'span' | 'trace',
  filter: Filter,
): string => {
  // A span is in its trace's run; a trace may be in another run than its session.
  const ofRun = population === 'span' ? run : null;
  const everywhere = { from: null, to: null, kinds: null, filter };
  const scope: RecordScope = { project, run: ofRun, population, templates, ...everywhere };
  const source = recordSource(model, scope, to);
  return population === 'span'
    ? `(r.grp IN (SELECT r.grp ${source.fromWhere()}))`
    : `(r.id IN (SELECT r.session_id ${source.fromWhere()} AND NOT r.lone))`;
};

/**
 * True if `num` is visible in an integer metric: own values without a fraction, and all roll-ups
 * (contract 3.4, rule 5).
 */
export const integerCondition = (facet: string): string =>
  `(${facet}.num = trunc(${facet}.num) OR ${facet}.rolled_up` +
  ` OR ${facet}.bool IS NOT NULL OR ${facet}.text IS NOT NULL)`;

const conditionsOf = (
  model: Pick<ProjectModel, 'projects'>,
  scope: RecordScope,
  to: SqlParameters,
): string[] => {
  const project = model.projects.get(scope.project);
  return [
    project === undefined ? 'false' : `r.project = ${project}`,
    ...(scope.run === null ? [] : [`r.run_id = ${uuidConstant(scope.run)}`]),
    ...(scope.from === null
      ? []
      : [`r.created_at >= ${bigintConstant(microsecondsOf(scope.from))}`]),
    ...(scope.to === null ? [] : [`r.created_at <= ${bigintConstant(microsecondsOf(scope.to))}`]),
    ...(scope.kinds === null
      ? []
      : [scope.kinds.length === 0 ? 'false' : `r.kind IN (${kindList(scope.kinds, to)})`]),
  ];
};

const kindList = (kinds: readonly string[], to: SqlParameters): string =>
  kinds.map((kind) => bindText(to, kind)).join(', ');
