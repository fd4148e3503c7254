import { openReadOnlyLog } from '../../service/log-reader.js';
import { readConfig } from '../../config.js';
import type { HistorySealed } from '../../events/seals.js';
import { sha256 } from '../../engines/node/digest.js';
import { base64, parseCheckpoint } from '../../ledger/chain/checkpoint.js';
import { rangeRoot } from '../../ledger/chain/merkle-tree.js';
import { fixedChains } from '../support/reference-chains.js';
import { readAllPages } from '../support/log-pages.js';

export type SealObservation = {
  readonly seals: number;
  /** Every way in which a seal is not of what the log has, in words. */
  readonly problems: readonly string[];
};

/** The seals in a log, each against the chains as that log makes them. */
export const observeSeals = async (dir: string): Promise<SealObservation> => {
  const { reader, close } = await openReadOnlyLog(readConfig({ ASSAY_DATA_DIR: dir }));
  try {
    const chains = await fixedChains(reader);
    const seals = (await readAllPages(reader))
      .filter(({ type }) => type === 'HistorySealed')
      .map(({ data }) => data as HistorySealed);
    const problems: string[] = [];
    const newest = new Map<string, number>();
    for (const { chain, size, head_hash, root, previous_size, note } of seals) {
      const what = `seal ${size} of ${chain}`;
      const [last] = await chains.entries(chain, size, size);
      const hashOf = (at: number, width: number) => chains.subtree(chain, at, width);
      const found = base64(await rangeRoot(sha256, hashOf, { from: 0, to: size }));
      if (last?.hash !== head_hash) problems.push(`${what} has another head`);
      if (found !== root) problems.push(`${what} has another root`);
      if (parseCheckpoint(note)?.size !== size) problems.push(`${what} has another note`);
      if (previous_size !== (newest.get(chain) ?? 0)) problems.push(`${what} follows another`);
      newest.set(chain, size);
    }
    return { seals: seals.length, problems };
  } finally {
    await close();
  }
};
