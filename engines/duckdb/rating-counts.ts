import type { DuckDBUUIDValue } from '@duckdb/node-api';
import {
  byRunAndTemplate,
  splitRatingKey,
  type RatingCounts,
} from '../../kernel/records/feedback.js';
import type { QueryContext } from '../../kernel/ports.js';
import type { RecordsModel } from './model.js';
import { isUuid } from './schema.js';
import { uuidConstant } from './sql.js';

type MutableCounts = RatingCounts & {
  traces: number;
  ratings: number;
  readonly values: Record<string, number>;
};

/**
 * `countRatings` of kernel/records/feedback.ts in SQL; a trace without ratings costs a null check.
 */
export const ratingCounts = (
  model: RecordsModel,
  project: string,
  runs: readonly string[] | null,
  context: QueryContext = {},
): Promise<readonly RatingCounts[]> =>
  model.connections.scan(async ({ rows }) => {
    const number = model.projects.get(project);
    const known = runs?.filter(isUuid) ?? [];
    if (number === undefined || (runs !== null && known.length === 0)) return [];
    const ofRuns = runs === null ? '' : `AND run_id IN (${known.map(uuidConstant).join(', ')})`;
    const rated = `FROM traces WHERE project = ${number} ${ofRuns} AND annotators IS NOT NULL`;
    const tallies = new Map<string, MutableCounts>();
    const pairs = await rows(
      `SELECT run_id, template, count(*), count(DISTINCT key) FROM (
         SELECT run_id, key, left(unnest(annotators), 36) AS template ${rated}
       ) GROUP BY run_id, template`,
    );
    for (const [id, template, given, traces] of pairs) {
      const run = (id as DuckDBUUIDValue).toString();
      tallies.set(`${run}/${String(template)}`, {
        run,
        template: String(template),
        traces: Number(traces),
        ratings: Number(given),
        values: {},
      });
    }
    const values = await rows(
      `SELECT run_id, rating, count(*) FROM (
         SELECT run_id, unnest(ratings) AS rating ${rated}
       ) GROUP BY run_id, rating`,
    );
    for (const [id, rating, times] of values) {
      const [template, value] = splitRatingKey(String(rating));
      const tally = tallies.get(`${(id as DuckDBUUIDValue).toString()}/${template}`);
      if (tally === undefined) continue;
      // A tag may be called `__proto__`.
      Object.defineProperty(tally.values, value, {
        value: Number(times),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    return [...tallies.values()].sort(byRunAndTemplate);
  }, context);
