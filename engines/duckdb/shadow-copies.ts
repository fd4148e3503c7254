import type { DuckDBInstance } from '@duckdb/node-api';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Shadow } from '../../kernel/documents.js';
import { Fault } from '../../kernel/fault.js';
import type { Records } from '../../kernel/records/records.js';
import { mapEngineErrors } from './connections.js';
import { openModelFile, removeDatabaseFile } from './instance.js';
import type { RunOnModel, InstanceSupervisor } from './instance-supervisor.js';
import type { RecordsModel } from './model.js';
import {
  databaseFileName,
  clearDurableGeneration,
  readDurableGeneration,
  readLiveGeneration,
  writeDurableGeneration,
} from './generation-files.js';
import { isFileCorrupt } from './engine-errors.js';

/** Models that are built beside the live one, each in a file of its own. */
type ShadowCopies = {
  readonly begin: (generation: number, lasting: boolean) => Promise<Shadow<Records>>;
  readonly resume: (id: string) => Promise<Shadow<Records> | null>;
};

/** `over` makes records of a model, `promoted` runs once one of them has become the live one. */
export const openShadowCopies = (
  dir: string,
  keeper: InstanceSupervisor,
  {
    over,
    promoted,
  }: {
    readonly over: (ask: RunOnModel, close: () => Promise<void>) => Records;
    readonly promoted: () => Promise<void>;
  },
): ShadowCopies => {
  const shadowOf = (copy: RecordsModel, generation: number): Shadow<Records> => {
    const instance = keeper.instance();
    const ask = keeper.runOn(copy);
    const isLive = async () => (await readLiveGeneration(dir)) === generation;
    const leave = async () => {
      if (await isLive()) return;
      // With its instance it is closed already.
      await ask(() => copy.close())
        .then(() => keeper.untrack(copy))
        .catch(() => undefined);
    };
    const discard = async () => {
      if (await isLive()) return;
      await leave();
      await removeDatabaseFile(copy.path);
      if ((await readDurableGeneration(dir)) === generation) await clearDurableGeneration(dir);
    };
    return {
      id: String(generation),
      model: over(ask, discard),
      promote: async () => {
        await keeper.runExclusive(async () => {
          if (keeper.instance() !== instance) throw new Fault('unavailable', 'The copy is gone');
          const isLasting = (await readDurableGeneration(dir)) === generation;
          await keeper.promote(copy, generation);
          // What names the live one as lasting is not believed.
          if (isLasting) await clearDurableGeneration(dir).catch(() => undefined);
        });
        await promoted();
      },
      discard,
      detach: leave,
    };
  };
  return {
    begin: async (generation, lasting) => {
      if (lasting) {
        const before = await readDurableGeneration(dir);
        await writeDurableGeneration(dir, generation);
        if (before !== null) await removeDatabaseFile(join(dir, databaseFileName(before)));
      }
      return shadowOf(await openModelFile(keeper.instance(), dir, generation), generation);
    },
    resume: async (id) => {
      const generation = await readDurableGeneration(dir);
      if (generation === null || String(generation) !== id) return null;
      const copy = await openDurableShadow(keeper.instance(), dir, generation);
      return copy === null ? null : shadowOf(copy, generation);
    },
  };
};

/** Null: there is none that can be read. Throws Fault `unavailable` where another time may do. */
const openDurableShadow = async (
  instance: DuckDBInstance,
  dir: string,
  generation: number,
): Promise<RecordsModel | null> => {
  const path = join(dir, databaseFileName(generation));
  if (!(await exists(path))) return null;
  try {
    return await mapEngineErrors(() => openModelFile(instance, dir, generation));
  } catch (error) {
    if (!isFileCorrupt(error)) throw error;
    // It is built from the first event.
    await removeDatabaseFile(path);
    return null;
  }
};

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
