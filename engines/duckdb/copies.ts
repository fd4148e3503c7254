import type { DuckDBInstance } from '@duckdb/node-api';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Shadow } from '../../kernel/documents.js';
import { Fault } from '../../kernel/fault.js';
import type { Records } from '../../kernel/records/records.js';
import { attempt } from './connections.js';
import { openIn, removeFile } from './instance.js';
import type { Ask, Keeper } from './keeper.js';
import type { RecordsModel } from './model.js';
import { fileName, forgetLasting, readLasting, readPointer, writeLasting } from './pointer.js';
import { isUnusable } from './trouble.js';

/** Models that are built beside the live one, each in a file of its own. */
type CopiesInFiles = {
  readonly begin: (generation: number, lasting: boolean) => Promise<Shadow<Records>>;
  readonly resume: (id: string) => Promise<Shadow<Records> | null>;
};

/** `over` makes records of a model, `promoted` runs once one of them has become the live one. */
export const openCopies = (
  dir: string,
  keeper: Keeper,
  {
    over,
    promoted,
  }: {
    readonly over: (ask: Ask, close: () => Promise<void>) => Records;
    readonly promoted: () => Promise<void>;
  },
): CopiesInFiles => {
  const shadowOf = (copy: RecordsModel, generation: number): Shadow<Records> => {
    const instance = keeper.instance();
    const ask = keeper.askOf(copy);
    const isLive = async () => (await readPointer(dir)) === generation;
    const leave = async () => {
      if (await isLive()) return;
      // With its instance it is closed already.
      await ask(() => copy.close())
        .then(() => keeper.forget(copy))
        .catch(() => undefined);
    };
    const discard = async () => {
      if (await isLive()) return;
      await leave();
      await removeFile(copy.path);
      if ((await readLasting(dir)) === generation) await forgetLasting(dir);
    };
    return {
      id: String(generation),
      model: over(ask, discard),
      promote: async () => {
        await keeper.inTurn(async () => {
          if (keeper.instance() !== instance) throw new Fault('unavailable', 'The copy is gone');
          const isLasting = (await readLasting(dir)) === generation;
          await keeper.become(copy, generation);
          // What names the live one as lasting is not believed.
          if (isLasting) await forgetLasting(dir).catch(() => undefined);
        });
        await promoted();
      },
      discard,
      leave,
    };
  };
  return {
    begin: async (generation, lasting) => {
      if (lasting) {
        const before = await readLasting(dir);
        await writeLasting(dir, generation);
        if (before !== null) await removeFile(join(dir, fileName(before)));
      }
      return shadowOf(await openIn(keeper.instance(), dir, generation), generation);
    },
    resume: async (id) => {
      const generation = await readLasting(dir);
      if (generation === null || String(generation) !== id) return null;
      const copy = await openLasting(keeper.instance(), dir, generation);
      return copy === null ? null : shadowOf(copy, generation);
    },
  };
};

/** Null: there is none that can be read. Throws Fault `unavailable` where another time may do. */
const openLasting = async (
  instance: DuckDBInstance,
  dir: string,
  generation: number,
): Promise<RecordsModel | null> => {
  const path = join(dir, fileName(generation));
  if (!(await exists(path))) return null;
  try {
    return await attempt(() => openIn(instance, dir, generation));
  } catch (error) {
    if (!isUnusable(error)) throw error;
    // It is built from the first event.
    await removeFile(path);
    return null;
  }
};

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
