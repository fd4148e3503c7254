import type { Sandbox, ScorerStep, Verdict } from '../../kernel/sandbox.js';
import { codeOf, sandboxMissing, type ActiveScorer, type Made } from './scoring.js';

/** What a file that hangs may cost: each time takes its whole half minute. */
const stumblesMax = 3;

/**
 * What the scorer makes of each step, in their order. A step that ends the process (time, memory)
 * is set aside and the others are run again, some times; then the rest shares its error. Null: the
 * sandbox could not judge this time.
 */
export const madeOf = async (
  sandbox: Sandbox,
  { source }: ActiveScorer,
  steps: readonly ScorerStep[],
  signal: AbortSignal,
): Promise<readonly Made[] | null> => {
  const made = new Map<number, Made>();
  for (let stumbles = 0; made.size < steps.length; stumbles += 1) {
    const left = [...steps.keys()].filter((place) => !made.has(place));
    const verdict = await sandbox.run(
      {
        source,
        scoreType: null,
        nodeTypes: null,
        steps: left.map((place) => steps[place]).filter((step) => step !== undefined),
        keepGoing: true,
      },
      { signal },
    );
    if (signal.aborted) return null;
    if (verdict.verdict === 'unavailable') {
      if (sandbox.state().mode !== 'off') return null;
      const error = { code: sandboxMissing, message: verdict.message };
      for (const place of left) made.set(place, error);
    } else take(made, verdict, left, stumbles);
  }
  return steps.map((_, place) => made.get(place) ?? { score: null });
};

const take = (
  made: Map<number, Made>,
  verdict: Exclude<Verdict, { readonly verdict: 'unavailable' }>,
  left: readonly number[],
  stumbles: number,
): void => {
  if (verdict.verdict === 'valid') {
    for (const { step, score, error } of verdict.scores) {
      const place = left[step];
      if (place === undefined) continue;
      made.set(
        place,
        error === null ? { score } : { code: codeOf(error.kind), message: error.message },
      );
    }
    return;
  }
  const error = { code: codeOf(verdict.kind), message: verdict.message };
  const one = verdict.step === null ? undefined : left[verdict.step];
  const isEnough = one === undefined || stumbles + 1 >= stumblesMax;
  for (const place of isEnough ? left : [one]) made.set(place, error);
};
