import type { FaultKind, Sandbox, ScorerStep } from '../../kernel/sandbox.js';
import { codeOf, sandboxMissing, type ActiveScorer, type Made } from './scoring.js';

/** What a file that hangs may cost: each time takes its whole half minute. */
const hangsMax = 3;
const notRun: Made = {
  code: codeOf('time'),
  message: `not run: the scorer ran out of time on ${hangsMax} records before this one`,
};

/** What the steps of one process use up together; the one at which it was too much may be innocent. */
const shared: ReadonlySet<FaultKind> = new Set(['time', 'memory', 'output']);

/**
 * What the scorer makes of each step, in their order. A step that ends the process is set aside and
 * the others are run again; it is blamed for what processes share only once it failed as the first
 * of its process. Null: the sandbox could not judge this time.
 */
export const madeOf = async (
  sandbox: Sandbox,
  { source }: Pick<ActiveScorer, 'source'>,
  steps: readonly ScorerStep[],
  signal: AbortSignal,
): Promise<readonly Made[] | null> => {
  const made = new Map<number, Made>();
  let atOnce = steps.length;
  let hangs = 0;
  while (made.size < steps.length) {
    const open = [...steps.keys()].filter((place) => !made.has(place));
    const left = open.slice(0, atOnce);
    const setAll = (one: Made): void => open.forEach((place) => void made.set(place, one));
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
    atOnce = steps.length;
    if (verdict.verdict === 'unavailable') {
      if (sandbox.state().mode !== 'off') return null;
      setAll({ code: sandboxMissing, message: verdict.message });
    } else if (verdict.verdict === 'valid') {
      for (const { step, score, error } of verdict.scores) {
        const place = left[step];
        if (place === undefined) continue;
        made.set(
          place,
          error === null ? { score } : { code: codeOf(error.kind), message: error.message },
        );
      }
      for (const place of left) if (!made.has(place)) made.set(place, { score: null });
    } else {
      const { kind, message, step } = verdict;
      const error = { code: codeOf(kind), message };
      const place = left[step ?? -1];
      if (step === null || place === undefined) setAll(error);
      else if (kind === 'output' && left.length > 1) atOnce = Math.floor(left.length / 2);
      else if (shared.has(kind) && step > 0) atOnce = step;
      else {
        made.set(place, error);
        if (kind === 'time') hangs += 1;
        if (hangs === hangsMax) for (const one of open) if (!made.has(one)) made.set(one, notRun);
      }
    }
  }
  return steps.map((_, place) => made.get(place) ?? { score: null });
};
