/** The threads of this service, each built as one file (bundle.ts). */
export type ThreadName =
  'document-search' | 'log-writer' | 'overlaps' | 'read-side' | 'uploaded-table';

/** Where the build put it: read as one file, a thread is there in a fraction of the time. */
export const threadFile = (name: ThreadName): URL =>
  new URL(`../../threads/${name}.js`, import.meta.url);
