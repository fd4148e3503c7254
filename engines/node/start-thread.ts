import { Worker, type WorkerOptions } from 'node:worker_threads';

/**
 * Threads of this service, each built as one file (bundle.ts). At most 15 letters, which is what
 * Linux keeps of a thread's name.
 */
export type ThreadName =
  'document-search' | 'log-writer' | 'overlaps' | 'read-side' | 'uploaded-table';

/**
 * Starts a thread from its built file: a single file starts in a fraction of the time. The
 * operating system shows the thread by its name (`top -H`, `/proc/<pid>/task/<tid>/comm`).
 */
export const startThread = (name: ThreadName, options: WorkerOptions = {}): Worker =>
  new Worker(new URL(`../../threads/${name}.js`, import.meta.url), { ...options, name });
