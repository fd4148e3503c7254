import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { decode } from '../events/codec.js';
import { Fault } from '../kernel/fault.js';
import { recordQueryLimit } from '../kernel/limits.js';
import type { NotificationBus, EventLog, EventReader, Leases } from '../kernel/ports.js';
import type { Documents } from '../kernel/documents.js';
import type { Incident, Records } from '../kernel/records/records.js';
import type { DataKeyStore } from '../kernel/vault.js';
import type { Sandbox, SandboxMode } from '../kernel/sandbox.js';
import { openBus } from './memory/bus.js';
import { openMemoryLeases } from './memory/leases.js';
import { systemClock } from './node/clock.js';
import { openDataKeys } from './node/data-keys.js';
import { diskFiles, makeFolder } from './node/files.js';
import type { DamagedFile } from './sqlite/document-damage.js';
import { openDocumentReader } from './sqlite/document-reader.js';
import { openDocuments } from './sqlite/documents.js';
import { openEventLog, openEventReader } from './sqlite/event-log.js';
import { openSandbox } from './sandbox/sandbox.js';
import { lockFolder } from './sqlite/folder-lock.js';
import { logFile } from './sqlite/log-schema.js';
import { findLostLog, type LostLog } from './sqlite/lost-log.js';

// Server clients are loaded on demand, so that a start without them does not wait. DuckDB is two
// hundred files, needed only by the thread with the records.
const duckdbRecords = async () => (await import('./duckdb/records.js')).openRecords;
const eventStore = async () => (await import('./eventstoredb/event-log.js')).openEventStore;
const mongoDocuments = async () => (await import('./mongodb/documents.js')).openMongoDocuments;
const mongoRecords = async () => (await import('./mongodb/records.js')).openMongoRecords;
const mongoDataKeys = async () => (await import('./mongodb/data-keys.js')).openMongoDataKeys;
const mongoLeases = async () => (await import('./mongodb/leases.js')).openMongoLeases;
const natsBus = async () => (await import('./nats/bus.js')).openNatsBus;

/** Preloads the engine of embedded records before it is needed. Never rejects. */
export const warmRecords = async (): Promise<void> => {
  await duckdbRecords().catch(() => null);
};

/** Choice of the engine behind each port: null = the embedded one in the data folder. */
export type EngineChoice = {
  readonly dataDir: string;
  readonly eventStoreUrl: string | null;
  readonly mongodbUrl: string | null;
  readonly natsUrl: string | null;
  /** Memory limit of records on DuckDB; absent = its default. */
  readonly recordsMemoryMb?: number;
  /**
   * `replica`: records are not beside the documents but in replica processes, which open them by
   * `replicaOf`.
   */
  readonly records?: 'shared' | 'replica';
  /** Number of partitions of the records beside the documents; absent = one. */
  readonly recordsPartitions?: number;
  /** A thread that folds exports spans of its own (kernel/tracing.ts); absent = it does not. */
  readonly isTraced?: boolean;
};

/** Engines of a replica: the service's log, and a separate folder for its read models. */
export const replicaOf = (choice: EngineChoice): EngineChoice => ({
  ...choice,
  dataDir: join(choice.dataDir, 'replica'),
  mongodbUrl: null,
  natsUrl: null,
  records: 'shared',
  recordsPartitions: 1,
});

/** Working folder of code scorers; null = a temporary folder. */
type SandboxChoice = {
  readonly sandbox: SandboxMode;
  readonly sandboxDir: string | null;
};

/** Engine of a port. `isRemote`: a server, which may be away; else a part of this process. */
const enginePort = <N extends string>(url: string | null, [here, remote]: readonly [N, N]) => ({
  name: url === null ? here : remote,
  isRemote: url !== null,
});

