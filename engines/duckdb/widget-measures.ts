import type { DuckDBValue } from '@duckdb/node-api';
import { measuredColumn } from '../../kernel/records/column-value.js';
import type { AggregateCell, Aggregation, Widget } from '../../kernel/records/query-plans.js';
import type { RecordSource } from './record-source.js';

/**
 * SQL of the widgets: `values` are columns `v0…` of the rows, `measures` aggregate expressions over
 * them. Equal widgets share both.
 */
export type WidgetMeasures = {
  readonly values: readonly string[];
  readonly measures: readonly string[];
  /**
   * Index in `measures` by widget; null where the value does not depend on rows, or is a map of
   * categories.
   */
  readonly places: readonly (number | null)[];
};

export const isCategorical = ({ type }: Widget): boolean =>
  type === 'text' || type === 'string_list';

export const widgetMeasures = (
  source: RecordSource,
  widgets: readonly Widget[],
): WidgetMeasures => {
  const values: string[] = [];
  const measures: string[] = [];
  const placeIn = (list: string[], expression: string): number => {
    const known = list.indexOf(expression);
    return known < 0 ? list.push(expression) - 1 : known;
  };
  const places = widgets.map((widget) => {
    if (widget.type === null || isCategorical(widget)) return null;
    const value = `v${placeIn(values, source.measuredValue(widget))}`;
    return placeIn(measures, measureOf(widget, value));
  });
  return { values, measures, places };
};

const numeric: Readonly<Partial<Record<Aggregation, (value: string) => string>>> = {
  Sum: (value) => `sum(${value})`,
  Average: (value) => `avg(${value})`,
  Min: (value) => `min(${value})`,
  Max: (value) => `max(${value})`,
  // Fixed-point constants make the engine find the nearest rank in integers.
  P50: (value) => `quantile_disc(${value}, 0.50)`,
  P90: (value) => `quantile_disc(${value}, 0.90)`,
  P95: (value) => `quantile_disc(${value}, 0.95)`,
  P99: (value) => `quantile_disc(${value}, 0.99)`,
};
const boolean: typeof numeric = {
  PercentageTrue: (value) => `avg(CAST(${value} AS INTEGER))`,
  PercentageFalse: (value) => `avg(CAST(NOT ${value} AS INTEGER))`,
};

const measureOf = ({ aggregation, type }: Widget, value: string): string => {
  if (aggregation === 'Count') return `count(${value})`;
  const known = (type === 'boolean' ? boolean : numeric)[aggregation];
  if (known === undefined) throw new TypeError(`${aggregation} does not fit ${String(type)}`);
  return known(value);
};

/**
 * Values of one cell's widgets: `measured` are the results of `measures`, `categories` those by
 * measured column.
 */
export const widgetValues = (
  widgets: readonly Widget[],
  { places }: WidgetMeasures,
  measured: readonly DuckDBValue[],
  categories: ReadonlyMap<string, Readonly<Record<string, number>>>,
): AggregateCell['widgets'] =>
  Object.fromEntries(
    widgets.map((widget, at) => [
      widget.id,
      isCategorical(widget)
        ? (categories.get(measuredColumn(widget)) ?? {})
        : measuredValue(widget, measured[places[at] ?? -1] ?? null),
    ]),
  );

/** A sum beyond the doubles has no JSON form. -0 counts as 0. */
const measuredValue = ({ aggregation }: Widget, measured: DuckDBValue): number | null => {
  if (measured === null) return aggregation === 'Count' ? 0 : null;
  const value = Number(measured) + 0;
  return Number.isFinite(value) ? value : null;
};
