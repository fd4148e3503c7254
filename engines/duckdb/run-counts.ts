import type { DuckDBUUIDValue, DuckDBValue } from '@duckdb/node-api';
import type { RunCounts } from '../../kernel/records/measures.js';
import type { QueryContext } from '../../kernel/ports.js';
import type { Statements } from './connections.js';
import type { RecordsModel } from './model.js';
import { isUuid, sessionsMarker } from './schema.js';
import { uuidConstant } from './sql.js';

/** Condition on rows `r` of these runs (null = all of the project); null if it matches nothing. */
export const runsCondition = (
  model: Pick<RecordsModel, 'projects'>,
  project: string,
  runs: readonly string[] | null,
): string | null => {
  const number = model.projects.get(project);
  if (number === undefined) return null;
  if (runs === null) return `r.project = ${number}`;
  const known = runs.filter(isUuid);
  return known.length === 0
    ? null
    : `r.project = ${number} AND r.run_id IN (${known.map(uuidConstant).join(', ')})`;
};

/** Implements `Records.runCounts`. */
export const runCounts = (
  model: RecordsModel,
  project: string,
  runs: readonly string[],
  context: QueryContext = {},
): Promise<ReadonlyMap<string, RunCounts>> =>
  model.connections.scan(async (statements) => {
    const where = runsCondition(model, project, runs);
    const counts = new Map<string, RunCounts>(runs.map((run) => [run, noCounts]));
    if (where === null) return counts;
    const found = await statements.rows(
      `SELECT r.run_id, count(*), sum(r.span_count) FROM traces r WHERE ${where} GROUP BY r.run_id`,
    );
    for (const [run, traces, spans] of found) {
      counts.set(runIdOf(run), { traces: Number(traces), spans: Number(spans), sessions: 0 });
    }
    for (const [run, sessions] of await sessionCounts(model, statements, where)) {
      counts.set(run, { ...(counts.get(run) ?? noCounts), sessions });
    }
    return counts;
  }, context);
const noCounts: RunCounts = { traces: 0, spans: 0, sessions: 0 };

/** Sessions by run; no query until the first session. */
export const sessionCounts = async (
  model: Pick<RecordsModel, 'markers'>,
  { rows }: Statements,
  where: string,
): Promise<readonly (readonly [run: string, sessions: number])[]> => {
  if (!model.markers.has(sessionsMarker)) return [];
  const counted = await rows(
    `SELECT r.run_id, count(*) FROM sessions r WHERE ${where} GROUP BY r.run_id`,
  );
  return counted.map(([run, sessions]) => [runIdOf(run), Number(sessions)]);
};

export const runIdOf = (run: DuckDBValue | undefined): string =>
  (run as DuckDBUUIDValue).toString();
