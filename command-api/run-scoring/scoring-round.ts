import type { RunScorer } from '../../contract/scorer-settings.js';
import { Fault } from '../../kernel/fault.js';
import type { Clock, EventLog, Ids, StreamName } from '../../kernel/ports.js';
import type { OverlapComputer } from '../../kernel/records/overlap-metrics.js';
import type { ScorerStep } from '../../kernel/sandbox.js';
import type { JobId, Json, ProjectId, RunId } from '../../kernel/schema-types.js';
import { loadStreamState } from '../../kernel/transact.js';
import { runs, runStream } from '../facts/runs.js';
import type { openScorerRunner } from './scorer-runner.js';
import type { ScoringBudgets } from './budgets.js';
import type { RoundJobs } from './job-events.js';
import type { NewestScorer } from './scorer-cache.js';
import { recordScores } from './score-recording.js';
import {
  activeScorer,
  topologicalOrder,
  openFreshScores,
  missingOverlaps,
  isPassedSpans,
  stepOf,
  targetsOf,
  type ActiveScorer,
  type ScoringTarget,
  type ScorerWork,
} from './scorer-steps.js';
import { openSpanTexts } from './span-texts.js';
import { scoredTrace, textLength, type ScoredTrace } from './scored-trace.js';

export type ScoringRoundNeeds = {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'derive'>;
  readonly budgets: ScoringBudgets;
  readonly overlaps: OverlapComputer;
  readonly newest: NewestScorer;
  readonly judge: ReturnType<typeof openScorerRunner>;
  /** Reports a trace that could not be read; it is retried. */
  readonly onError: (error: unknown) => void;
};

/** Plan of a round: which scorers score which records of its traces. */
export type ScoringRoundPlan = {
  /** Id of the backfill job; null: changes are scored. */
  readonly jobId: JobId | null;
  readonly activeScorers: (trace: ScoredTrace) => Promise<readonly ActiveScorer[]>;
  readonly targetsOf: (trace: ScoredTrace, active: ActiveScorer) => readonly ScoringTarget[];
  readonly jobs: RoundJobs;
  /** Checked before each process. */
  readonly mayContinue: () => boolean;
};

/** Plan for changed traces: the scorers of their runs' settings, with a job per run. */
export const changesPlan = (
  needs: ScoringRoundNeeds,
  settings: ReadonlyMap<RunId, readonly RunScorer[]>,
  jobs: RoundJobs,
): ScoringRoundPlan => {
  const byRun = new Map<RunId, Promise<readonly ActiveScorer[]>>();
  return {
    jobId: null,
    activeScorers: (trace) => {
      const active = byRun.get(trace.runId) ?? activeScorersOf(needs, settings, trace.runId);
      byRun.set(trace.runId, active);
      return active;
    },
    targetsOf,
    jobs,
    mayContinue: () => true,
  };
};

/** Streams to queue again: `first` were not reached, `last` have to wait. */
type RoundResult = {
  readonly first: ReadonlySet<StreamName>;
  readonly last: ReadonlySet<StreamName>;
  /** True if there was work and all of it failed. */
  readonly isIdle: boolean;
  /** Number of records scored. */
  readonly scored: number;
  /** True if traces were not read because the log was unavailable. */
  readonly isLogUnavailable: boolean;
};

/**
 * Budget of loaded traces in characters: one trace may be 64 MiB (contract 1.11), several together
 * no more.
 */
const loadedTextMax = 16 * 1_024 * 1_024;

/**
 * Runs one round of a project: its scorers score some of its traces, within the time of a round.
 * Its state is derived from the log, so remaining records are found again, and scored ones are not
 * repeated.
 */
