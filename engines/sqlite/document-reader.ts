import { threadFile } from '../node/thread-file.js';
import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import { whileAsked } from '../../kernel/asking.js';
import { openFairLine } from '../../kernel/fair.js';
import type { Asking } from '../../kernel/ports.js';
import type { Collection, Documents, Find, Found } from '../../kernel/documents.js';
import { proxy } from '../node/thread.js';
import { openDocuments } from './documents.js';

/** What the thread answers. Searches are numbered upwards from 1. */
export type Searches = {
  find(number: number, collection: Collection, query: Find): Promise<Found<unknown>>;
  load: Documents['load'];
};
export type SearchStart = {
  readonly dir: string;
  readonly port: MessagePort;
  /** The last search that nobody waits for; it and those before it end. */
  readonly givenUp: Int32Array;
};

type Thread = {
  readonly searches: Searches;
  readonly givenUp: Int32Array;
  asked: number;
  isAlive: boolean;
  /** Its searches end, and the thread with them. */
  readonly close: () => Promise<void>;
};

// One for whoever asks much, one for the others; each keeps up to 64 MiB of the file in memory.
const threadsMax = 2;
/** Of one asker, beside the one at work. */
const waitsMax = 64;
// More would be felt by other requests; a hop to another thread costs more than a few.
const keysHereMax = 20;

/**
 * Documents for a thread that must stay quick: a key is looked up where it is asked, a search in
 * another thread, one at a time of each asker. It ends when its asker waits no longer.
 */
export const openDocumentReader = async ({ dir }: { readonly dir: string }): Promise<Documents> => {
  const here = await openDocuments({ dir, readOnly: true });
  const line = openFairLine(threadsMax, 1, waitsMax);
  const threads = new Set<Thread>();
  const idle: Thread[] = [];
  /**
   * There are as many places in the line as threads may be; one begins with the first search that
   * needs it, or in the place of one that died.
   */
  const takeIdle = (): Thread => {
    const thread = idle.pop();
    if (thread?.isAlive === true) return thread;
    if (thread !== undefined) threads.delete(thread);
    const other = startThread(dir);
    threads.add(other);
    return other;
  };

  const ask = async <T>(
    asking: Asking,
    question: (thread: Thread, number: number) => Promise<T>,
  ): Promise<T> => {
    const leave = await line.enter(asking.who ?? '', asking);
    const thread = takeIdle();
    thread.asked += 1;
    const number = thread.asked;
    const answer = question(thread, number).finally(() => {
      idle.push(thread);
      leave();
    });
    answer.catch(() => null);
    return whileAsked(
      asking,
      () => answer,
      () => Atomics.store(thread.givenUp, 0, number),
    );
  };
  return {
    ...here,
    load: (collection, keys, asking = {}) =>
      keys.length <= keysHereMax
        ? here.load(collection, keys, asking)
        : ask(asking, ({ searches }) => searches.load(collection, keys)),
    find: async <B>(collection: Collection, query: Find, asking: Asking = {}) =>
      isBrief(query)
        ? here.find<B>(collection, query, asking)
        : (ask(asking, ({ searches }, number) =>
            searches.find(number, collection, query),
          ) as Promise<Found<B>>),
    close: async () => {
      await Promise.all([...threads].map(({ close }) => close()));
      await here.close();
    },
  };
};

// The first page as most ask for it, which an index has in this order.
const rowsHereMax = 100;
const isBrief = ({ filter = null, sort = null, offset = 0, limit }: Find): boolean =>
  filter === null && sort === null && offset + limit <= rowsHereMax;

const startThread = (dir: string): Thread => {
  const { port1, port2 } = new MessageChannel();
  const givenUp = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const worker = new Worker(threadFile('document-search'), {
    workerData: { dir, port: port2, givenUp } satisfies SearchStart,
    transferList: [port2],
  });
  const thread: Thread = {
    searches: proxy<Searches>(port1),
    givenUp,
    asked: 0,
    isAlive: true,
    close: () => {
      Atomics.store(givenUp, 0, thread.asked);
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
