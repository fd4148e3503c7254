import { engineChoiceOf, type Config } from '../../config.js';
import type { HistoryVerdict } from '../../contract/history.js';
import { systemClock } from '../../engines/node/clock.js';
import { findDamagedEvent } from '../../engines/sqlite/integrity-check.js';
import type { ChainName } from '../chain/entries.js';
import { allChainHeads } from '../chain/find-entry.js';
import { historyVerification } from '../reads/verification.js';
import { openHistoryReader, type HistoryReader } from '../reader.js';
import { asStarted } from '../../cli/program-name.js';

export type VerifyLogOptions = { readonly json?: true };

/**
 * `assay audit verify` without a bundle: checks each history against its events in the log and its
 * seals, and each event of an embedded log against its checksum, which covers what no history
 * states. Exit 1 when one is broken or damaged. Read-only, safe beside a running service.
 */
export const auditVerifyLog = async (
  config: Config,
  { json = false }: { readonly json?: boolean },
): Promise<void> => {
  const history = await openHistoryReader(engineChoiceOf(config));
  try {
    await history.waitUntilFolded();
    const behind = await history.eventsBehind();
    if (behind > 0) {
      process.stderr.write(`history is ${behind} events behind the log: these are not checked\n`);
    }
    for await (const { chain, verdict } of logVerdicts(history)) {
      if (verdict.status === 'broken') process.exitCode = 1;
      const line = json ? JSON.stringify({ chain, ...verdict }) : verdictSentence(chain, verdict);
      process.stdout.write(`${line}\n`);
    }
  } finally {
    await history.close();
  }
  const damaged = config.eventStoreUrl === null ? await findDamagedEvent(config.dataDir) : null;
  if (damaged === null) return;
  process.exitCode = 1;
  const { position, why } = damaged;
  const line = json
    ? JSON.stringify({ log: 'damaged', position, reason: why })
    : `log: DAMAGED at position ${position}: ${why}; assay doctor says how much of it`;
  process.stdout.write(`${asStarted(line)}\n`);
};

/** The verdict on each history, as far as the log is folded. */
export async function* logVerdicts(
  history: HistoryReader,
): AsyncGenerator<{ readonly chain: ChainName; readonly verdict: HistoryVerdict }> {
  for await (const { chain } of allChainHeads(history.chains)) {
    yield { chain, verdict: await verifyChain(history, chain) };
  }
}

/** Verifies in portions, like calls over HTTP. */
const verifyChain = async (history: HistoryReader, chain: ChainName): Promise<HistoryVerdict> => {
  const { signal } = new AbortController();
  const ask = historyVerification({ ...history, clock: systemClock });
  let [checked, erased] = [0, 0];
  for (let from = 1; ;) {
    const verdict = await ask(chain, { from, to: null }, signal);
    checked += verdict.checked;
    erased += verdict.erased;
    if (verdict.next_seq === null) return { ...verdict, from_seq: 1, checked, erased };
    from = verdict.next_seq;
  }
};

const verdictSentence = (chain: ChainName, verdict: HistoryVerdict): string => {
  const { checked, erased, sealed, broken_at: broken } = verdict;
  const seal = sealed === null ? 'not sealed yet' : `sealed up to ${sealed.seq}`;
  if (broken === null) return `${chain}: intact, ${checked} entries, ${erased} erased, ${seal}`;
  const { seq, reason, expected, found } = broken;
  const [due, there] = [expected, found].map((one) => JSON.stringify(one));
  return `${chain}: BROKEN at entry ${seq} (${reason}): expected ${due}, found ${there}`;
};