const enginePorts = ({ eventStoreUrl, mongodbUrl, natsUrl, records: place }: EngineChoice) => {
  const records = enginePort(place === 'replica' ? null : mongodbUrl, ['duckdb', 'mongodb']);
  return {
    eventLog: enginePort(eventStoreUrl, ['sqlite', 'eventstoredb']),
    documents: enginePort(mongodbUrl, ['sqlite', 'mongodb']),
    records: {
      ...records,
      /** Limit of its queries, where the pool of the process has so many threads. */
      concurrency: (poolThreads: number) => recordQueryLimit(records, poolThreads),
      /** Form in which it takes fresh traces with the least work. */
      freshAs: records.isRemote ? ('rows' as const) : ('columns' as const),
    },
    bus: enginePort(natsUrl, ['memory', 'nats']),
  };
};

/**
 * Engines of one service. Every thread that needs one opens it through here; no other module names
 * an engine.
 */
export type Engines = {
  /** The data folder, absolute. */
  readonly dir: string;
  readonly ports: ReturnType<typeof enginePorts>;
  /** True if the data folder holds a log or read models, so that only one process may use it. */
  readonly embedded: boolean;
  /**
   * Locks the folder and returns the unlock function. Fault `conflict` if locked; `invalid` if its
   * log is lost (D-179).
   */
  lock(): () => void;
  /**
   * Opens the notification bus. `space`: over NATS, only buses of one space exchange messages; null
   * = only this process.
   */
  bus(space: string | null): Promise<NotificationBus>;
  /** Decoded log, for decisions. Once per process. */
  log(bus: NotificationBus): Promise<EventLog>;
  /**
   * Log as stored: the projector decodes it, so that a poison event parks its stream and not the
   * page.
   */
  reader(bus: NotificationBus): Promise<EventReader>;
  /**
   * Opens the documents. The writer replaces a damaged file by a new one and reports it.
   * `read-alone`: without search threads, in a process that serves no other requests.
   */
  documents(
    access: 'read' | 'read-alone' | 'write',
    broken?: (broken: DamagedFile) => void,
  ): Promise<Documents>;
  /** Opens the records. On DuckDB one owner per process. `part`: the only partition, from 1. */
  records(asked?: {
    readonly notice?: (incident: Incident) => void;
    readonly part?: number;
  }): Promise<Records>;
  leases(): Promise<Leases>;
  /** Data keys, stored beside the read models but not rebuildable. */
  dataKeys(): Promise<DataKeyStore>;
  /** Opens at once; its capabilities are known a little later. */
  sandbox(): Sandbox;
};

export const openEngines = async (
  choice: EngineChoice & Partial<SandboxChoice>,
): Promise<Engines> => {
  const { eventStoreUrl, mongodbUrl, natsUrl } = choice;
  const dir = resolve(choice.dataDir);
  await makeFolder(dir);
  const embedded = eventStoreUrl === null || mongodbUrl === null;
  return {
    dir,
    ports: enginePorts(choice),
    embedded,
    lock: () => {
      if (!embedded) return () => undefined;
      return eventStoreUrl === null ? lockedLog(dir) : lockFolder(dir);
    },
    bus: async (space) =>
      natsUrl === null || space === null
        ? openBus(`assay ${dir}`)
        : (await natsBus())({ url: natsUrl, space }),
    log: async (bus) =>
      eventStoreUrl === null
        ? openEventLog({ dir, bus, decode })
        : (await eventStore())({ url: eventStoreUrl, decode }),
    reader: async (bus) =>
      eventStoreUrl === null
        ? openEventReader({ dir, bus })
        : (await eventStore())({ url: eventStoreUrl }),
    documents: async (access, broken) => {
      if (mongodbUrl !== null) return (await mongoDocuments())({ url: mongodbUrl });
      if (access === 'read') return openDocumentReader({ dir });
      const readOnly = access === 'read-alone';
      return openDocuments({ dir, readOnly, ...(broken !== undefined && { broken }) });
    },
    records: async ({ notice, part } = {}) => {
      if (mongodbUrl !== null) {
        const { recordsPartitions: partitions = 1 } = choice;
        const options = { partitions, ...(part !== undefined && { part }) };
        return (await mongoRecords())({ url: mongodbUrl, ...options });
      }
      const { recordsMemoryMb: memoryMb } = choice;
      return (await duckdbRecords())({
        dir,
        ...(memoryMb !== undefined && { memoryMb }),
        ...(notice !== undefined && { onIncident: notice }),
      });
    },
    dataKeys: async () =>
      mongodbUrl === null
        ? openDataKeys(diskFiles, dataKeysFolder(dir))
        : (await mongoDataKeys())({ url: mongodbUrl }),
    leases: async () =>
      mongodbUrl === null
        ? openMemoryLeases(systemClock)
        : (await mongoLeases())({ url: mongodbUrl }),
    sandbox: () =>
      openSandbox({
        wanted: choice.sandbox ?? 'off',
        cache: choice.sandboxDir ?? join(tmpdir(), `assay-sandbox-${process.getuid?.()}`),
      }),
  };
};

