import { workerData } from 'node:worker_threads';
import { serveCalls } from '../node/thread-rpc.js';
import type { Collection, DocumentQuery } from '../../kernel/documents.js';
import { openDocuments } from './documents.js';
import type { SearchThreadApi, SearchThreadData } from './document-reader.js';

/**
 * Search thread: runs document searches, one at a time. It receives no messages while SQLite works,
 * so cancellation goes through shared memory: the number of the last cancelled search.
 */
const { dir, port, cancelledUpTo } = workerData as SearchThreadData;
let current = 0;
const documents = await openDocuments({
  dir,
  readOnly: true,
  isCancelled: () => Atomics.load(cancelledUpTo, 0) >= current,
});
const searches: SearchThreadApi = {
  find: (number: number, collection: Collection, query: DocumentQuery) => {
    current = number;
    return documents.find(collection, query);
  },
  load: (collection, keys) => documents.load(collection, keys),
};
serveCalls(port, searches);
port.once('close', () => void documents.close());
