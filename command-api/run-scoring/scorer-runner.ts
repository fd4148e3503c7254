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
  /** Key of project, scorer and version, under which the adaptive batch size is kept. */
  readonly key: string;
  readonly whose: string;
  readonly source: string;
  readonly count: number;
  readonly stepAt: (place: number) => Promise<ScorerStep>;
  /** Called once for each record. */
  readonly onResults: (made: ReadonlyMap<number, ScoreResult>) => Promise<void>;
  /** Checked before each process. */
  readonly mayContinue: () => boolean;
};

const backoffResult: ScoreResult = {
  code: faultCode('time'),
  message: 'not run: the scorer failed on every record before this one and is paused for a while',
  reason: 'resting',
};

/**
 * Limit of remembered batch sizes, of scorers that failed recently; others start from the initial
 * size.
 */
const trialsMax = 10_000;

/**
 * Runs scorers over records, process by process. A process that ends before its verdict is retried
 * with a smaller batch until the record at fault is found; a scorer that only fails gets an
 * exponential backoff, and its records say so. Batch sizes live in memory; losing them costs
 * `vainMs` once more.
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
  /** Indexes of records without a result: the time was up, or the sandbox was unavailable. */
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

/**
 * The first of these records, as many as a process takes; one is always taken, whatever its length.
 */
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

/** Runs one process; null: the sandbox was unavailable. */
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
