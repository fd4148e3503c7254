import type { DuckDBInstance } from '@duckdb/node-api';
import { join } from 'node:path';
import { openMutex } from '../../kernel/concurrency.js';
import { isDiskError } from '../../kernel/disk-errors.js';
import { Fault, redactedReason } from '../../kernel/fault.js';
import type { Incident } from '../../kernel/records/records.js';
import { quarantineFile } from '../node/file-quarantine.js';
import { openLiveInstance, removeDatabaseFile, type LiveInstance } from './instance.js';
import type { RecordsModel } from './model.js';
import { databaseFileName, readLiveGeneration, writeLiveGeneration } from './generation-files.js';
import {
  isInstanceInvalidated,
  isFileCorrupt,
  incidentKindOf,
  describeDamage,
} from './engine-errors.js';

/** Runs work on a model; reopens the engine when the failure requires it. */
export type RunOnModel = <T>(work: (model: RecordsModel) => Promise<T>) => Promise<T>;

/**
 * Supervises the engine instance and its live model, which a copy may replace or a reopening may
 * restore.
 */
export type InstanceSupervisor = {
  /** The live model. Throws Fault `unavailable` during a reopening. */
  readonly live: () => RecordsModel;
  readonly instance: () => DuckDBInstance;
  readonly run: RunOnModel;
  /** `run` for a model beside the live one, until its instance is gone. */
  readonly runOn: (model: RecordsModel) => RunOnModel;
  /** Forgets a closed model that never became live. */
  readonly untrack: (model: RecordsModel) => void;
  /** Runs `work` under the mutex that reopenings use too. */
  readonly runExclusive: <T>(work: () => Promise<T>) => Promise<T>;
  /** Flushes another file and makes it the live one, durably. Exclusive only. */
  readonly promote: (model: RecordsModel, generation: number) => Promise<void>;
  /** Removes the files of replaced models; throws while one remains. */
  readonly removeReplacedFiles: () => Promise<void>;
  /**
   * Exclusive write, or flush, that counts lost instances: a file that accepts no batch is dropped.
   */
  readonly write: (work: (model: RecordsModel) => Promise<void>) => Promise<void>;
  readonly close: () => Promise<void>;
};

/**
 * Consecutive batches that lost the instance before the file is dropped and rebuilt from the log.
 */
const lostInstancesMax = 3;
/** Attempts to open a file: disk or memory may recover in between. */
const triesMax = 3;
const reopenDelayMs = 1_000;
/** Each refused flush costs a reopening and the folding of all rows since the one before. */
const flushRetryMs = 60_000;

type SupervisorOptions = {
  readonly dir: string;
  readonly memoryMb: number;
  readonly onIncident: (incident: Incident) => void;
};

export const openInstanceSupervisor = async (
  where: SupervisorOptions,
): Promise<InstanceSupervisor> => {
  const current = await openSupervisedInstance(where);
  const runExclusive = openMutex();
  const { opened: now } = current;
  const failed = (on: LiveInstance, error: unknown): void => {
    if (!(error instanceof Fault) || error.cause === undefined) return;
    where.onIncident({ kind: incidentKindOf(error), did: 'nothing', cause: redactedReason(error) });
    if (!isInstanceInvalidated(error) && !isFileCorrupt(error)) return;
    void runExclusive(() => current.reopen(on, error)).catch(() => null);
  };
  const watched = async <T>(on: LiveInstance, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      failed(on, error);
      throw describeDamage(error);
    }
  };
  return {
    live: () => now().live,
    instance: () => now().instance,
    run: async (work) => {
      const on = now();
      return watched(on, () => work(on.live));
    },
    runOn: (model) => {
      const { instance } = now();
      current.shadows.add(model);
      return async (work) => {
        const on = now();
        if (on.instance !== instance) {
          throw new Fault('unavailable', 'The shadow copy was lost: the engine was reopened');
        }
        return watched(on, () => work(model));
      };
    },
    untrack: (model) => void current.shadows.delete(model),
    runExclusive,
    promote: current.promote,
    removeReplacedFiles: () => runExclusive(current.removeReplacedFiles),
    write: (work) =>
      runExclusive(async () => {
        const on = now();
        await watched(on, () => current.countLosses(() => work(on.live)));
      }),
    close: async () => {
      current.stop();
      await runExclusive(() => Promise.resolve());
      await current.close();
    },
  };
};