/** True if a service ever wrote to this folder; creates nothing. */
export const hasLog = (dir: string): boolean => existsSync(logFile(dir));
/** Staging folder of a restore, until all of the log is there. */
export const restoringFolder = (dir: string): string => join(dir, 'restoring');

/** An interrupted restore, and what to do; null if none. */
export const halfRestored = (dir: string): LostLog | null => {
  const restoring = restoringFolder(resolve(dir));
  if (hasLog(dir) || !existsSync(restoring)) return null;
  return {
    found: `${restoring} is from a restoring that broke off`,
    toDo: 'give assay restore again, it goes on where it was',
  };
};

/** Throws if a restore was interrupted: a service would begin an empty installation beside it. */
export const refuseHalfRestored = (dir: string): void => {
  const half = halfRestored(dir);
  if (half !== null) throw new Fault('conflict', `${half.found}: ${half.toDo}`);
};

/** Locks the folder of a log, before anything is written to it. */
const lockedLog = (dir: string): (() => void) => {
  refuseHalfRestored(dir);
  const unlock = lockFolder(dir);
  try {
    refuseLost(dir);
    return unlock;
  } catch (error) {
    unlock();
    throw error;
  }
};

/** Throws Fault `invalid` where a new log would erase the last copies of the old one. */
export const refuseLost = (dir: string): void => {
  const lost = findLostLog(resolve(dir));
  if (lost !== null) throw new Fault('invalid', `${lost.found}: ${lost.toDo}`);
};

/** Lock of a folder, one process at a time; its backup uses it too. */
export const lockedFolder = lockFolder;

export const dataKeysFolder = (dir: string): string => join(dir, 'data-keys');
export const secretKeyFile = (dir: string): string => join(dir, 'secret.key');
/** Check value that identifies the folder's secret key (engines/node/key-check.ts). */
export const keyCheckFile = (dir: string): string => join(dir, 'secret.check');
/**
 * Cursor of the erasure worker; a lost one costs a scan of the log, as does the first start of a
 * build with this name: under another one only records were erased.
 */
export const erasingFile = (dir: string): string => join(dir, 'erasures');
/** Cursor of the eraser of stored idempotency responses, a day behind. */
export const forgettingFile = (dir: string): string => join(dir, 'forgetting');
/** Cursor of the removal of removed users from groups and projects. */
export const offboardingFile = (dir: string): string => join(dir, 'offboarding');
/** Cursor of the worker that ends scorer validations. */
export const scoringFile = (dir: string): string => join(dir, 'scoring');
/** Cursor of the scoring of traces of runs with scorers. */
export const runScoringFile = (dir: string): string => join(dir, 'run-scoring');
/** Ports of the running service, for the operator's commands. */
export const serviceFile = (dir: string): string => join(dir, 'service.json');
