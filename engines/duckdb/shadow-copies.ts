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

/** Shadow models, built beside the live one, each in its own file. */
type ShadowCopies = {
  readonly begin: (generation: number, lasting: boolean) => Promise<Shadow<Records>>;
  readonly resume: (id: string) => Promise<Shadow<Records> | null>;
};

/** Opens the shadows; `over` makes records of a model, `promoted` runs after each promotion. */
export const openShadowCopies = (
  dir: string,
  supervisor: InstanceSupervisor,
  {
    over,
    promoted,
  }: {
    readonly over: (withModel: RunOnModel, close: () => Promise<void>) => Records;
    readonly promoted: () => Promise<void>;
  },
): ShadowCopies => {
  const shadowOf = (copy: RecordsModel, generation: number): Shadow<Records> => {
    const instance = supervisor.instance();
    const withModel = supervisor.runOn(copy);
    const isLive = async () => (await readLiveGeneration(dir)) === generation;
    const leave = async () => {
      if (await isLive()) return;
      // Closed already if its instance is gone.
      await withModel(() => copy.close())
        .then(() => supervisor.untrack(copy))
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
      model: over(withModel, discard),
      promote: async () => {
        await supervisor.runExclusive(async () => {
          if (supervisor.instance() !== instance)
            throw new Fault('unavailable', 'The shadow copy was lost');
          const isLasting = (await readDurableGeneration(dir)) === generation;
          await supervisor.promote(copy, generation);
          // A mark that names the live generation as durable is ignored.
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
      return shadowOf(await openModelFile(supervisor.instance(), dir, generation), generation);
    },
    resume: async (id) => {
      const generation = await readDurableGeneration(dir);
      if (generation === null || String(generation) !== id) return null;
      const copy = await openDurableShadow(supervisor.instance(), dir, generation);
      return copy === null ? null : shadowOf(copy, generation);
    },
  };
};

/**
 * Opens the durable shadow; null if missing or unreadable. Throws Fault `unavailable` if a retry
 * may succeed.
 */
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
    // It is rebuilt from the first event.
    await removeDatabaseFile(path);
    return null;
  }
};

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
