import type { Limit } from './limiter.js';

/** Limit of one kind of work, with its row in docs/configuration.md. */
type LimitRow<K extends string> = Limit<K> & {
  /** Kind of work, in words. */
  readonly of: string;
};
const row = <K extends string>(limit: LimitRow<K>): LimitRow<K> => limit;
const unbounded = Number.POSITIVE_INFINITY;

/** Limits of load of one process; those that it shows to clients are in contract 1.11. */
export const limits = {
  /**
   * Far more than two cores process at once; beyond that, queueing only makes each slower. Shares,
   * so that it takes more than three callers, or more than two people or one address, to use all of
   * it. A caller is a key; a person with more keys has one and a half times its share.
   */
  requests: row({
    of: 'requests at work; as many more wait for a read model',
    size: 512,
    shares: { address: 256, caller: 128, person: 192 },
    waitersMax: 0,
  }),
  /** Parsing blocks the event loop some 5 ms a mebibyte, and validation as long again. */
  largeBodies: row({
    of: 'large bodies that are inflated, parsed and processed; the rest wait 20 s at most',
    size: 4,
    shares: { caller: 2, person: 2 },
    waitersMax: unbounded,
  }),
  /** Each is in memory some four times until its JSON is sent; engines run fewer at once. */
  largeAnswers: row({
    of: 'answers made of records or dataset rows',
    size: 16,
    shares: { caller: 4, person: 6 },
    waitersMax: unbounded,
  }),
  /** They hold all rows of a dataset: 100,000 rows of 32 MiB are some 150 MB meanwhile. */
  datasetWrites: row({
    of: 'datasets that are created or edited',
    size: 4,
    shares: { caller: 2, person: 2 },
    waitersMax: unbounded,
  }),
  /** With two threads: one for the busiest tenant, one for the others. Each caches up to 64 MiB. */
  documentSearches: row({
    of: 'searches of embedded lists and settings',
    size: 2,
    shares: { tenant: 1 },
    waitersMax: 64,
  }),
  /** The rows of a trace of 64 MiB take about three times that until its JSON is written. */
  largeRecordAnswers: row({
    of: 'answers made of more than 1 MiB of records',
    size: 1,
    shares: { tenant: 1 },
    waitersMax: unbounded,
  }),
  /** They fold and hash in the thread that accepts requests. */
  historyReads: row({
    of: 'history pages, feeds, exports and certificates',
    size: 2,
    shares: { organization: 1 },
    waitersMax: 64,
  }),
  overlaps: row({
    of: '`bleu` and `rouge` of long texts',
    size: 1,
    shares: { tenant: 1 },
    waitersMax: unbounded,
  }),
  /** Each may use a processor and its heap. */
  tableParsers: row({
    of: 'uploaded tables that are parsed',
    size: 2,
    shares: {},
    waitersMax: unbounded,
  }),
  /** The server takes 100 calls on a connection, and reads need some. */
  eventStoreAppends: row({
    of: 'appends to EventStoreDB',
    size: 48,
    shares: {},
    waitersMax: unbounded,
  }),
  /** Beyond it they are refused instead of queued without end. */
  eventStoreAppendBytes: row({
    of: 'bytes of running and waiting appends to EventStoreDB',
    size: 268_435_456,
    shares: {},
    waitersMax: 0,
  }),
};

/** Budgets of memory, in bytes; their shares are those of contract 1.11. */
export const byteBudgets = {
  /** Two large uploads and hundreds of usual bodies at once. */
  bodies: { of: 'bytes of decompressed bodies until their answer', size: 134_217_728 },
  /** 32 pages of 8 MiB: with the bodies a quarter of the 1.5 GB that the process may take. */
  answers: { of: 'bytes of answers that are not received yet', size: 268_435_456 },
} as const;

/**
 * Limit of queries on records. DuckDB uses two cores, and each running query holds a thread of the
 * pool that passwords and files share. With node's default of four, one stays free for the
 * projections; with the twelve of `npm start` and the image three projects can use their share at
 * once.
 */
export const recordQueryLimit = (
  { isRemote }: { readonly isRemote: boolean },
  poolThreads: number,
) => {
  const of = 'queries on records';
  if (isRemote)
    return row({ of: `${of} in MongoDB`, size: 16, shares: { project: 4 }, waitersMax: 64 });
  const size = poolThreads < 8 ? 3 : 6;
  return row({ of, size, shares: { project: 2 }, waitersMax: 66 });
};

/**
 * Limit of password hashes: at most two, so that half of libuv's four threads stay free, and one
 * fewer than processors, so that one of those does: on two processors two at once made reads ten
 * times as slow (bench row bad-passwords). A second of waiting at 20 ms each; beyond that the
 * answer would be late.
 */
export const passwordLimit = (cores: number) => {
  const size = Math.max(1, Math.min(2, cores - 1));
  return row({ of: 'password hashes', size, shares: {}, waitersMax: 50 * size });
};

/**
 * Limit of processes of code scorers: one core stays free for other work, but at least two are used
 * (contract 1.11: two validations run).
 */
export const scorerLimit = (cores: number) =>
  row({
    of: 'processes of code scorers',
    size: cores,
    shares: { tenant: Math.max(2, cores - 1) },
    waitersMax: unbounded,
  });
