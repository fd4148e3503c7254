import type { Clock } from '../../kernel/ports.js';
import type { Sandbox, ScorerStep } from '../../kernel/sandbox.js';
import type { ScoringBudgets } from './budgets.js';
import { faultCode, sandboxMissingCode, type ScoreResult } from './scorer-steps.js';
import {
  sizingAfterAbort,
  sizingAfterScores,
  processResults,
  initialSizing,
  type BatchSizing,
} from './batch-sizing.js';

type Needs = {
  readonly sandbox: Sandbox;
  readonly clock: Pick<Clock, 'milliseconds'>;
  readonly budgets: ScoringBudgets;
};

/** Records of one project for one version of a scorer. */
type ScoringBatch = {
  /** Names project, scorer and version: what is learned of it is kept under that. */
  readonly key: string;
  readonly whose: string;
  readonly source: string;
  readonly count: number;
  readonly stepAt: (place: number) => Promise<ScorerStep>;
  /** Told of each record once. */
  readonly onResults: (made: ReadonlyMap<number, ScoreResult>) => Promise<void>;
  /** Asked before each process. */
  readonly mayContinue: () => boolean;
};

const backoffResult: ScoreResult = {
  code: faultCode('time'),
  message: 'not run: the scorer failed on every record before this one, and rests for a while',
  reason: 'resting',
};

/** Of those that failed lately; the others are as untried. */
const trialsMax = 10_000;

/**
 * Scores records process by process: a process that ends before its verdict is begun again with
 * fewer, until the record at fault is found; a scorer that only fails is left alone for a while,
 * and its records say so. What is learned is lost with the service, which costs `vainMs` once more.
 */
export const openScorerRunner = (needs: Needs) => {
  const { clock, budgets } = needs;
  const trials = new Map<string, BatchSizing>();
  const learn = (key: string, trial: BatchSizing): void => {
    trials.delete(key);
    const isUntried =
      trial.atOnce === budgets.stepsMax && trial.next === null && trial.vainMs === 0;
    if (!isUntried) trials.set(key, trial);
    const [oldest] = trials.keys();
    if (trials.size > trialsMax && oldest !== undefined) trials.delete(oldest);
  };
  /** Places that nobody was told of: there was no time, or the sandbox could not judge. */
  return async (batch: ScoringBatch, signal: AbortSignal): Promise<readonly number[]> => {
    let open: readonly number[] = Array.from({ length: batch.count }, (_, place) => place);
    while (open.length > 0 && !signal.aborted && batch.mayContinue()) {
      const trial = trials.get(batch.key) ?? initialSizing(budgets);
      if (trial.backoffUntil > clock.milliseconds()) {
        const some = open.slice(0, budgets.stepsMax);
        await batch.onResults(new Map(some.map((place) => [place, backoffResult])));
        open = open.slice(some.length);
        continue;
      }
      const some = await fillBatch(batch, open, trial, budgets);
      const found = await runProcess(needs, batch, some, trial, signal);
      if (found === null) return open;
      learn(batch.key, found.trial);
      const made = new Map([...found.made].map(([at, one]) => [open[at] ?? -1, one]));
      if (made.size > 0) await batch.onResults(made);
      open = open.filter((place) => !made.has(place));
    }
    return open;
  };
};

/** The first of those places, as many as a process takes; one is taken whatever its length. */
const fillBatch = async (
  { stepAt }: ScoringBatch,
  open: readonly number[],
  { next, atOnce }: BatchSizing,
  { stepsTextMax }: ScoringBudgets,
): Promise<readonly ScorerStep[]> => {
  const steps: ScorerStep[] = [];
  let text = 0;
  for (const place of open.slice(0, next ?? atOnce)) {
    const step = await stepAt(place);
    const { spans, ...own } = step;
    text += JSON.stringify(own).length + (spans?.characters ?? 0);
    if (steps.length > 0 && text > stepsTextMax) break;
    steps.push(step);
  }
  return steps;
};

type BatchResult = { readonly made: ReadonlyMap<number, ScoreResult>; readonly trial: BatchSizing };

/** Null: the sandbox could not judge this time. */
const runProcess = async (
  { sandbox, clock, budgets }: Needs,
  { source, whose }: ScoringBatch,
  steps: readonly ScorerStep[],
  trial: BatchSizing,
  signal: AbortSignal,
): Promise<BatchResult | null> => {
  const count = steps.length;
  let begun = clock.milliseconds();
  const verdict = await sandbox.run(
    { source, scoreType: null, nodeTypes: null, steps, keepGoing: true },
    {
      signal,
      tenant: whose,
      wallMs: count === 1 ? budgets.recordMs : budgets.batchMs,
      onBegin: () => {
        begun = clock.milliseconds();
      },
    },
  );
  if (signal.aborted) return null;
  if (verdict.verdict === 'unavailable') {
    if (sandbox.state().mode !== 'off') return null;
    const { message } = verdict;
    const missing: ScoreResult = { code: sandboxMissingCode, message, reason: 'sandbox_off' };
    return { made: new Map(steps.map((_, at) => [at, missing])), trial };
  }
  const { made, cut } = processResults(verdict, count);
  const now = clock.milliseconds();
  const learned =
    cut === null
      ? sizingAfterScores(trial, { count, tookMs: now - begun }, budgets)
      : sizingAfterAbort(trial, cut, now, budgets);
  return { made, trial: learned };
};
