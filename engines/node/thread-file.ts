/** Threads of this service, each built as one file (bundle.ts). */
export type ThreadName =
  'document-search' | 'log-writer' | 'overlaps' | 'read-side' | 'uploaded-table';

/** Built file of a thread: a single file starts in a fraction of the time. */
export const threadFile = (name: ThreadName): URL =>
  new URL(`../../threads/${name}.js`, import.meta.url);
