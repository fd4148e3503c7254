import { measuredMetrics, type AggregatePlan } from '../../kernel/records/query-plans.js';
import type { MetricError } from '../../kernel/records/record.js';
import { encodeMember } from './member-names.js';
import { scopeMatch } from './record-match.js';
import { queryTimeoutMs } from './record-search.js';
import type { Snapshot } from './snapshot.js';
import { comparedPrefix } from './text-match.js';

/**
 * Errors of the requested metrics, on the records considered and on the spans of considered traces:
 * one per code, with the least message in code point order. Sorted by code.
 */
export const metricErrors = async (
  { rows, visible }: Snapshot,
  plan: AggregatePlan,
): Promise<readonly MetricError[]> => {
  const members = [
    ...new Set(measuredMetrics(plan.widgets).map((metric) => `errors.${encodeMember(metric)}`)),
  ];
  if (members.length === 0) return [];
  const considered = scopeMatch(plan, visible);
  const withTraces = {
    from: rows.collectionName,
    localField: '_id.group',
    foreignField: 'group',
    as: 'trace',
    pipeline: [{ $match: considered }, { $limit: 1 }, { $project: { _id: 1 } }],
  };
  const ofTraces = plan.population === 'trace';
  const match = ofTraces
    ? { $and: [{ project: { $eq: plan.project }, failed: true }, visible] }
    : { $and: [{ failed: true }, considered] };
  const found = await rows
    .aggregate(
      [
        { $match: match },
        { $project: { _id: 0, group: 1, error: members.map((member) => `$${member}`) } },
        { $unwind: '$error' },
        { $match: { 'error.code': { $exists: true } } },
        {
          $group: {
            _id: { code: '$error.code', ...(ofTraces ? { group: '$group' } : {}) },
            message: { $min: comparedPrefix('error.message') },
          },
        },
        ...(ofTraces
          ? [{ $lookup: withTraces }, { $match: { 'trace.0': { $exists: true } } }]
          : []),
        { $group: { _id: '$_id.code', message: { $min: '$message' } } },
        { $sort: { _id: 1 } },
      ],
      { hint: 'failed', maxTimeMS: queryTimeoutMs, allowDiskUse: true },
    )
    .toArray();
  return found.map(({ _id, message }) => ({
    code: Number(_id),
    message: typeof message === 'string' ? message : null,
  }));
};
