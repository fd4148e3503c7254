import type { Clock } from '../../kernel/ports.js';
import type { Sandbox, ScorerStep } from '../../kernel/sandbox.js';
import type { ScoringBudgets } from './budgets.js';
import { codeOf, sandboxMissing, type Made } from './scoring.js';
import { afterCut, afterScores, judgedBy, untried, type Trial } from './trials.js';

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
  readonly told: (made: ReadonlyMap<number, Made>) => Promise<void>;
  /** Asked before each process. */
  readonly mayGoOn: () => boolean;
};

const resting: Made = {
  code: codeOf('time'),
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
export const openJudge = (needs: Needs) => {
  const { clock, budgets } = needs;
  const trials = new Map<string, Trial>();
  const learn = (key: string, trial: Trial): void => {
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
    while (open.length > 0 && !signal.aborted && batch.mayGoOn()) {
      const trial = trials.get(batch.key) ?? untried(budgets);
      if (trial.restsUntil > clock.milliseconds()) {
        const some = open.slice(0, budgets.stepsMax);
        await batch.told(new Map(some.map((place) => [place, resting])));
        open = open.slice(some.length);
        continue;
      }
      const some = await filled(batch, open, trial, budgets);
      const found = await processed(needs, batch, some, trial, signal);
      if (found === null) return open;
      learn(batch.key, found.trial);
      const made = new Map([...found.made].map(([at, one]) => [open[at] ?? -1, one]));
      if (made.size > 0) await batch.told(made);
      open = open.filter((place) => !made.has(place));
    }
    return open;
  };
};

/** The first of those places, as many as a process takes; one is taken whatever its length. */
const filled = async (
  { stepAt }: ScoringBatch,
  open: readonly number[],
  { next, atOnce }: Trial,
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

type Found = { readonly made: ReadonlyMap<number, Made>; readonly trial: Trial };

/** Null: the sandbox could not judge this time. */
const processed = async (
  { sandbox, clock, budgets }: Needs,
  { source, whose }: ScoringBatch,
  steps: readonly ScorerStep[],
  trial: Trial,
  signal: AbortSignal,
): Promise<Found | null> => {
  const count = steps.length;
  let begun = clock.milliseconds();
  const verdict = await sandbox.run(
    { source, scoreType: null, nodeTypes: null, steps, keepGoing: true },
    {
      signal,
      whose,
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
    const missing: Made = { code: sandboxMissing, message, reason: 'sandbox_off' };
    return { made: new Map(steps.map((_, at) => [at, missing])), trial };
  }
  const { made, cut } = judgedBy(verdict, count);
  const now = clock.milliseconds();
  const learned =
    cut === null
      ? afterScores(trial, { count, tookMs: now - begun }, budgets)
      : afterCut(trial, cut, now, budgets);
  return { made, trial: learned };
};
