import {
  MongoBulkWriteError,
  MongoClient,
  MongoError,
  MongoNetworkError,
  MongoServerError,
  MongoServerSelectionError,
  type Db,
  type MongoClientOptions,
} from 'mongodb';
import { Fault } from '../../kernel/fault.js';

/** Longest wait for a server that can take the query; then the caller gets 503. */
const selectionMs = 3_000;
/** Socket timeout: longer than any operation may take. */
const socketMs = 90_000;
/**
 * Connection pool size: the aggregations of a few concurrent requests, each of several pipelines.
 */
const poolMax = 32;

/**
 * Settings that correctness rests on, whatever the URL says: acknowledged writes are journalled on
 * a majority, and reads see no write that could be rolled back.
 */
const settings = {
  writeConcern: { w: 'majority', journal: true },
  readConcern: { level: 'majority' },
  readPreference: 'primary',
  retryWrites: true,
  retryReads: true,
  compressors: 'none',
  serverSelectionTimeoutMS: selectionMs,
  connectTimeoutMS: selectionMs,
  socketTimeoutMS: socketMs,
  maxPoolSize: poolMax,
  appName: 'assay',
  // Whole numbers come back as numbers, and malformed UTF-8 is an error instead of noise.
  promoteLongs: true,
  enableUtf8Validation: true,
} as const satisfies MongoClientOptions;

export type MongoConnection = {
  readonly db: Db;
  /** Warning about the durability of a lone server; null for a replica set. */
  readonly caution: string | null;
  readonly close: () => Promise<void>;
};
const loneServer = 'a lone server: what it loses with its disk is rebuilt from the log';

/**
 * Connects to the database that the URL names, `assay` without a name. Throws Fault `unavailable`
 * when no server answers within 3 s; afterwards the client reconnects by itself until it is closed.
 */
export const connect = async (url: string): Promise<MongoConnection> => {
  const client = new MongoClient(url, settings);
  const { writeConcern, readConcern, retryWrites } = client.options;
  if (
    writeConcern.w !== 'majority' ||
    writeConcern.journal !== true ||
    readConcern.level !== 'majority' ||
    !retryWrites
  ) {
    throw new TypeError(
      'unsafe MongoDB settings: journalled majority writes and majority reads are required',
    );
  }
  try {
    const isAlone = await mapDriverErrors(() => isLoneServer(client));
    const name = databaseIn.exec(url)?.[1] ?? 'assay';
    return {
      db: client.db(name, isAlone ? { writeConcern: { w: 1, journal: true } } : {}),
      caution: isAlone ? loneServer : null,
      close: () => client.close(),
    };
  } catch (error) {
    await client.close();
    throw error;
  }
};

/**
 * True for a server without a replica set, its own majority. Its writes wait for the journal only:
 * one such server (the engine of our tests) acknowledges a majority write before the journal has
 * it.
 */
const isLoneServer = async (client: MongoClient): Promise<boolean> => {
  const hello = await client.db('admin').command({ hello: 1 });
  return hello['setName'] === undefined && hello['msg'] !== 'isdbgrid';
};

const databaseIn = /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]+)/;

/** True if another document has this key already. */
export const isDuplicateKey = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === duplicateKey;
const duplicateKey = 11_000;
/** True if the collection does not exist. */
export const isMissingCollection = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === namespaceNotFound;
const namespaceNotFound = 26;

/** True if the query exceeds what a document or a stage of the server may hold. */
export const isTooLarge = (error: unknown): boolean =>
  error instanceof MongoServerError && tooLargeCodes.has(Number(error.code));
/** Document too large, stage memory exceeded (two codes), buffer too large. */
const tooLargeCodes: ReadonlySet<number> = new Set([10334, 146, 292, 13548]);

/**
 * True if a bulk write broke off: it keeps only the error's text, while the server's refusals have
 * a code.
 */
const isBrokenBulkWrite = (error: MongoError): boolean =>
  error instanceof MongoBulkWriteError && [error.writeErrors].flat().length === 0 && !error.code;

/** True if the server did not answer, or could not now: a retry is all that is needed. */
const isTransient = (error: unknown): boolean =>
  isDeadSocket(error) ||
  error instanceof MongoNetworkError ||
  error instanceof MongoServerSelectionError ||
  (error instanceof MongoError &&
    (isBrokenBulkWrite(error) ||
      transientNames.has(error.name) ||
      transientLabels.some((label) => error.hasErrorLabel(label)) ||
      transientCodes.has(Number(error.code))));

/** True for a write to a socket whose other end just died, which surfaces as the system's error. */
const isDeadSocket = (error: unknown): boolean =>
  error instanceof Error && deadSocketCodes.has((error as NodeJS.ErrnoException).code ?? '');
const deadSocketCodes: ReadonlySet<string> = new Set([
  'EPIPE',
  'ECONNRESET',
  'ERR_SOCKET_CLOSED',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
]);

const transientNames: ReadonlySet<string> = new Set([
  'MongoOperationTimeoutError',
  'MongoWaitQueueTimeoutError',
  'MongoPoolClearedError',
  'MongoNotConnectedError',
  'MongoTopologyClosedError',
  'MongoClientClosedError',
  'MongoWriteConcernError',
]);
const transientLabels = ['RetryableWriteError', 'RetryableError', 'TransientTransactionError'];
/**
 * Too long, not primary, shutting down, interrupted, no majority in time: codes of the server's
 * error list.
 */
const transientCodes: ReadonlySet<number> = new Set([
  6, 7, 50, 64, 89, 91, 112, 134, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436,
]);

/** Maps transient driver errors to Fault `unavailable`. */
export const mapDriverErrors = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!isTransient(error)) throw error;
    throw new Fault('unavailable', 'MongoDB does not answer now', {
      retryAfterSeconds: 1,
      cause: error,
    });
  }
};
