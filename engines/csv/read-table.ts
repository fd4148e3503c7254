import { startThread } from '../node/start-thread.js';
import { MessageChannel } from 'node:worker_threads';
import type { ContentTable } from '../../kernel/dataset-content.js';
import { Fault, valueFault } from '../../kernel/fault.js';
import { openLimiter } from '../../kernel/limiter.js';
import { limits } from '../../kernel/limits.js';
import { callProxy } from '../node/thread-rpc.js';
import { parseTable, type TableFile, type TableFormat } from './parse-table.js';
import type { TableReader } from './table-worker.js';

/** Largest file parsed on this thread: faster than starting a thread. */
const inlineBytesMax = 262_144;
/**
 * Timeout: 32 MiB take a second or two, and slow inputs are rejected earlier (size-limits.ts);
 * beyond this the machine is overloaded.
 */
const timeoutMs = 25_000;
/** Heap of a worker, ten times the largest file: strings, rows and the parser's state. */
const heapMegabytes = 512;

const limiter = openLimiter(limits.tableParsers);

/**
 * Reads the table of a file (engines/csv/parse-table.ts). A large file is parsed in its own thread,
 * within limits of time and memory, so that no other request is delayed. Throws Fault `invalid` at
 * the file, or `unavailable`.
 */
export const readTable = async (
  file: TableFile,
  format: TableFormat | null,
): Promise<ContentTable> => {
  if (file.bytes.length <= inlineBytesMax) return parseTable(file, format);
  return limiter.run({}, {}, () => readInWorker(file, format));
};

const readInWorker = async (file: TableFile, format: TableFormat | null): Promise<ContentTable> => {
  const { port1, port2 } = new MessageChannel();
  const worker = startThread('uploaded-table', {
    workerData: port2,
    transferList: [port2],
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
  });
  const reader = callProxy<TableReader>(port1, ['rows']);
  const { promise: timedOut, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(timeoutFault()), timeoutMs);
  worker.once('error', (error) => reject(memoryFault(error)));
  try {
    return await Promise.race([collectTable(reader, file, format), timedOut]);
  } finally {
    clearTimeout(timer);
    port1.close();
    await worker.terminate();
  }
};

const timeoutFault = () => new Fault('unavailable', 'Reading the file timed out. Retry later');
/** Maps a full heap to a fault; any other end of a thread is a defect. */
const memoryFault = (error: unknown) =>
  (error as { readonly code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? valueFault(['body', 'file'], 'reading the file exceeds the memory limit; split it')
    : error;

const collectTable = async (
  reader: TableReader,
  file: TableFile,
  format: TableFormat | null,
): Promise<ContentTable> => {
  const columns = await reader.read(file, format);
  return { columns, rows: await Array.fromAsync(reader.rows()) };
};
