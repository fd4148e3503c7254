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
  (chains: ChainPages, line: FairSemaphore): ChainPages['page'] =>
  async (chain, question, asking = {}) => {
    const leave = await line.acquire(chain, asking);
    try {
      return await chains.page(chain, question, asking);
    } finally {
      leave();
    }
  };

/** Schedules changes of entries with the same semaphore. */
export const scheduledChanges =
  ({ told }: Pick<HistoryReadNeeds, 'told'>, line: FairSemaphore): HistoryReadNeeds['told'] =>
  async (entries, signal) => {
    const leave = await line.acquire(entries[0]?.organizationId ?? systemChain, { signal });
    try {
      return await told(entries, signal);
    } finally {
      leave();
    }
  };

/**
 * Schedules each line of a stream on its own: a slot is held while reading, not while the client
 * receives.
 */
export const scheduledExports = (
  { pages, certificateLines }: Pick<HistoryExportNeeds, 'pages' | 'certificateLines'>,
  line: FairSemaphore,
): Pick<HistoryExportNeeds, 'pages' | 'certificateLines'> => ({
  pages: (cursor) => scheduledItems(pages(cursor), line, cursor.organization_id ?? systemChain),
  certificateLines: (query, organization) =>
    scheduledItems(certificateLines(query, organization), line, organization),
});

async function* scheduledItems<T>(values: AsyncIterable<T>, line: FairSemaphore, whose: string) {
  const iterator = values[Symbol.asyncIterator]();
  try {
    for (;;) {
      const leave = await line.acquire(whose);
      const next = await iterator.next().finally(leave);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}
