import { threadFile } from '../node/thread-file.js';
import { MessageChannel, Worker } from 'node:worker_threads';
import { openSemaphore } from '../../kernel/concurrency.js';
import type { ContentTable } from '../../kernel/dataset-content.js';
import { Fault, valueFault } from '../../kernel/fault.js';
import { callProxy } from '../node/thread-rpc.js';
import { parseTable, type TableFile, type TableFormat } from './parse-table.js';
import type { TableReader } from './table-worker.js';

/** A file of this size is parsed before a thread would have started. */
const inlineBytesMax = 262_144;
/**
 * 32 MiB take a second or two, and what would take long is refused before (size-limits.ts): beyond
 * this the machine has too much to do.
 */
const timeoutMs = 25_000;
/** Ten times the largest file: strings, rows and what the parser keeps of them. */
const heapMegabytes = 512;
/** Each may use a processor and its heap. */
const threadsMax = 2;

const parseSemaphore = openSemaphore(threadsMax);

/**
 * The table of a file (engines/csv/parse-table.ts). A large file is read in a thread of its own,
 * within limits of time and memory, so that nobody waits for it. Throws Fault `invalid` at the
 * file, or `unavailable`.
 */
export const readTable = async (
  file: TableFile,
  asked: TableFormat | null,
): Promise<ContentTable> => {
  if (file.bytes.length <= inlineBytesMax) return parseTable(file, asked);
  return parseSemaphore(() => readInWorker(file, asked));
};

const readInWorker = async (file: TableFile, asked: TableFormat | null): Promise<ContentTable> => {
  const { port1, port2 } = new MessageChannel();
  const worker = new Worker(threadFile('uploaded-table'), {
    workerData: port2,
    transferList: [port2],
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
  });
  const reader = callProxy<TableReader>(port1, ['rows']);
  const { promise: givenUp, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(timeoutFault()), timeoutMs);
  worker.once('error', (error) => reject(memoryFault(error)));
  try {
    return await Promise.race([collectTable(reader, file, asked), givenUp]);
  } finally {
    clearTimeout(timer);
    port1.close();
    await worker.terminate();
  }
};

const timeoutFault = () =>
  new Fault('unavailable', 'The service has no time to read the file now; try again');
/** Its heap is full; anything else that ends a thread is a defect. */
const memoryFault = (error: unknown) =>
  (error as { readonly code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? valueFault(['body', 'file'], 'the file takes too much memory to read')
    : error;

const collectTable = async (
  reader: TableReader,
  file: TableFile,
  asked: TableFormat | null,
): Promise<ContentTable> => {
  const columns = await reader.read(file, asked);
  return { columns, rows: await Array.fromAsync(reader.rows()) };
};
