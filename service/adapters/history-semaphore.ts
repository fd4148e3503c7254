import { openFairSemaphore, type FairSemaphore } from '../../kernel/fair-semaphore.js';
import type { ChainPages } from '../../kernel/history/entries.js';
import { systemChain } from '../../kernel/history/entries.js';
import type { HistoryExportNeeds } from '../../query-api/history-export/routes.js';
import type { HistoryReadNeeds } from '../../query-api/history/routes.js';

/** Contract 1.11: concurrency limits, as history reads fold and hash in the API's thread. */
const slots = 2;
const slotsPerOrganization = 1;
const waitersMax = 64;

export const openHistorySemaphore = (): FairSemaphore =>
  openFairSemaphore(slots, slotsPerOrganization, waitersMax);

/** Schedules pages of entries fairly per organisation. */
export const scheduledPages =
  (chains: ChainPages, semaphore: FairSemaphore): ChainPages['page'] =>
  async (chain, query, context = {}) => {
    const release = await semaphore.acquire(chain, context);
    try {
      return await chains.page(chain, query, context);
    } finally {
      release();
    }
  };

/** Schedules changes of entries with the same semaphore. */
export const scheduledChanges =
  (
    { changesOf }: Pick<HistoryReadNeeds, 'changesOf'>,
    semaphore: FairSemaphore,
  ): HistoryReadNeeds['changesOf'] =>
  async (entries, signal) => {
    const release = await semaphore.acquire(entries[0]?.organizationId ?? systemChain, { signal });
    try {
      return await changesOf(entries, signal);
    } finally {
      release();
    }
  };

/**
 * Schedules each line of a stream on its own: a slot is held while reading, not while the client
 * receives.
 */
export const scheduledExports = (
  { pages, certificateLines }: Pick<HistoryExportNeeds, 'pages' | 'certificateLines'>,
  semaphore: FairSemaphore,
): Pick<HistoryExportNeeds, 'pages' | 'certificateLines'> => ({
  pages: (cursor) =>
    scheduledItems(pages(cursor), semaphore, cursor.organization_id ?? systemChain),
  certificateLines: (query, organization) =>
    scheduledItems(certificateLines(query, organization), semaphore, organization),
});

async function* scheduledItems<T>(
  values: AsyncIterable<T>,
  semaphore: FairSemaphore,
  chain: string,
) {
  const iterator = values[Symbol.asyncIterator]();
  try {
    for (;;) {
      const release = await semaphore.acquire(chain);
      const next = await iterator.next().finally(release);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}
