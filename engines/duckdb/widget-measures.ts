import type { DuckDBValue } from '@duckdb/node-api';
import type {
  AggregateCell,
  Aggregation,
  Widget,
  WidgetResult,
} from '../../kernel/records/query-plans.js';
import type { RecordSource } from './record-source.js';

/**
 * SQL of the widgets: `values` are columns `v0…` of the rows, `measures` aggregate expressions over
 * them. Equal widgets share both.
 */
export type WidgetMeasures = {
  readonly values: readonly string[];
  readonly measures: readonly string[];
  /**
   * Index in `measures` by widget; null where the value does not depend on rows, or is counted by
   * category or bin.
   */
  readonly places: readonly (number | null)[];
};

export const isCategorical = ({ type }: Widget): boolean =>
  type === 'text' || type === 'string_list';

/** True for a histogram of a metric that has a type, and so may have values. */
export const isHistogram = ({ aggregation, type }: Widget): boolean =>
  aggregation === 'Histogram' && type !== null;

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
    if (widget.type === null || isCategorical(widget) || isHistogram(widget)) return null;
    const value = `v${placeIn(values, source.measuredValue(widget))}`;
    return placeIn(measures, measureOf(widget, value));
  });
  return { values, measures, places };
};

type Measures<A extends Aggregation> = Readonly<Record<A, (value: string) => string>>;
type OfBooleans = 'PercentageTrue' | 'PercentageFalse';
const numeric: Measures<Exclude<Aggregation, OfBooleans | 'Count' | 'Histogram'>> = {
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
const boolean: Measures<OfBooleans> = {
  PercentageTrue: (value) => `avg(CAST(${value} AS INTEGER))`,
  PercentageFalse: (value) => `avg(CAST(NOT ${value} AS INTEGER))`,
};

const measureOf = ({ aggregation, type }: Widget, value: string): string => {
  if (aggregation === 'Count') return `count(${value})`;
  const of: Partial<Measures<Aggregation>> = type === 'boolean' ? boolean : numeric;
  const known = of[aggregation];
  if (known === undefined) throw new TypeError(`${aggregation} does not fit ${String(type)}`);
  return known(value);
};

/**
 * Values of one cell's widgets: `measured` are the results of `measures`; `countedValue` has those
 * that are counted by category or bin, undefined for others.
 */
export const widgetValues = (
  widgets: readonly Widget[],
  { places }: WidgetMeasures,
  measured: readonly DuckDBValue[],
  countedValue: (widget: Widget) => WidgetResult | undefined,
): AggregateCell['widgets'] =>
  Object.fromEntries(
    widgets.map((widget, at) => {
      const counted = countedValue(widget);
      const value = counted === undefined ? measured[places[at] ?? -1] : null;
      return [widget.id, counted === undefined ? measuredValue(widget, value ?? null) : counted];
    }),
  );

/** A sum beyond the doubles has no JSON form. -0 counts as 0. */
const measuredValue = ({ aggregation }: Widget, measured: DuckDBValue): number | null => {
  if (measured === null) return aggregation === 'Count' ? 0 : null;
  const value = Number(measured) + 0;
  return Number.isFinite(value) ? value : null;
};
