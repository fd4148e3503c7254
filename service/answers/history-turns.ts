import { openFairLine, type FairLine } from '../../kernel/fair.js';
import type { ChainPages } from '../../kernel/history/entries.js';
import { systemChain } from '../../kernel/history/entries.js';
import type { HistoryExportNeeds } from '../../query-api/history-export/routes.js';
import type { HistoryReadNeeds } from '../../query-api/history/routes.js';

/** Contract 1.11. All of them fold and hash in the thread that answers everybody. */
const places = 2;
const ofOrganization = 1;
const waiting = 64;

export const openHistoryLine = (): FairLine => openFairLine(places, ofOrganization, waiting);

/** Lists of entries, each in its organisation's turn. */
export const pagesInTurn =
  (chains: ChainPages, line: FairLine): ChainPages['page'] =>
  async (chain, question, asking = {}) => {
    const leave = await line.enter(chain, asking);
    try {
      return await chains.page(chain, question, asking);
    } finally {
      leave();
    }
  };

/** What entries changed, in the same turns. */
export const toldInTurn =
  ({ told }: Pick<HistoryReadNeeds, 'told'>, line: FairLine): HistoryReadNeeds['told'] =>
  async (entries, signal) => {
    const leave = await line.enter(entries[0]?.organizationId ?? systemChain, { signal });
    try {
      return await told(entries, signal);
    } finally {
      leave();
    }
  };

/** Lines that go out one after the other: a turn is for what is read next, not for who reads it. */
export const linesInTurn = (
  { pages, certified }: Pick<HistoryExportNeeds, 'pages' | 'certified'>,
  line: FairLine,
): Pick<HistoryExportNeeds, 'pages' | 'certified'> => ({
  pages: (cursor) => each(pages(cursor), line, cursor.organization_id ?? systemChain),
  certified: (query, organization) => each(certified(query, organization), line, organization),
});

async function* each<T>(values: AsyncIterable<T>, line: FairLine, whose: string) {
  const iterator = values[Symbol.asyncIterator]();
  try {
    for (;;) {
      const leave = await line.enter(whose);
      const next = await iterator.next().finally(leave);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}