export const runScoringRound = async (
  needs: ScoringRoundNeeds,
  plan: ScoringRoundPlan,
  project: ProjectId,
  streams: readonly StreamName[],
  signal: AbortSignal,
): Promise<RoundResult> => {
  const { clock, budgets, judge } = needs;
  const begun = clock.milliseconds();
  const { read, first, last, isAway } = await loadTraces(needs, streams);
  const unread = first.union(last);
  const failed = last.size;
  const { jobs, jobId } = plan;
  const work = topologicalOrder(await scorerWork(plan, [...read.values()]));
  await jobs.begin();
  const open = new Set<ScoredTrace>();
  const changing = new Set<ScoredTrace>();
  const found = openFreshScores();
  const spansOf = openSpanTexts();
  let [processes, records, scored] = [0, 0, 0];
  // The first process of a round always runs.
  const mayContinue = (): boolean =>
    plan.mayContinue() && ((processes += 1) === 1 || clock.milliseconds() - begun < budgets.turnMs);
  const stepAt = async (target: ScoringTarget, active: ActiveScorer): Promise<ScorerStep> => {
    const known: Record<string, Json> = { ...found.of(target) };
    for (const { name, output, reference } of missingOverlaps(target, active, known)) {
      const value = await needs.overlaps.compute(name, output, reference, project);
      if (value !== null) known[name] = value;
    }
    const spans = isPassedSpans(active, target) ? await spansOf(target.trace) : null;
    return stepOf(target, active, known, spans);
  };
  const runScorer = ({ active, targets }: ScorerWork): Promise<readonly number[]> =>
    judge(
      {
        key: `${project} ${keyOf(active)}`,
        whose: project,
        source: active.source,
        count: targets.length,
        stepAt: (place) => stepAt(itemAt(targets, place), active),
        onResults: async (made) => {
          const some = [...made.keys()].map((place) => itemAt(targets, place));
          const all = [...made.values()];
          records += some.length;
          scored += all.filter((one) => !('code' in one)).length;
          const { recorded, changed } = await recordScores(needs, active, some, all, jobId);
          for (const trace of changed) changing.add(trace);
          found.note(active, some, all);
          some.forEach((target, place) => {
            if (recorded.has(target)) jobs.recordOutcome(target, active, itemAt(all, place));
            else if (!changed.has(target.trace)) jobs.recordOutcome(target, active, null);
          });
        },
        mayContinue: mayContinue,
      },
      signal,
    );
  for (const one of work) {
    // A scorer that requires another waits until that one is complete.
    const left = open.size > 0 ? one.targets.keys() : await runScorer(one);
    for (const place of left) open.add(itemAt(one.targets, place).trace);
  }
  await jobs.finish([...open, ...changing], unread);
  for (const [stream, trace] of read) {
    if (open.has(trace)) first.add(stream);
    else if (changing.has(trace)) last.add(stream);
  }
  const isIdle = (open.size > 0 || failed > 0) && records === 0;
  return { first, last, isIdle, scored, isLogUnavailable: isAway };
};

const itemAt = <T>(items: readonly T[], place: number): T => {
  const item = items[place];
  if (item === undefined) throw new RangeError(`no record at ${place}`);
  return item;
};

type LoadedTraces = {
  readonly read: ReadonlyMap<StreamName, ScoredTrace>;
  readonly first: Set<StreamName>;
  readonly last: Set<StreamName>;
  readonly isAway: boolean;
};

/** Loads traces sequentially, up to the memory budget; the others stay queued. */
const loadTraces = async (
  { log, onError }: ScoringRoundNeeds,
  streams: readonly StreamName[],
): Promise<LoadedTraces> => {
  const read = new Map<StreamName, ScoredTrace>();
  const [first, last] = [new Set<StreamName>(), new Set<StreamName>()];
  let text = 0;
  let isAway = false;
  for (const stream of streams) {
    if (text > loadedTextMax) first.add(stream);
    else {
      const trace = await log.read(stream).then(
        (events) => scoredTrace(events),
        (error: unknown) => {
          onError(error);
          isAway ||= error instanceof Fault && error.code === 'unavailable';
          last.add(stream);
          return null;
        },
      );
      if (trace !== null) {
        read.set(stream, trace);
        text += textLength(trace);
      }
    }
  }
  return { read, first, last, isAway };
};

const scorerWork = async (
  { activeScorers: scorersFor, targetsOf: targetsIn, jobs }: ScoringRoundPlan,
  traces: readonly ScoredTrace[],
): Promise<readonly ScorerWork[]> => {
  const work = new Map<string, ScorerWork>();
  for (const trace of traces) {
    for (const active of await scorersFor(trace)) {
      const known = work.get(keyOf(active)) ?? { active, targets: [] };
      work.set(keyOf(active), known);
      const targets = targetsIn(trace, active);
      for (const target of targets) known.targets.push(target);
      await jobs.addWaiting(trace, active, targets);
    }
  }
  return [...work.values()];
};

const keyOf = ({ scorer }: ActiveScorer): string => `${scorer.id} ${scorer.versions.length}`;

/** The active scorers of a live run; empty for others. */
const activeScorersOf = async (
  { log, newest }: ScoringRoundNeeds,
  settings: ReadonlyMap<RunId, readonly RunScorer[]>,
  id: RunId,
): Promise<readonly ActiveScorer[]> => {
  const chosen = settings.get(id);
  if (chosen === undefined) return [];
  const { state: run } = await loadStreamState(log, runStream(id), runs);
  if (run?.live !== true) return [];
  const found: ActiveScorer[] = [];
  for (const one of chosen) {
    const scorer = await newest(one.id);
    const active = activeScorer(scorer?.live === true ? scorer : null, one);
    if (active !== null) found.push(active);
  }
  return found;
};
