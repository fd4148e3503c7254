import { threadFile } from '../node/thread-file.js';
import { MessageChannel, Worker } from 'node:worker_threads';
import { openPlaces } from '../../kernel/turns.js';
import type { ContentTable } from '../../kernel/dataset-content.js';
import { Fault, valueError } from '../../kernel/fault.js';
import { proxy } from '../node/thread.js';
import { parseTable, type TableFile, type TableFormat } from './table.js';
import type { TableReader } from './table-worker.js';

/** A file of this size is parsed before a thread would have started. */
const hereBytesMax = 262_144;
/**
 * 32 MiB take a second or two, and what would take long is refused before (bounds.ts): beyond this
 * the machine has too much to do.
 */
const withinMs = 25_000;
/** Ten times the largest file: strings, rows and what the parser keeps of them. */
const heapMegabytes = 512;
/** Each may use a processor and its heap. */
const threadsMax = 2;

const inPlace = openPlaces(threadsMax);

/**
 * The table of a file (engines/csv/table.ts). A large file is read in a thread of its own, within
 * limits of time and memory, so that nobody waits for it. Throws Fault `invalid` at the file, or
 * `unavailable`.
 */
export const readTable = async (
  file: TableFile,
  asked: TableFormat | null,
): Promise<ContentTable> => {
  if (file.bytes.length <= hereBytesMax) return parseTable(file, asked);
  return inPlace(() => readApart(file, asked));
};

const readApart = async (file: TableFile, asked: TableFormat | null): Promise<ContentTable> => {
  const { port1, port2 } = new MessageChannel();
  const worker = new Worker(threadFile('uploaded-table'), {
    workerData: port2,
    transferList: [port2],
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
  });
  const reader = proxy<TableReader>(port1, ['rows']);
  const { promise: givenUp, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(tooSlow()), withinMs);
  worker.once('error', (error) => reject(tooMuch(error)));
  try {
    return await Promise.race([collected(reader, file, asked), givenUp]);
  } finally {
    clearTimeout(timer);
    port1.close();
    await worker.terminate();
  }
};

const tooSlow = () =>
  new Fault('unavailable', 'The service has no time to read the file now; try again');
/** Its heap is full; anything else that ends a thread is a defect. */
const tooMuch = (error: unknown) =>
  (error as { readonly code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? valueError(['body', 'file'], 'the file takes too much memory to read')
    : error;

const collected = async (
  reader: TableReader,
  file: TableFile,
  asked: TableFormat | null,
): Promise<ContentTable> => {
  const columns = await reader.read(file, asked);
  return { columns, rows: await Array.fromAsync(reader.rows()) };
};