/** The instance and its live model, reopened after a failure. */
type SupervisedInstance = {
  /** The open instance. Throws Fault `unavailable` during a reopening. */
  readonly opened: () => LiveInstance;
  /** Models beside the live one; they end with their instance. */
  readonly shadows: Set<RecordsModel>;
  /** Reopens the instance unless another caller already did. Exclusive only. */
  readonly reopen: (broken: LiveInstance, why: unknown) => Promise<void>;
  readonly promote: InstanceSupervisor['promote'];
  /** Exclusive only. */
  readonly removeReplacedFiles: InstanceSupervisor['removeReplacedFiles'];
  /** Runs a batch and counts consecutive instance losses. */
  readonly countLosses: (batch: () => Promise<void>) => Promise<void>;
  /** Stops reopening and ends queries. */
  readonly stop: () => void;
  readonly close: () => Promise<void>;
};

const openSupervisedInstance = async (where: SupervisorOptions): Promise<SupervisedInstance> => {
  const { dir, onIncident } = where;
  const besides = new Set<RecordsModel>();
  const replaced = new Set<RecordsModel>();
  const removeReplaced = async (): Promise<void> => {
    for (const model of replaced) {
      await model.close().catch(() => undefined);
      await removeDatabaseFile(model.path);
      replaced.delete(model);
    }
  };
  let opened: LiveInstance | null = await openFirst(where);
  let isStopped = false;
  /** Instances lost since the last batch was written. */
  let lost = 0;
  const now = (): LiveInstance => {
    if (opened !== null) return opened;
    throw new Fault('unavailable', 'The record store is being reopened. Retry in a second', {
      retryAfterSeconds: 1,
    });
  };
  return {
    opened: now,
    shadows: besides,
    reopen: async (broken, why) => {
      if (isStopped || opened !== broken) return;
      opened = null;
      for (const model of [broken.live, ...besides]) await model.abandon().catch(() => undefined);
      besides.clear();
      broken.instance.closeSync();
      const blamed = isFileCorrupt(why) || lost >= lostInstancesMax ? why : null;
      if (blamed !== null) lost = 0;
      const again = await reopenUntilReadable(where, () => isStopped, blamed);
      if (isDiskError(why)) again?.live.flush.postpone(flushRetryMs);
      // Before it serves: its rows may be those of the last flush.
      onIncident({ kind: incidentKindOf(why), did: 'reopened', cause: redactedReason(why) });
      opened = again;
    },
    promote: async (model, generation) => {
      const { live, instance } = now();
      // The replaced file is gone afterwards, and with it what a crash would fall back on.
      await model.flush.run();
      await writeLiveGeneration(dir, generation);
      opened = { instance, live: model };
      besides.delete(model);
      replaced.add(live);
      // Promoted already; a remaining file is removed later.
      await removeReplaced().catch(() => undefined);
    },
    removeReplacedFiles: removeReplaced,
    countLosses: async (batch) => {
      try {
        await batch();
        lost = 0;
      } catch (error) {
        if (isInstanceInvalidated(error)) lost += 1;
        throw error;
      }
    },
    stop: () => {
      isStopped = true;
      opened?.live.connections.interrupt();
    },
    close: async () => {
      await opened?.live.close();
      opened?.instance.closeSync();
    },
  };
};

const setAsideFile = async (
  { dir, onIncident }: SupervisorOptions,
  why: unknown,
): Promise<void> => {
  const kept = await quarantineFile(join(dir, databaseFileName(await readLiveGeneration(dir))), [
    '.wal',
  ]);
  onIncident({ kind: incidentKindOf(why), did: 'dropped', cause: redactedReason(why), kept });
};

const openFirst = async (where: SupervisorOptions): Promise<LiveInstance> => {
  const { dir, memoryMb } = where;
  try {
    return await openLiveInstance(dir, memoryMb);
  } catch (error) {
    if (!isFileCorrupt(error)) throw error;
    await setAsideFile(where, error);
    return openLiveInstance(dir, memoryMb);
  }
};

/**
 * Retries until the file opens; null if stopped meanwhile. With `why`, the file is dropped first,
 * which may fail like an opening.
 */
const reopenUntilReadable = async (
  where: SupervisorOptions,
  isStopped: () => boolean,
  why: unknown,
): Promise<LiveInstance | null> => {
  let blamed = why;
  for (let tries = 1; !isStopped(); tries += 1) {
    try {
      if (blamed !== null) await setAsideFile(where, blamed);
      blamed = null;
      return await openLiveInstance(where.dir, where.memoryMb);
    } catch (error) {
      const isLost = incidentKindOf(error) === 'out-of-memory' && tries >= triesMax;
      if (isFileCorrupt(error) || isLost) blamed = error;
      else await new Promise((resolve) => setTimeout(resolve, reopenDelayMs));
    }
  }
  return null;
};
