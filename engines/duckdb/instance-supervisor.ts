import type { DuckDBInstance } from '@duckdb/node-api';
import { join } from 'node:path';
import { openMutex } from '../../kernel/concurrency.js';
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

/**
 * What works on a model, and has the engine opened again when that is what its failure asks for.
 */
export type RunOnModel = <T>(work: (model: RecordsModel) => Promise<T>) => Promise<T>;

/** The live model, which another one may replace: a copy, or itself opened again. */
export type InstanceSupervisor = {
  /** Throws Fault `unavailable` while it is being opened again. */
  readonly live: () => RecordsModel;
  readonly instance: () => DuckDBInstance;
  readonly run: RunOnModel;
  /** The same on a model beside the live one, until its instance is gone. */
  readonly runOn: (model: RecordsModel) => RunOnModel;
  /** It is closed, and was never the live one. */
  readonly untrack: (model: RecordsModel) => void;
  /** Works follow each other, and an opening waits for them and they for it. */
  readonly runExclusive: <T>(work: () => Promise<T>) => Promise<T>;
  /** In turn only: another file is the live one from here on, also after a crash. */
  readonly promote: (model: RecordsModel, generation: number) => Promise<void>;
  /** The files of models that another one replaced are gone; throws while one of them stays. */
  readonly removeReplacedFiles: () => Promise<void>;
  /** In turn, and counted: a file that no batch can be written to is dropped. */
  readonly write: (work: (model: RecordsModel) => Promise<void>) => Promise<void>;
  readonly close: () => Promise<void>;
};

/**
 * Batches in a row that cost the instance before the file is blamed: then the log fills another.
 */
const lostInstancesMax = 3;
/** A file that does not open is tried this often, as the disk or the memory may be another time. */
const triesMax = 3;
const reopenDelayMs = 1_000;

type SupervisorOptions = {
  readonly dir: string;
  readonly memoryMb: number;
  readonly onIncident: (incident: Incident) => void;
};

export const openInstanceSupervisor = async (
  where: SupervisorOptions,
): Promise<InstanceSupervisor> => {
  const current = await openSupervisedInstance(where);
  const inTurn = openMutex();
  const { opened: now } = current;
  const failed = (on: LiveInstance, error: unknown): void => {
    if (!(error instanceof Fault) || error.cause === undefined) return;
    where.onIncident({ kind: incidentKindOf(error), did: 'nothing', cause: redactedReason(error) });
    if (!isInstanceInvalidated(error) && !isFileCorrupt(error)) return;
    void inTurn(() => current.reopen(on, error)).catch(() => null);
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
          throw new Fault('unavailable', 'The copy is gone: the engine was opened again');
        }
        return watched(on, () => work(model));
      };
    },
    untrack: (model) => void current.shadows.delete(model),
    runExclusive: inTurn,
    promote: current.promote,
    removeReplacedFiles: () => inTurn(current.removeReplacedFiles),
    write: (work) =>
      inTurn(async () => {
        const on = now();
        await watched(on, () => current.countLosses(() => work(on.live)));
      }),
    close: async () => {
      current.stop();
      await inTurn(() => Promise.resolve());
      await current.close();
    },
  };
};

/** The instance with the live model, opened again when it broke. */
type SupervisedInstance = {
  /** Throws Fault `unavailable` while it is being opened again. */
  readonly opened: () => LiveInstance;
  /** Models beside the live one, which are gone with their instance. */
  readonly shadows: Set<RecordsModel>;
  /** In turn only. Another one may have seen to what broke already. */
  readonly reopen: (broken: LiveInstance, why: unknown) => Promise<void>;
  readonly promote: InstanceSupervisor['promote'];
  /** In turn only. */
  readonly removeReplacedFiles: InstanceSupervisor['removeReplacedFiles'];
  /** A batch; those in a row that cost the instance are counted. */
  readonly countLosses: (batch: () => Promise<void>) => Promise<void>;
  /** Nothing is opened again from here on, and questions end. */
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
  /** Instances that batches cost since the last one was written. */
  let lost = 0;
  const now = (): LiveInstance => {
    if (opened !== null) return opened;
    throw new Fault('unavailable', 'The records are being opened again', { retryAfterSeconds: 1 });
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
      opened = await reopenUntilReadable(where, () => isStopped, blamed);
      onIncident({ kind: incidentKindOf(why), did: 'reopened', cause: redactedReason(why) });
    },
    promote: async (model, generation) => {
      const { live, instance } = now();
      await writeLiveGeneration(dir, generation);
      opened = { instance, live: model };
      besides.delete(model);
      replaced.add(live);
      // It has switched; what stays is removed another time.
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
 * Tried until it opens; null = it was stopped meanwhile. `why` of not null: the file is dropped
 * first, which may fail as an opening does.
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
