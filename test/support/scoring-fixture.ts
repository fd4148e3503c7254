import { join } from 'node:path';
import { traceStream } from '../../command-api/facts/traces.js';
import { scorerSettingsStream } from '../../command-api/facts/scorer-settings.js';
import { scorerStream } from '../../command-api/facts/scorers.js';
import { runStream } from '../../command-api/facts/runs.js';
import type { BackfillTraces } from '../../command-api/run-scoring/backfill-runner.js';
import { streamNames } from '../../command-api/work/stream-names.js';
import type { PastScoringRequested } from '../../events/past-scoring.js';
import type { EventLog } from '../../kernel/ports.js';
import {
  startRunScoringWorker,
  type RunScoringNeeds,
} from '../../command-api/run-scoring/worker.js';
import { openMemoryLeases } from '../../engines/memory/leases.js';
import { systemClock } from '../../engines/node/clock.js';
import { diskFiles } from '../../engines/node/files.js';
import { openOverlapComputer } from '../../engines/overlaps/overlap-computer.js';
import { randomIds } from '../../engines/node/ids.js';
import type { TraceEvent } from '../../events/traces.js';
import type { SandboxLimits } from '../../kernel/sandbox.js';
import type { ProjectId, RunId, ScorerId, TraceId } from '../../kernel/schema-types.js';
import { instantAfter, testLog, type TestLog } from './test-log.js';
import { organization, projectId, userId } from './access-events.js';
import { sandboxOf, sharedSandbox } from './sandboxes.js';
import { pollUntil } from './poll-until.js';

type Scores = Readonly<Record<string, number | boolean | string | null>>;

export type ScoringFixture = TestLog & {
  /** A scorer of that name with one version, of the whole trace. */
  readonly scorer: (
    name: string,
    source: string,
    required?: readonly string[],
  ) => Promise<ScorerId>;
  /** A log stream of that project with those scorers. */
  readonly run: (project: number, scorers: readonly ScorerId[]) => Promise<RunId>;
  /** A complete trace of the run with that output. */
  readonly trace: (project: number, run: RunId, output: string) => Promise<TraceId>;
  /** The same for many traces at once. */
  readonly traces: (
    project: number,
    run: RunId,
    outputs: readonly string[],
  ) => Promise<readonly TraceId[]>;
  /** Scores of the trace itself, the newest of each name. */
  readonly scoresOf: (project: number, trace: TraceId) => Promise<Scores>;
  /** Resolves once the trace has a score, or an error, of that scorer. */
  readonly untilScored: (project: number, trace: TraceId, scorer: string) => Promise<Scores>;
  /** Starts the worker; more than one at a time is allowed. */
  readonly startWorker: (more?: Partial<RunScoringNeeds>) => { readonly stop: () => Promise<void> };
  readonly errors: readonly unknown[];
};

/**
 * Runs with scorers in a log, and the worker that scores their traces, in the sandbox of the file
 * unless `limits` are given.
 */
