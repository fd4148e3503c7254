import type { DuckDBUUIDValue, DuckDBValue } from '@duckdb/node-api';
import type { RunCounts } from '../../kernel/records/measures.js';
import type { QueryContext } from '../../kernel/ports.js';
import type { Statements } from './connections.js';
import type { RecordsModel } from './model.js';
import { isUuid, sessionsMarker } from './schema.js';
import { uuidConstant } from './sql.js';

/** Condition on rows `r` of these runs of the project (null = of all); null: there are none. */
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

/** As `Records.runCounts`. */
export const runCounts = (
  model: RecordsModel,
  project: string,
  runs: readonly string[],
  asking: QueryContext = {},
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
  }, asking);
const noCounts: RunCounts = { traces: 0, spans: 0, sessions: 0 };

/** Sessions by run. Where there never was one, none is looked for. */
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
