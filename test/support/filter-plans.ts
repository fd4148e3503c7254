import { expect } from 'chai';
import type { MetricType, Population } from '../../kernel/records/record.js';
import type { Json } from '../../kernel/schema-types.js';
import { planFilter } from '../../query-api/filters/plan.js';

export const planOfFilter = (
  tree: Json,
  population: Population = 'trace',
  types: Readonly<Record<string, MetricType>> = {},
) => planFilter({ filter_tree: tree }, { population, types: new Map(Object.entries(types)) });
export const leaf = (members: Readonly<Record<string, Json>>): Json => ({ filter: members });
export const text = (members: Readonly<Record<string, Json>> = {}): Json =>
  leaf({ type: 'text', name: 'input', operator: 'eq', value: 'x', ...members });
export const filterPath = (...rest: readonly string[]) => ['body', 'filter_tree', ...rest];

export const acceptedPlan = (
  tree: Json,
  population?: Population,
  types?: Record<string, MetricType>,
) => {
  const { filter, complaints } = planOfFilter(tree, population, types);
  expect(complaints).to.deep.equal([]);
  return expect(filter);
};
export const refusedPlan = (
  tree: Json,
  population?: Population,
  types?: Record<string, MetricType>,
) => {
  const { filter, complaints } = planOfFilter(tree, population, types);
  expect(filter).to.equal(null);
  expect(complaints).to.have.length(1);
  return expect(complaints[0]);
};
export const valueError = (loc: readonly string[], sentence: string) => ({
  loc,
  msg: `Value error, ${sentence}`,
  type: 'value_error',
});
