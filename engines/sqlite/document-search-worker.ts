import { workerData } from 'node:worker_threads';
import { serve } from '../node/thread.js';
import type { Collection, Find } from '../../kernel/documents.js';
import { openDocuments } from './documents.js';
import type { Searches, SearchStart } from './document-reader.js';

/**
 * Searches documents in a thread of its own, one at a time. SQLite hears nothing while it works, so
 * the number of a search that nobody waits for stands in shared memory.
 */
const { dir, port, givenUp } = workerData as SearchStart;
let current = 0;
const documents = await openDocuments({
  dir,
  readOnly: true,
  isGivenUp: () => Atomics.load(givenUp, 0) >= current,
});
const searches: Searches = {
  find: (number: number, collection: Collection, query: Find) => {
    current = number;
    return documents.find(collection, query);
  },
  load: (collection, keys) => documents.load(collection, keys),
};
serve(port, searches);
port.once('close', () => void documents.close());
