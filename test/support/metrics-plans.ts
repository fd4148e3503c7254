import { expect } from 'chai';
import type { CustomSearch } from '../../contract/metrics.js';
import type { Aggregation } from '../../kernel/records/query-plans.js';
import type { MetricType } from '../../kernel/records/record.js';
import type { Instant, Json } from '../../kernel/schema-types.js';
import { planMetrics, type MetricsPlan } from '../../query-api/metrics/plan.js';

export const from = '2026-03-01T00:00:00.000000Z' as Instant;
export const to = '2026-03-02T00:00:00.000000Z' as Instant;
export const request = (members: Partial<CustomSearch> = {}): CustomSearch => ({
  start_time: from,
  end_time: to,
  metric_details: [],
  ...members,
});
export const types = (known: Readonly<Record<string, MetricType>> = {}) =>
  new Map(Object.entries(known));
export const textLeaf = (name: string): Json => ({
  filter: { type: 'text', name, operator: 'eq', value: 'x' },
});
export const widget = (id: string, metric_name: string, aggregation: Aggregation) => ({
  id,
  metric_name,
  aggregation,
});

export const planOf = (
  members: Partial<CustomSearch>,
  known: Readonly<Record<string, MetricType>> = {},
): MetricsPlan => {
  const { plan, complaints } = planMetrics(request(members), types(known));
  expect(complaints).to.deep.equal([]);
  expect(plan).to.not.equal(null);
  return plan as MetricsPlan;
};
export const refusalOf = (
  members: Partial<CustomSearch>,
  known: Readonly<Record<string, MetricType>> = {},
) => {
  const { plan, complaints } = planMetrics(request(members), types(known));
  expect(plan).to.equal(null);
  expect(complaints).to.have.length(1);
  return expect(complaints[0]);
};
export const valueError = (loc: readonly string[], sentence: string) => ({
  loc: ['body', ...loc],
  msg: `Value error, ${sentence}`,
  type: 'value_error',
});
