import type { Nouns } from './generated/all.js';
import { metricFault } from './logger/values.js';

export type MetricValue = number | boolean | string;
type MetricKind = 'number' | 'boolean' | 'text';

type ConvertedValue =
  { readonly value: MetricValue; readonly fault: null } | { readonly fault: string };

export type MetricTypes = {
  /**
   * The value in the metric's type: a boolean as 1 or 0, and 0 and 1 as a boolean. Other values,
   * and numbers that are not finite, give a fault that says what to do.
   */
  readonly convert: (metric: string, value: MetricValue) => ConvertedValue;
  /** Number of converted values, by metric. */
  readonly converted: Readonly<Record<string, number>>;
};

/**
 * The type of each metric: that of the project, else that of the first value seen here. The service
 * gives a metric of a project the type of its first value; values of another type are in no filter,
 * aggregate or comparison (contract 3.4), so none is sent.
 */
export const openMetricTypes = (known: ReadonlyMap<string, MetricKind>): MetricTypes => {
  const types = new Map(known);
  const converted: Record<string, number> = {};
  const convert = (metric: string, value: MetricValue): ConvertedValue => {
    converted[metric] = (converted[metric] ?? 0) + 1;
    return { value, fault: null };
  };
  return {
    converted,
    convert: (metric, value) => {
      const fault = metricFault(value);
      if (fault !== null) return { fault };
      const kind = typeof value === 'string' ? 'text' : (typeof value as 'number' | 'boolean');
      const wanted = types.get(metric) ?? kind;
      types.set(metric, wanted);
      if (kind === wanted) return { value, fault };
      if (wanted === 'number' && kind === 'boolean') return convert(metric, Number(value));
      if (wanted === 'boolean' && (value === 0 || value === 1)) return convert(metric, value === 1);
      const form = wanted === 'boolean' ? ', 0 or 1' : '';
      return {
        fault:
          `${JSON.stringify(value).slice(0, 80)} is a ${kind}, and the first value of ` +
          `"${metric}" in the project was a ${wanted}. Return a ${wanted}${form}, or name the ` +
          'metric differently',
      };
    },
  };
};

/** Types of the project's metrics. */
export const metricTypes = async ({
  traces,
}: Pick<Nouns, 'traces'>): Promise<ReadonlyMap<string, MetricKind>> => {
  const { columns } = await traces.columns();
  const ofMetrics = columns.filter(({ category }) => category === 'metric');
  return new Map(
    ofMetrics.map(({ id, filter_type }) => [
      id.slice(id.indexOf('/') + 1),
      filter_type as MetricKind,
    ]),
  );
};
