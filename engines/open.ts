import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { decode } from '../events/codec.js';
import { Fault } from '../kernel/fault.js';
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

// Clients of servers are loaded once one is asked for: nobody waits for them at a start without.
// DuckDB is two hundred files, which only the thread needs that has the records.
const duckdbRecords = async () => (await import('./duckdb/records.js')).openRecords;
const eventStore = async () => (await import('./eventstoredb/event-log.js')).openEventStore;
const mongoDocuments = async () => (await import('./mongodb/documents.js')).openMongoDocuments;
const mongoRecords = async () => (await import('./mongodb/records.js')).openMongoRecords;
const mongoDataKeys = async () => (await import('./mongodb/data-keys.js')).openMongoDataKeys;
const mongoLeases = async () => (await import('./mongodb/leases.js')).openMongoLeases;
const natsBus = async () => (await import('./nats/bus.js')).openNatsBus;

/**
 * Loads the engine of embedded records, before it is known that they are asked for. Never rejects.
 */
export const warmRecords = async (): Promise<void> => {
  await duckdbRecords().catch(() => null);
};

/** Which engine stands behind each port: null = the embedded one in the data folder. */
export type EngineChoice = {
  readonly dataDir: string;
  readonly eventStoreUrl: string | null;
  readonly mongodbUrl: string | null;
  readonly natsUrl: string | null;
  /** What records on DuckDB may take; absent = their own default. */
  readonly recordsMemoryMb?: number;
  /** `replica`: not beside the documents, but in processes that open them as `replicaOf` says. */
  readonly records?: 'shared' | 'replica';
  /** Into how many parts the records are folded beside the documents; absent = they are one. */
  readonly recordsPartitions?: number;
  /** A thread that folds exports spans of its own (kernel/tracing.ts); absent = it does not. */
  readonly isTraced?: boolean;
};

/** The engines of a replica: the service's log, and a folder of its own for what is folded. */
export const replicaOf = (choice: EngineChoice): EngineChoice => ({
  ...choice,
  dataDir: join(choice.dataDir, 'replica'),
  mongodbUrl: null,
  natsUrl: null,
  records: 'shared',
  recordsPartitions: 1,
});

/** Where code scorers run; null = a folder among the temporary files. */
type SandboxChoice = {
  readonly sandbox: SandboxMode;
  readonly sandboxDir: string | null;
};

/**
 * The engines of one service. Every thread that needs one opens it through here; nothing else names
 * an engine.
 */
export type Engines = {
  /** The data folder, absolute. */
  readonly dir: string;
  readonly names: {
    readonly eventLog: 'sqlite' | 'eventstoredb';
    readonly documents: 'sqlite' | 'mongodb';
    readonly records: 'duckdb' | 'mongodb';
    readonly bus: 'memory' | 'nats';
  };
  /** The data folder holds a log or read models, so only one process may use it. */
  readonly embedded: boolean;
  /**
   * Alone in the folder, or Fault `conflict`; `invalid` where its log is lost (D-179). Answers the
   * function that gives it back.
   */
  lock(): () => void;
  /** `space`: over NATS only those of one space hear each other; null = only this process. */
  bus(space: string | null): Promise<NotificationBus>;
  /** Decoded, for deciding. Once per process. */
  log(bus: NotificationBus): Promise<EventLog>;
  /**
   * As stored: the projector decodes, so that what it cannot read parks a stream and not the page.
   */
  reader(bus: NotificationBus): Promise<EventReader>;
  /**
   * A damaged file is begun anew by whoever writes, and told.
   * `read-alone`: without threads for searches, in a process that has nobody else to answer.
   */
  documents(
    access: 'read' | 'read-alone' | 'write',
    broken?: (broken: DamagedFile) => void,
  ): Promise<Documents>;
  /** On DuckDB one owner per process. `part`: the only partition that is meant, from 1. */
  records(asked?: {
    readonly notice?: (incident: Incident) => void;
    readonly part?: number;
  }): Promise<Records>;
  leases(): Promise<Leases>;
  /** Where the read models are, but no read model: nothing rebuilds them. */
  dataKeys(): Promise<DataKeyStore>;
  /** At once: what it can do shows a little later. */
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
    names: {
      eventLog: eventStoreUrl === null ? 'sqlite' : 'eventstoredb',
      documents: mongodbUrl === null ? 'sqlite' : 'mongodb',
      records: mongodbUrl === null || choice.records === 'replica' ? 'duckdb' : 'mongodb',
      bus: natsUrl === null ? 'memory' : 'nats',
    },
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

/** Whether a service ever wrote to this folder; makes nothing. */
export const hasLog = (dir: string): boolean => existsSync(logFile(dir));
/** Where a restoring keeps what it has, until all of the log is there. */
export const restoringFolder = (dir: string): string => join(dir, 'restoring');

/** A restoring that broke off, and what to do; null: there is none. */
export const halfRestored = (dir: string): LostLog | null => {
  const restoring = restoringFolder(resolve(dir));
  if (hasLog(dir) || !existsSync(restoring)) return null;
  return {
    found: `${restoring} is from a restoring that broke off`,
    toDo: 'give assay restore again, it goes on where it was',
  };
};

/** A service would begin an empty installation beside what is there already. */
export const refuseHalfRestored = (dir: string): void => {
  const half = halfRestored(dir);
  if (half !== null) throw new Fault('conflict', `${half.found}: ${half.toDo}`);
};

/** The folder of a log; before anything is written to it. */
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

/** Throws Fault `invalid` where a new log would empty the last copies of what was logged. */
export const refuseLost = (dir: string): void => {
  const lost = findLostLog(resolve(dir));
  if (lost !== null) throw new Fault('invalid', `${lost.found}: ${lost.toDo}`);
};

/** One process at a time in a folder: its backup has the same rule. */
export const lockedFolder = lockFolder;

export const dataKeysFolder = (dir: string): string => join(dir, 'data-keys');
export const secretKeyFile = (dir: string): string => join(dir, 'secret.key');
/** What the secret key of this folder is told from another by (engines/node/key-check.ts). */
export const keyCheckFile = (dir: string): string => join(dir, 'secret.check');
/**
 * Up to where deletions were acted on; a lost one costs a look through the log, as the first start
 * of a build with this name does: under another one only records were erased.
 */
export const erasingFile = (dir: string): string => join(dir, 'erasures');
/** Up to where answers kept for a repeat are erased, a day late. */
export const forgettingFile = (dir: string): string => join(dir, 'forgetting');
/** Up to where users who were removed have left groups and projects. */
export const offboardingFile = (dir: string): string => join(dir, 'offboarding');
/** Up to where validations of scorers are ended. */
export const scoringFile = (dir: string): string => join(dir, 'scoring');
/** Up to where traces of runs with scorers are scored. */
export const runScoringFile = (dir: string): string => join(dir, 'run-scoring');
/** Where the running service says on which ports it listens, for the operator's commands. */
export const serviceFile = (dir: string): string => join(dir, 'service.json');
