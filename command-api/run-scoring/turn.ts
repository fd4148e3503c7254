import type { RunScorer } from '../../contract/scorer-settings.js';
import { Fault } from '../../kernel/fault.js';
import type { Clock, EventLog, Ids, StreamName } from '../../kernel/ports.js';
import type { Overlaps } from '../../kernel/records/overlaps.js';
import type { ScorerStep } from '../../kernel/sandbox.js';
import type { JobId, Json, ProjectId, RunId } from '../../kernel/shapes.js';
import { load } from '../../kernel/transact.js';
import { runs, runStream } from '../facts/runs.js';
import type { openJudge } from './batch.js';
import type { ScoringBudgets } from './budgets.js';
import type { TurnJobs } from './job-events.js';
import type { NewestOf } from './newest.js';
import { record } from './record.js';
import {
  activeScorer,
  inTheirOrder,
  openFound,
  overlapsOf,
  seesSpans,
  stepOf,
  targetsOf,
  type ActiveScorer,
  type Target,
  type Work,
} from './scoring.js';
import { openSpanTexts } from './spans.js';
import { scoredTrace, textOf, type ScoredTrace } from './trace.js';

export type TurnNeeds = {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'derive'>;
  readonly budgets: ScoringBudgets;
  readonly overlaps: Overlaps;
  readonly newest: NewestOf;
  readonly judge: ReturnType<typeof openJudge>;
  /** Told why a trace could not be read; it is tried again. */
  readonly trouble: (error: unknown) => void;
};

/** What a turn is for: which scorers look at which records of its traces. */
export type TurnPlan = {
  /** Of past scoring; null: what changed is scored. */
  readonly jobId: JobId | null;
  readonly activeFor: (trace: ScoredTrace) => Promise<readonly ActiveScorer[]>;
  readonly targetsOf: (trace: ScoredTrace, active: ActiveScorer) => readonly Target[];
  readonly jobs: TurnJobs;
  /** Asked before each process. */
  readonly mayGoOn: () => boolean;
};

/** What changed, for the scorers of the settings of its runs, as a job of each run. */
export const followingPlan = (
  needs: TurnNeeds,
  settings: ReadonlyMap<RunId, readonly RunScorer[]>,
  jobs: TurnJobs,
): TurnPlan => {
  const byRun = new Map<RunId, Promise<readonly ActiveScorer[]>>();
  return {
    jobId: null,
    activeFor: (trace) => {
      const asked = byRun.get(trace.runId) ?? activeFor(needs, settings, trace.runId);
      byRun.set(trace.runId, asked);
      return asked;
    },
    targetsOf,
    jobs,
    mayGoOn: () => true,
  };
};

/** Streams that are to be looked at again: those not come to, and those that have to wait. */
export type Left = {
  readonly first: ReadonlySet<StreamName>;
  readonly last: ReadonlySet<StreamName>;
  /** There was something to do and nothing could be done. */
  readonly isIdle: boolean;
  /** Records that have a score now. */
  readonly scored: number;
  /** Some traces were not read because the log did not answer. */
  readonly isAway: boolean;
};

/** Text of the traces in hand: one trace may be 64 MiB (contract 1.11), several are no more. */
const textMax = 16 * 1_024 * 1_024;

/**
 * One turn of a project: what its scorers make of some of its traces, for as long as a turn lasts.
 * All is derived from the log, so what is left is found again: records that were scored meanwhile
 * are scored no more.
 */
