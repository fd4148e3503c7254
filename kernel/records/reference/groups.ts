import { codePointCount } from '../../code-points.js';
import { columnValue } from '../column-value.js';
import { groupValueCharactersMax, type GroupKey, type GroupValue } from '../query-plans.js';
import type { MetricType, RecordRow } from '../record.js';

export const isLongValue = (value: GroupValue): boolean =>
  codePointCount(String(value)) > groupValueCharactersMax;

/**
 * Groups that a record counts in, as the values of each column, repeats included (contract 4.5,
 * rule 6).
 */
export const groupsOf = (
  keys: readonly GroupKey[],
  row: RecordRow,
  types: ReadonlyMap<string, MetricType>,
  spans: readonly RecordRow[],
): readonly (readonly GroupValue[])[] => {
  const ofSpans = keys.filter(({ of }) => of === 'any_span');
  const nothing = ofSpans.map(() => null);
  const found = spans
    .flatMap((span) =>
      cartesianProduct(ofSpans.map(({ column }) => groupValues(span, column, types))),
    )
    .filter((values) => values.some((value) => value !== null));
  const spanValues = found.length === 0 ? [nothing] : found;
  return spanValues.flatMap((ofSpan) => {
    const left = [...ofSpan];
    return cartesianProduct(
      keys.map(({ column, of }) =>
        of === 'any_span' ? [left.shift() ?? null] : groupValues(row, column, types),
      ),
    );
  });
};

/**
 * Group values of a record: missing and `''` are the same; it counts in the group of each of its
 * tags.
 */
const groupValues = (
  row: RecordRow,
  column: string,
  types: ReadonlyMap<string, MetricType>,
): readonly GroupValue[] => {
  const value = columnValue(row, column, types);
  const values: readonly GroupValue[] = Array.isArray(value) ? value : [value as GroupValue];
  return (values.length === 0 ? [null] : values).map((one) => (one === '' ? null : one));
};

/** Cartesian product of the lists. */
const cartesianProduct = (
  lists: readonly (readonly GroupValue[])[],
): readonly (readonly GroupValue[])[] =>
  lists.reduce<readonly (readonly GroupValue[])[]>(
    (chosen, list) => chosen.flatMap((some) => list.map((value) => [...some, value])),
    [[]],
  );