export const openScoringFixture = async (
  limits: Partial<SandboxLimits> | null = null,
  world?: TestLog,
): Promise<ScoringFixture> => {
  const known = world ?? (await testLog());
  const { log, dir, append } = known;
  const sandbox = limits === null ? sharedSandbox() : sandboxOf('strict', limits);
  const overlaps = openOverlapComputer();
  const leases = openMemoryLeases(systemClock);
  const troubles: unknown[] = [];
  const workers: { readonly stop: () => Promise<void> }[] = [];
  const scoresOf = async (project: number, trace: TraceId): Promise<Scores> =>
    (await log.read(traceStream(projectId(project), trace))).reduce<Scores>((scores, event) => {
      const { type, data } = event as unknown as TraceEvent;
      return type === 'ScoresRecorded' && data.record_id === trace
        ? { ...scores, ...data.scores }
        : scores;
    }, {});
  return {
    ...known,
    errors: troubles,
    scoresOf,
    scorer: async (name, source, required = []) => {
      const id = randomIds.next('ScorerId');
      const by = { created_by: userId(1), created_at: instantAfter(0) };
      const details = {
        label: name,
        description: '',
        tags: [],
        scoreable_node_types: null,
        required_scorers: required,
        output_type: null,
        roll_up_method: null,
        threshold: null,
      };
      const version = {
        scorer_id: id,
        version_id: randomIds.next('ScorerVersionId'),
        version: 1,
        source,
        sha256: 'ab',
        score_type: 'str',
        scoreable_node_types: ['trace'],
        chain_aggregation: null,
        ...by,
      };
      await append(
        scorerStream(id),
        {
          type: 'ScorerCreated',
          data: { scorer_id: id, organization_id: organization, name, details, ...by },
        },
        { type: 'ScorerVersionAdded', data: version },
      );
      return id;
    },
    run: async (project, scorers) => {
      const run = randomIds.next('RunId');
      const place = { project_id: projectId(project), run_id: run };
      const by = { created_by: userId(1), created_at: instantAfter(0) };
      await append(runStream(run), {
        type: 'LogStreamCreated',
        data: { ...place, organization_id: organization, name: run, ...by },
      });
      const chosen = scorers.map((id) => ({
        id,
        name: '',
        scorer_type: 'code',
        scoreable_node_types: ['trace'],
      }));
      await append(scorerSettingsStream(run), {
        type: 'ScorerSettingsChanged',
        data: { ...place, scorers: chosen },
      });
      return run;
    },
    trace: async (project, run, output) => {
      const trace = randomIds.next('TraceId');
      await append(
        traceStream(projectId(project), trace),
        traceLogged(projectId(project), run, trace, output),
      );
      return trace;
    },
    traces: async (project, run, outputs) => {
      const all = outputs.map((output) => ({ output, trace: randomIds.next('TraceId') }));
      await known.appendFirst(
        all.map(({ output, trace }) => [
          traceStream(projectId(project), trace),
          traceLogged(projectId(project), run, trace, output),
        ]),
      );
      return all.map(({ trace }) => trace);
    },
    untilScored: async (project, trace, scorer) => {
      let found: Scores = {};
      await pollUntil(`a score of ${scorer}`, 45_000, async () => {
        found = await scoresOf(project, trace);
        return scorer in found;
      });
      return found;
    },
    startWorker: (more = {}) => {
      const worker = startRunScoringWorker({
        log,
        clock: systemClock,
        ids: randomIds,
        leases,
        sandbox,
        overlaps,
        files: diskFiles,
        path: join(dir, 'bookmark'),
        worker: 'one',
        atOnce: 2,
        backfillTraces: recordsFromLog(log),
        onError: (error) => troubles.push(error),
        ...more,
      });
      workers.push(worker);
      return worker;
    },
    close: async () => {
      await Promise.all(workers.map((one) => one.stop()));
      if (limits !== null) await sandbox.close();
      await overlaps.close();
      await leases.close();
      await known.close();
    },
  };
};

/** Traces of a run as the log has them, by id. */
export const recordsFromLog = (log: EventLog): BackfillTraces => {
  const all = async ({ project_id: project, run_id: run }: PastScoringRequested) => {
    const ids: TraceId[] = [];
    const prefix = `trace-${project}-`;
    for await (const name of streamNames(log, prefix)) {
      const [first] = await log.read(name, { limit: 1 });
      const { data } = first as unknown as Extract<TraceEvent, { type: 'TraceLogged' }>;
      if (data.run_id === run) ids.push(data.trace_id);
    }
    return ids;
  };
  return {
    count: async (asked) => (await all(asked)).length,
    page: async (asked, from, limit) => {
      const left = (await all(asked)).filter((id) => from === null || id > from);
      const traces = left.slice(0, limit);
      return { traces, next: left.length > limit ? (traces.at(-1) ?? null) : null };
    },
  };
};

export const traceLogged = (
  project: ProjectId,
  run: RunId,
  trace: TraceId,
  output: string,
): TraceEvent => ({
  type: 'TraceLogged',
  data: {
    project_id: project,
    run_id: run,
    run_kind: 'log_stream',
    trace_id: trace,
    session_id: null,
    is_complete: true,
    logging_method: 'api_direct',
    trace: { type: 'trace', id: trace, created_at: instantAfter(0), input: 'q', output },
    spans: [],
  },
});
