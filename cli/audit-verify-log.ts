import { choiceOf, type Config } from '../config.js';
import type { HistoryVerdict } from '../contract/history.js';
import { systemClock } from '../engines/node/clock.js';
import type { ChainName } from '../kernel/history/entries.js';
import { headsOf } from '../kernel/history/placed.js';
import { historyVerdicts } from '../service/answers/history-verdict.js';
import { openHistory, type HistoryRead } from './audit-history.js';

export type VerifyLogOptions = { readonly json?: true };

/**
 * `assay audit verify` without a bundle: each history against its events in the log and against its
 * seals. Exit 1 when one is broken. It reads only, also while a service is running.
 */
export const auditVerifyLog = async (
  config: Config,
  { json = false }: { readonly json?: boolean },
): Promise<void> => {
  const history = await openHistory(choiceOf(config));
  try {
    await history.settled();
    const behind = await history.behind();
    if (behind > 0) {
      process.stderr.write(`history is ${behind} events behind the log: these are not checked\n`);
    }
    for await (const { chain, verdict } of logVerdicts(history)) {
      if (verdict.status === 'broken') process.exitCode = 1;
      const line = json ? JSON.stringify({ chain, ...verdict }) : sentence(chain, verdict);
      process.stdout.write(`${line}\n`);
    }
  } finally {
    await history.close();
  }
};

/** The verdict on each history, as far as the log was folded. */
export async function* logVerdicts(
  history: HistoryRead,
): AsyncGenerator<{ readonly chain: ChainName; readonly verdict: HistoryVerdict }> {
  for await (const { chain } of headsOf(history.chains)) {
    yield { chain, verdict: await verdictOn(history, chain) };
  }
}

/** Portion by portion, as calls over HTTP are. */
const verdictOn = async (history: HistoryRead, chain: ChainName): Promise<HistoryVerdict> => {
  const { signal } = new AbortController();
  const ask = historyVerdicts({ ...history, clock: systemClock });
  let [checked, erased] = [0, 0];
  for (let from = 1; ;) {
    const verdict = await ask(chain, { from, to: null }, signal);
    checked += verdict.checked;
    erased += verdict.erased;
    if (verdict.next_seq === null) return { ...verdict, from_seq: 1, checked, erased };
    from = verdict.next_seq;
  }
};

const sentence = (chain: ChainName, verdict: HistoryVerdict): string => {
  const { checked, erased, sealed, broken_at: broken } = verdict;
  const seal = sealed === null ? 'not sealed yet' : `sealed up to ${sealed.seq}`;
  if (broken === null) return `${chain}: intact, ${checked} entries, ${erased} erased, ${seal}`;
  const { seq, reason, expected, found } = broken;
  const [due, there] = [expected, found].map((one) => JSON.stringify(one));
  return `${chain}: BROKEN at entry ${seq} (${reason}): expected ${due}, found ${there}`;
};
