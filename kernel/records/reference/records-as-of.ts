import { overridePort } from '../../map-methods.js';
import { registryType } from '../column-value.js';
import { countRatings } from '../feedback.js';
import type { RecordRow } from '../record.js';
import type { RecordQueries } from '../record-queries.js';
import { aggregate } from './aggregate.js';
import { runAverages, runMeasures } from './run-measures.js';

/**
 * Answers queries about experiments from these rows: all traces and sessions of a project's
 * experiments, by run. Metric types come from the live records, since a type is set by the first
 * value in the project; all other queries go to the live records too.
 */
export const recordsAsOf = (
  live: RecordQueries,
  rowsOf: ReadonlyMap<string, readonly RecordRow[]>,
): RecordQueries => {
  const all = [...rowsOf.values()].flat();
  const recorded = new Set(all.flatMap(({ metrics }) => Object.keys(metrics)));
  const rowsIn = (runs: readonly string[] | null): readonly RecordRow[] =>
    runs === null ? all : runs.flatMap((run) => rowsOf.get(run) ?? []);
  const metricTypes: RecordQueries['metricTypes'] = (project, names) =>
    live.metricTypes(
      project,
      names.filter((name) => recorded.has(name)),
    );
  return overridePort(live, {
    metricTypes,
    aggregate: async (plan) => aggregate(plan, all),
    ratings: async (_project, runs) => countRatings(rowsIn(runs).filter(isTrace)),
    runAverages: async (_project, metrics, runs) => runAverages(rowsIn(runs), metrics),
    runMeasures: async (project, runs) => {
      const own = [...recorded].filter((name) => registryType(name) === null);
      const types = own.length === 0 ? new Map() : await metricTypes(project, own);
      return new Map(
        runs.flatMap((run) => {
          const rows = rowsOf.get(run) ?? [];
          return rows.length === 0 ? [] : [[run, runMeasures(rows, types)] as const];
        }),
      );
    },
    changedRuns: async () => ({ token: '', runs: null }),
  });
};

const isTrace = ({ kind }: RecordRow): boolean => kind === 'trace';
