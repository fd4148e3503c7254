import type { DuckDBInstance } from '@duckdb/node-api';
import { join } from 'node:path';
import { openSequence } from '../../kernel/turns.js';
import { Fault, reasonOf } from '../../kernel/fault.js';
import type { Incident } from '../../kernel/records/records.js';
import { setAside } from '../node/broken-files.js';
import { openLive, removeFile, type Opened } from './instance.js';
import type { RecordsModel } from './model.js';
import { fileName, readPointer, writePointer } from './pointer.js';
import { isInvalid, isUnusable, kindOf, withDamage } from './trouble.js';

/**
 * What works on a model, and has the engine opened again when that is what its failure asks for.
 */
export type Ask = <T>(work: (model: RecordsModel) => Promise<T>) => Promise<T>;

/** The live model, which another one may replace: a copy, or itself opened again. */
export type Keeper = {
  /** Throws Fault `unavailable` while it is being opened again. */
  readonly live: () => RecordsModel;
  readonly instance: () => DuckDBInstance;
  readonly ask: Ask;
  /** The same on a model beside the live one, until its instance is gone. */
  readonly askOf: (model: RecordsModel) => Ask;
  /** It is closed, and was never the live one. */
  readonly forget: (model: RecordsModel) => void;
  /** Works follow each other, and an opening waits for them and they for it. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  /** In turn only: another file is the live one from here on, also after a crash. */
  readonly become: (model: RecordsModel, generation: number) => Promise<void>;
  /** The files of models that another one replaced are gone; throws while one of them stays. */
  readonly removeReplaced: () => Promise<void>;
  /** In turn, and counted: a file that no batch can be written to is dropped. */
  readonly write: (work: (model: RecordsModel) => Promise<void>) => Promise<void>;
  readonly close: () => Promise<void>;
};

/**
 * Batches in a row that cost the instance before the file is blamed: then the log fills another.
 */
const lostMax = 3;
/** A file that does not open is tried this often, as the disk or the memory may be another time. */
const triesMax = 3;
const againMs = 1_000;

type Where = {
  readonly dir: string;
  readonly memoryMb: number;
  readonly notice: (incident: Incident) => void;
};

export const keep = async (where: Where): Promise<Keeper> => {
  const current = await openCurrent(where);
  const inTurn = openSequence();
  const { now } = current;
  const failed = (on: Opened, error: unknown): void => {
    if (!(error instanceof Fault) || error.cause === undefined) return;
    where.notice({ kind: kindOf(error), did: 'nothing', cause: reasonOf(error) });
    if (!isInvalid(error) && !isUnusable(error)) return;
    void inTurn(() => current.reopen(on, error)).catch(() => null);
  };
  const watched = async <T>(on: Opened, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      failed(on, error);
      throw withDamage(error);
    }
  };
  return {
    live: () => now().live,
    instance: () => now().instance,
    ask: async (work) => {
      const on = now();
      return watched(on, () => work(on.live));
    },
    askOf: (model) => {
      const { instance } = now();
      current.besides.add(model);
      return async (work) => {
        const on = now();
        if (on.instance !== instance) {
          throw new Fault('unavailable', 'The copy is gone: the engine was opened again');
        }
        return watched(on, () => work(model));
      };
    },
    forget: (model) => void current.besides.delete(model),
    inTurn,
    become: current.become,
    removeReplaced: () => inTurn(current.removeReplaced),
    write: (work) =>
      inTurn(async () => {
        const on = now();
        await watched(on, () => current.counted(() => work(on.live)));
      }),
    close: async () => {
      current.stop();
      await inTurn(() => Promise.resolve());
      await current.close();
    },
  };
};

/** The instance with the live model, opened again when it broke. */
type Current = {
  /** Throws Fault `unavailable` while it is being opened again. */
  readonly now: () => Opened;
  /** Models beside the live one, which are gone with their instance. */
  readonly besides: Set<RecordsModel>;
  /** In turn only. Another one may have seen to what broke already. */
  readonly reopen: (broken: Opened, why: unknown) => Promise<void>;
  readonly become: Keeper['become'];
  /** In turn only. */
  readonly removeReplaced: Keeper['removeReplaced'];
  /** A batch; those in a row that cost the instance are counted. */
  readonly counted: (batch: () => Promise<void>) => Promise<void>;
  /** Nothing is opened again from here on, and questions end. */
  readonly stop: () => void;
  readonly close: () => Promise<void>;
};

const openCurrent = async (where: Where): Promise<Current> => {
  const { dir, notice } = where;
  const besides = new Set<RecordsModel>();
  const replaced = new Set<RecordsModel>();
  const removeReplaced = async (): Promise<void> => {
    for (const model of replaced) {
      await model.close().catch(() => undefined);
      await removeFile(model.path);
      replaced.delete(model);
    }
  };
  let opened: Opened | null = await openFirst(where);
  let isStopped = false;
  /** Instances that batches cost since the last one was written. */
  let lost = 0;
  const now = (): Opened => {
    if (opened !== null) return opened;
    throw new Fault('unavailable', 'The records are being opened again', { retryAfterSeconds: 1 });
  };
  return {
    now,
    besides,
    reopen: async (broken, why) => {
      if (isStopped || opened !== broken) return;
      opened = null;
      for (const model of [broken.live, ...besides]) await model.abandon().catch(() => undefined);
      besides.clear();
      broken.instance.closeSync();
      const blamed = isUnusable(why) || lost >= lostMax ? why : null;
      if (blamed !== null) lost = 0;
      opened = await openAgain(where, () => isStopped, blamed);
      notice({ kind: kindOf(why), did: 'reopened', cause: reasonOf(why) });
    },
    become: async (model, generation) => {
      const { live, instance } = now();
      await writePointer(dir, generation);
      opened = { instance, live: model };
      besides.delete(model);
      replaced.add(live);
      // It has switched; what stays is removed another time.
      await removeReplaced().catch(() => undefined);
    },
    removeReplaced,
    counted: async (batch) => {
      try {
        await batch();
        lost = 0;
      } catch (error) {
        if (isInvalid(error)) lost += 1;
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

const drop = async ({ dir, notice }: Where, why: unknown): Promise<void> => {
  const kept = await setAside(join(dir, fileName(await readPointer(dir))), ['.wal']);
  notice({ kind: kindOf(why), did: 'dropped', cause: reasonOf(why), kept });
};

const openFirst = async (where: Where): Promise<Opened> => {
  const { dir, memoryMb } = where;
  try {
    return await openLive(dir, memoryMb);
  } catch (error) {
    if (!isUnusable(error)) throw error;
    await drop(where, error);
    return openLive(dir, memoryMb);
  }
};

/**
 * Tried until it opens; null = it was stopped meanwhile. `why` of not null: the file is dropped
 * first, which may fail as an opening does.
 */
const openAgain = async (
  where: Where,
  isStopped: () => boolean,
  why: unknown,
): Promise<Opened | null> => {
  let blamed = why;
  for (let tries = 1; !isStopped(); tries += 1) {
    try {
      if (blamed !== null) await drop(where, blamed);
      blamed = null;
      return await openLive(where.dir, where.memoryMb);
    } catch (error) {
      const isLost = kindOf(error) === 'out-of-memory' && tries >= triesMax;
      if (isUnusable(error) || isLost) blamed = error;
      else await new Promise((resolve) => setTimeout(resolve, againMs));
    }
  }
  return null;
};
