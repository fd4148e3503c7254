import { startThread } from '../node/start-thread.js';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { raceAbort } from '../../kernel/query-context.js';
import { openLimiter } from '../../kernel/limiter.js';
import { limits } from '../../kernel/limits.js';
import type { QueryContext } from '../../kernel/ports.js';
import type { Collection, Documents, DocumentQuery, DocumentPage } from '../../kernel/documents.js';
import { callProxy } from '../node/thread-rpc.js';
import { openDocuments } from './documents.js';

/** API of the search thread. Searches are numbered upwards from 1. */
export type SearchThreadApi = {
  find(
    number: number,
    collection: Collection,
    query: DocumentQuery,
  ): Promise<DocumentPage<unknown>>;
  load: Documents['load'];
};
export type SearchThreadData = {
  readonly dir: string;
  readonly port: MessagePort;
  /** Number of the last cancelled search; it and those before it end. */
  readonly cancelledUpTo: Int32Array;
};

type SearchThread = {
  readonly searches: SearchThreadApi;
  readonly cancelledUpTo: Int32Array;
  lastNumber: number;
  isAlive: boolean;
  /** Ends its searches and the thread. */
  readonly close: () => Promise<void>;
};

// More would delay other requests; a hop to another thread costs more than a few.
const inlineKeysMax = 20;

/**
 * Documents for a thread that must stay responsive: keys are read in the calling thread, searches
 * run in other threads, one at a time per tenant (limiter). A search ends when its caller
 * aborts.
 */
export const openDocumentReader = async ({ dir }: { readonly dir: string }): Promise<Documents> => {
  const here = await openDocuments({ dir, readOnly: true });
  const searchSlots = openLimiter(limits.documentSearches);
  const threads = new Set<SearchThread>();
  const idle: SearchThread[] = [];
  /**
   * The limiter has as many slots as threads are allowed; a thread starts with the first search
   * that needs it, or replaces one that died.
   */
  const takeIdle = (): SearchThread => {
    const thread = idle.pop();
    if (thread?.isAlive === true) return thread;
    if (thread !== undefined) threads.delete(thread);
    const other = startSearchThread(dir);
    threads.add(other);
    return other;
  };

  const search = async <T>(
    context: QueryContext,
    work: (thread: SearchThread, number: number) => Promise<T>,
  ): Promise<T> => {
    const release = await searchSlots.acquire({ tenant: context.tenant ?? '' }, context);
    const thread = takeIdle();
    thread.lastNumber += 1;
    const number = thread.lastNumber;
    const result = work(thread, number).finally(() => {
      idle.push(thread);
      release();
    });
    result.catch(() => null);
    return raceAbort(
      context,
      () => result,
      () => Atomics.store(thread.cancelledUpTo, 0, number),
    );
  };
  return {
    ...here,
    load: (collection, keys, context = {}) =>
      keys.length <= inlineKeysMax
        ? here.load(collection, keys, context)
        : search(context, ({ searches }) => searches.load(collection, keys)),
    find: async <B>(collection: Collection, query: DocumentQuery, context: QueryContext = {}) =>
      isFirstPage(query)
        ? here.find<B>(collection, query, context)
        : (search(context, ({ searches }, number) =>
            searches.find(number, collection, query),
          ) as Promise<DocumentPage<B>>),
    close: async () => {
      await Promise.all([...threads].map(({ close }) => close()));
      await here.close();
    },
  };
};

// The usual first page, which an index has in this order.
const inlineRowsMax = 100;
const isFirstPage = ({ filter = null, sort = null, offset = 0, limit }: DocumentQuery): boolean =>
  filter === null && sort === null && offset + limit <= inlineRowsMax;

const startSearchThread = (dir: string): SearchThread => {
  const { port1, port2 } = new MessageChannel();
  const cancelledUpTo = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const worker = startThread('document-search', {
    workerData: { dir, port: port2, cancelledUpTo } satisfies SearchThreadData,
    transferList: [port2],
  });
  const thread: SearchThread = {
    searches: callProxy<SearchThreadApi>(port1),
    cancelledUpTo,
    lastNumber: 0,
    isAlive: true,
    close: () => {
      Atomics.store(cancelledUpTo, 0, thread.lastNumber);
      port1.close();
      return ended;
    },
  };
  const ended = new Promise<void>((resolve) => {
    const end = (): void => {
      thread.isAlive = false;
      port1.close();
      resolve();
    };
    // Its pending calls then throw Fault `unavailable`; later ones use another thread.
    worker.once('error', end);
    worker.once('exit', end);
  });
  return thread;
};
