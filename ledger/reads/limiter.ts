import type { Limiter } from '../../kernel/limiter.js';
import type { ChainPages } from '../chain/entries.js';
import { systemChain } from '../chain/entries.js';
import type { HistoryExportNeeds } from './export-routes.js';
import type { HistoryReadNeeds } from './history-routes.js';

/** One page or line at a time of an organisation (contract 1.11). */
type HistoryLimiter = Limiter<'organization'>;

/** Schedules pages of entries fairly per organisation. */
export const scheduledPages =
  (chains: ChainPages, limiter: HistoryLimiter): ChainPages['page'] =>
  async (chain, query, context = {}) =>
    limiter.run({ organization: chain }, context, () => chains.page(chain, query, context));

/** Schedules changes of entries with the same limiter. */
export const scheduledChanges =
  (
    { changesOf }: Pick<HistoryReadNeeds, 'changesOf'>,
    limiter: HistoryLimiter,
  ): HistoryReadNeeds['changesOf'] =>
  async (entries, signal) => {
    const organization = entries[0]?.organizationId ?? systemChain;
    return limiter.run({ organization }, { signal }, () => changesOf(entries, signal));
  };

/**
 * Schedules each line of a stream on its own: a slot is held while reading, not while the client
 * receives.
 */
export const scheduledExports = (
  { pages, certificateLines }: Pick<HistoryExportNeeds, 'pages' | 'certificateLines'>,
  limiter: HistoryLimiter,
): Pick<HistoryExportNeeds, 'pages' | 'certificateLines'> => ({
  pages: (cursor) => scheduledItems(pages(cursor), limiter, cursor.organization_id ?? systemChain),
  certificateLines: (query, organization) =>
    scheduledItems(certificateLines(query, organization), limiter, organization),
});

async function* scheduledItems<T>(
  values: AsyncIterable<T>,
  limiter: HistoryLimiter,
  organization: string,
) {
  const iterator = values[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await limiter.run({ organization }, {}, () => iterator.next());
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}
