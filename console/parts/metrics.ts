import { registryMetricByName } from '../../kernel/records/columns.js';
import { printCost, printCount, printDuration, printScore, printShare } from './numbers.js';

/** Display name of a metric: that of the registry (contract 3.4), else the name itself. */
export const metricLabel = (name: string): string => {
  const bare = name.replace(/^metrics\//, '');
  return registryMetricByName.get(bare)?.label ?? bare;
};

/** True for a metric of the registry that is there for older applications only. */
export const isDeprecatedMetric = (name: string): boolean =>
  metricLabel(name).endsWith('(deprecated)');

/**
 * A value of a metric in its unit: dollars, a duration, a count of tokens, else a score; `isShare`:
 * a mean of true and false.
 */
export const printMetric = (name: string, value: number, isShare: boolean): string => {
  if (isShare) return printShare(value);
  if (/(?:^|_)cost$/.test(name)) return printCost(value);
  if (name.endsWith('_ns')) return printDuration(value);
  return registryMetricByName.get(name)?.type === 'integer' ? printCount(value) : printScore(value);
};

/** True for times, tokens and costs, which every application has. */
export const isSystemMetric = (name: string): boolean =>
  registryMetricByName.get(name)?.group === 'System Metrics';
