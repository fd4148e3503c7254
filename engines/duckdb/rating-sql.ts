import type { RatingType } from '../../kernel/records/feedback.js';
import { isUuid } from './schema.js';

/** Rating lists of a trace's row: see `ratings` and `rating_texts` of schema.ts. */
export type RatingLists = { readonly values: string; readonly texts: string };

export const ratingSqlTypes: Readonly<Record<RatingType, string>> = {
  floating_point: 'DOUBLE',
  string_list: 'VARCHAR[]',
  text: 'VARCHAR',
};

/** Offset of the value in an item, after the template's id and a slash. */
const valueFrom = 38;
const value = `substr(one, ${valueFrom})`;

/**
 * Value of a template's column, as `ratingValue` of kernel/records/feedback.ts; null without a
 * rating.
 */
export const ratingValueSql = (template: string, type: RatingType, lists: RatingLists): string => {
  if (!isUuid(template)) return `CAST(NULL AS ${ratingSqlTypes[type]})`;
  const own = (list: string): string =>
    `list_filter(${list}, lambda one: starts_with(one, '${template}/'))`;
  if (type === 'text') return `list_transform(${own(lists.texts)}, lambda one: ${value})[1]`;
  if (type === 'string_list') {
    return `list_distinct(list_transform(${own(lists.values)}, lambda one: ${value}))`;
  }
  const number = `CASE ${value} WHEN 'true' THEN 1.0 WHEN 'false' THEN 0.0
    ELSE TRY_CAST(${value} AS DOUBLE) END`;
  return `list_avg(list_transform(${own(lists.values)}, lambda one: CAST(${number} AS DOUBLE)))`;
};
