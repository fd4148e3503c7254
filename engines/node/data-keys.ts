import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openSequence } from '../../kernel/turns.js';
import type { Files } from '../../kernel/ports.js';
import type { DataKeys, WrappedDataKey } from '../../kernel/vault.js';

/** One file for each; `.new` beside it is what a crash left of a write. */
const fileForm = /^[0-9a-f-]{36}\.json$/;

/**
 * Data keys in a folder, each in a file of its own that only its owner reads: processes that share
 * the folder add keys without taking each other's away. The key that wraps them is not there.
 */
export const openDataKeys = (files: Files, dir: string): DataKeys => {
  const inSequence = openSequence();
  const path = (id: string): string => join(dir, `${id}.json`);
  const all = async (): Promise<readonly WrappedDataKey[]> => {
    const names = (await namesIn(dir)).filter((name) => fileForm.test(name));
    const read = await Promise.all(names.map((name) => files.read(join(dir, name))));
    // One that another process took away in between is not there.
    return read.flatMap((bytes) => (bytes === null ? [] : [parsed(bytes)])).sort(byAge);
  };
  return {
    all,
    change: (step) =>
      inSequence(async () => {
        const before = await all();
        const after = step(before);
        // What is new is there before anything goes.
        for (const key of after) {
          if (!before.includes(key)) {
            await files.write(path(key.id), Buffer.from(`${JSON.stringify(key, null, 2)}\n`));
          }
        }
        const kept = new Set(after.map(({ id }) => id));
        for (const { id } of before) if (!kept.has(id)) await rm(path(id), { force: true });
        return after;
      }),
    close: async () => undefined,
  };
};

const namesIn = async (dir: string): Promise<readonly string[]> => {
  try {
    return await readdir(dir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
};

const parsed = (bytes: Uint8Array): WrappedDataKey =>
  JSON.parse(Buffer.from(bytes).toString('utf8')) as WrappedDataKey;

const byAge = (one: WrappedDataKey, other: WrappedDataKey): number => {
  const left = `${one.created_at} ${one.id}`;
  const right = `${other.created_at} ${other.id}`;
  return left < right ? -1 : left > right ? 1 : 0;
};
