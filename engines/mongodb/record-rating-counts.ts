import type { Document } from 'mongodb';
import {
  byRunAndTemplate,
  splitRatingKey,
  type RatingCounts,
} from '../../kernel/records/feedback.js';
import { queryTimeoutMs } from './record-search.js';
import type { Snapshot } from './snapshot.js';

/**
 * `countRatings` of kernel/records/feedback.ts as a pipeline; the index skips traces without
 * ratings.
 */
export const ratingCounts = async (
  { rows, visible }: Snapshot,
  project: string,
  runs: readonly string[] | null,
): Promise<readonly RatingCounts[]> => {
  const ofRuns = runs === null ? {} : { run: { $in: [...runs] } };
  const rated = { project: { $eq: project }, ...ofRuns, rated: true };
  const query = (stages: readonly Document[]): Promise<Document[]> =>
    rows
      .aggregate([{ $match: { $and: [rated, visible] } }, ...stages], {
        hint: 'rated',
        maxTimeMS: queryTimeoutMs,
        allowDiskUse: true,
      })
      .toArray();
  const [pairs, values] = await Promise.all([
    query([
      { $unwind: '$annotators' },
      { $group: { _id: { run: '$run', pair: '$annotators', trace: '$group' } } },
      // A template's id has 36 characters.
      { $set: { template: { $substrCP: ['$_id.pair', 0, 36] } } },
      {
        $group: {
          _id: { run: '$_id.run', template: '$template', trace: '$_id.trace' },
          ratings: { $sum: 1 },
        },
      },
      {
        $group: {
          _id: { run: '$_id.run', template: '$_id.template' },
          traces: { $sum: 1 },
          ratings: { $sum: '$ratings' },
        },
      },
    ]),
    query([
      { $unwind: '$ratings' },
      { $group: { _id: { run: '$run', rating: '$ratings' }, times: { $sum: 1 } } },
    ]),
  ]);
  const times = new Map<string, [string, number][]>();
  for (const { _id, times: often } of values) {
    const { run, rating } = _id as { readonly run: string; readonly rating: string };
    const [template, value] = splitRatingKey(rating);
    const key = `${run}/${template}`;
    times.set(key, [...(times.get(key) ?? []), [value, Number(often)]]);
  }
  return pairs
    .map((pair): RatingCounts => {
      const { run, template } = pair['_id'] as { readonly run: string; readonly template: string };
      return {
        run,
        template,
        traces: Number(pair['traces']),
        ratings: Number(pair['ratings']),
        // A tag may be called `__proto__`.
        values: Object.fromEntries(times.get(`${run}/${template}`) ?? []),
      };
    })
    .sort(byRunAndTemplate);
};