export const takeTurn = async (
  needs: TurnNeeds,
  plan: TurnPlan,
  project: ProjectId,
  streams: readonly StreamName[],
  signal: AbortSignal,
): Promise<Left> => {
  const { clock, budgets, judge } = needs;
  const begun = clock.milliseconds();
  const { read, first, last, isAway } = await tracesOf(needs, streams);
  const unread = first.union(last);
  const failed = last.size;
  const { jobs, jobId } = plan;
  const work = inTheirOrder(await workOf(plan, [...read.values()]));
  await jobs.begin();
  const open = new Set<ScoredTrace>();
  const changing = new Set<ScoredTrace>();
  const found = openFound();
  const spansOf = openSpanTexts();
  let [processes, records, scored] = [0, 0, 0];
  // The first process of a turn is always begun.
  const mayGoOn = (): boolean =>
    plan.mayGoOn() && ((processes += 1) === 1 || clock.milliseconds() - begun < budgets.turnMs);
  const stepAt = async (target: Target, active: ActiveScorer): Promise<ScorerStep> => {
    const known: Record<string, Json> = { ...found.of(target) };
    for (const { name, output, reference } of overlapsOf(target, active, known)) {
      const value = await needs.overlaps.of(name, output, reference, project);
      if (value !== null) known[name] = value;
    }
    const spans = seesSpans(active, target) ? await spansOf(target.trace) : null;
    return stepOf(target, active, known, spans);
  };
  const judged = ({ active, targets }: Work): Promise<readonly number[]> =>
    judge(
      {
        key: `${project} ${keyOf(active)}`,
        whose: project,
        source: active.source,
        count: targets.length,
        stepAt: (place) => stepAt(at(targets, place), active),
        told: async (made) => {
          const some = [...made.keys()].map((place) => at(targets, place));
          const all = [...made.values()];
          records += some.length;
          scored += all.filter((one) => !('code' in one)).length;
          const { recorded, changed } = await record(needs, active, some, all, jobId);
          for (const trace of changed) changing.add(trace);
          found.note(active, some, all);
          some.forEach((target, place) => {
            if (recorded.has(target)) jobs.judged(target, active, at(all, place));
            else if (!changed.has(target.trace)) jobs.judged(target, active, null);
          });
        },
        mayGoOn,
      },
      signal,
    );
  for (const one of work) {
    // Who requires another waits until that one is done.
    const left = open.size > 0 ? one.targets.keys() : await judged(one);
    for (const place of left) open.add(at(one.targets, place).trace);
  }
  await jobs.finish([...open, ...changing], unread);
  for (const [stream, trace] of read) {
    if (open.has(trace)) first.add(stream);
    else if (changing.has(trace)) last.add(stream);
  }
  const isIdle = (open.size > 0 || failed > 0) && records === 0;
  return { first, last, isIdle, scored, isAway };
};

const at = <T>(items: readonly T[], place: number): T => {
  const item = items[place];
  if (item === undefined) throw new RangeError(`no record at ${place}`);
  return item;
};

type Read = {
  readonly read: ReadonlyMap<StreamName, ScoredTrace>;
  readonly first: Set<StreamName>;
  readonly last: Set<StreamName>;
  readonly isAway: boolean;
};

/** One after the other, as many as are held in memory together; the others are left for later. */
const tracesOf = async (
  { log, trouble }: TurnNeeds,
  streams: readonly StreamName[],
): Promise<Read> => {
  const read = new Map<StreamName, ScoredTrace>();
  const [first, last] = [new Set<StreamName>(), new Set<StreamName>()];
  let text = 0;
  let isAway = false;
  for (const stream of streams) {
    if (text > textMax) first.add(stream);
    else {
      const trace = await log.read(stream).then(
        (events) => scoredTrace(events),
        (error: unknown) => {
          trouble(error);
          isAway ||= error instanceof Fault && error.code === 'unavailable';
          last.add(stream);
          return null;
        },
      );
      if (trace !== null) {
        read.set(stream, trace);
        text += textOf(trace);
      }
    }
  }
  return { read, first, last, isAway };
};

const workOf = async (
  { activeFor: scorersFor, targetsOf: targetsIn, jobs }: TurnPlan,
  traces: readonly ScoredTrace[],
): Promise<readonly Work[]> => {
  const work = new Map<string, Work>();
  for (const trace of traces) {
    for (const active of await scorersFor(trace)) {
      const known = work.get(keyOf(active)) ?? { active, targets: [] };
      work.set(keyOf(active), known);
      const targets = targetsIn(trace, active);
      for (const target of targets) known.targets.push(target);
      await jobs.note(trace, active, targets);
    }
  }
  return [...work.values()];
};

const keyOf = ({ scorer }: ActiveScorer): string => `${scorer.id} ${scorer.versions.length}`;

/** The scorers of a live run. */
const activeFor = async (
  { log, newest }: TurnNeeds,
  settings: ReadonlyMap<RunId, readonly RunScorer[]>,
  id: RunId,
): Promise<readonly ActiveScorer[]> => {
  const chosen = settings.get(id);
  if (chosen === undefined) return [];
  const { state: run } = await load(log, runStream(id), runs);
  if (run?.live !== true) return [];
  const found: ActiveScorer[] = [];
  for (const one of chosen) {
    const scorer = await newest(one.id);
    const active = activeScorer(scorer?.live === true ? scorer : null, one);
    if (active !== null) found.push(active);
  }
  return found;
};
