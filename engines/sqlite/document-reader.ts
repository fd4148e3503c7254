import { threadFile } from '../node/thread-file.js';
import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import { raceAbort } from '../../kernel/query-context.js';
import { openFairSemaphore } from '../../kernel/fair-semaphore.js';
import type { QueryContext } from '../../kernel/ports.js';
import type { Collection, Documents, DocumentQuery, DocumentPage } from '../../kernel/documents.js';
import { callProxy } from '../node/thread-rpc.js';
import { openDocuments } from './documents.js';

/** What the thread answers. Searches are numbered upwards from 1. */
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
  /** The last search that nobody waits for; it and those before it end. */
  readonly cancelledUpTo: Int32Array;
};

type SearchThread = {
  readonly searches: SearchThreadApi;
  readonly cancelledUpTo: Int32Array;
  lastNumber: number;
  isAlive: boolean;
  /** Its searches end, and the thread with them. */
  readonly close: () => Promise<void>;
};

// One for whoever asks much, one for the others; each keeps up to 64 MiB of the file in memory.
const threadsMax = 2;
/** Of one asker, beside the one at work. */
const waitingMax = 64;
// More would be felt by other requests; a hop to another thread costs more than a few.
const inlineKeysMax = 20;

/**
 * Documents for a thread that must stay quick: a key is looked up where it is asked, a search in
 * another thread, one at a time of each asker. It ends when its asker waits no longer.
 */
export const openDocumentReader = async ({ dir }: { readonly dir: string }): Promise<Documents> => {
  const here = await openDocuments({ dir, readOnly: true });
  const line = openFairSemaphore(threadsMax, 1, waitingMax);
  const threads = new Set<SearchThread>();
  const idle: SearchThread[] = [];
  /**
   * There are as many places in the line as threads may be; one begins with the first search that
   * needs it, or in the place of one that died.
   */
  const takeIdle = (): SearchThread => {
    const thread = idle.pop();
    if (thread?.isAlive === true) return thread;
    if (thread !== undefined) threads.delete(thread);
    const other = startSearchThread(dir);
    threads.add(other);
    return other;
  };

  const ask = async <T>(
    asking: QueryContext,
    question: (thread: SearchThread, number: number) => Promise<T>,
  ): Promise<T> => {
    const leave = await line.acquire(asking.tenant ?? '', asking);
    const thread = takeIdle();
    thread.lastNumber += 1;
    const number = thread.lastNumber;
    const answer = question(thread, number).finally(() => {
      idle.push(thread);
      leave();
    });
    answer.catch(() => null);
    return raceAbort(
      asking,
      () => answer,
      () => Atomics.store(thread.cancelledUpTo, 0, number),
    );
  };
  return {
    ...here,
    load: (collection, keys, asking = {}) =>
      keys.length <= inlineKeysMax
        ? here.load(collection, keys, asking)
        : ask(asking, ({ searches }) => searches.load(collection, keys)),
    find: async <B>(collection: Collection, query: DocumentQuery, asking: QueryContext = {}) =>
      isFirstPage(query)
        ? here.find<B>(collection, query, asking)
        : (ask(asking, ({ searches }, number) =>
            searches.find(number, collection, query),
          ) as Promise<DocumentPage<B>>),
    close: async () => {
      await Promise.all([...threads].map(({ close }) => close()));
      await here.close();
    },
  };
};

// The first page as most ask for it, which an index has in this order.
const inlineRowsMax = 100;
const isFirstPage = ({ filter = null, sort = null, offset = 0, limit }: DocumentQuery): boolean =>
  filter === null && sort === null && offset + limit <= inlineRowsMax;

const startSearchThread = (dir: string): SearchThread => {
  const { port1, port2 } = new MessageChannel();
  const givenUp = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const worker = new Worker(threadFile('document-search'), {
    workerData: { dir, port: port2, cancelledUpTo: givenUp } satisfies SearchThreadData,
    transferList: [port2],
  });
  const thread: SearchThread = {
    searches: callProxy<SearchThreadApi>(port1),
    cancelledUpTo: givenUp,
    lastNumber: 0,
    isAlive: true,
    close: () => {
      Atomics.store(givenUp, 0, thread.lastNumber);
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
    // What it was asked throws Fault `unavailable` then; the next one is asked another thread.
    worker.once('error', end);
    worker.once('exit', end);
  });
  return thread;
};
