import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openMutex } from '../../kernel/concurrency.js';
import { Fault, redactedReason } from '../../kernel/fault.js';
import type { Files } from '../../kernel/ports.js';
import type { DataKeyStore, WrappedDataKey } from '../../kernel/vault.js';
import { parseChecksummed, stringifyChecksummed } from './checksummed-json.js';

/** One file per key; a `.new` file beside it was left by a write that crashed. */
const fileForm = /^[0-9a-f-]{36}\.json$/;

/**
 * Data keys in a folder, each in a file of its own that only its owner reads, so that processes
 * that share the folder can add keys without removing each other's. The key that wraps them is
 * stored elsewhere. A damaged file is Fault `unavailable`, since a secret could otherwise be sealed
 * again without it.
 */
export const openDataKeys = (files: Files, dir: string): DataKeyStore => {
  const exclusive = openMutex();
  const path = (id: string): string => join(dir, `${id}.json`);
  const all = async (): Promise<readonly WrappedDataKey[]> => {
    const names = (await namesIn(dir)).filter((name) => fileForm.test(name));
    const read = await Promise.all(names.map((name) => readKey(files, join(dir, name))));
    // A key that another process removed in between is skipped.
    return read.filter((key) => key !== null).sort(byAge);
  };
  return {
    all,
    update: (step) =>
      exclusive(async () => {
        const before = await all();
        const after = step(before);
        // New keys are written before old ones are removed.
        for (const key of after) {
          if (!before.includes(key)) {
            await files.write(path(key.id), Buffer.from(stringifyChecksummed(key)));
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

/** Null when the file does not exist. */
const readKey = async (files: Files, path: string): Promise<WrappedDataKey | null> => {
  const bytes = await files.read(path);
  if (bytes === null) return null;
  const key = parseChecksummed(bytes);
  if (key !== null) return key as WrappedDataKey;
  // The path goes to the log only, not to clients.
  throw new Fault('unavailable', 'A stored secret cannot be opened: a data key is damaged', {
    cause: new Error(`${path} is damaged: restore it from a backup of the keys`),
  });
};

/** Reports each key file of the folder that is damaged or does not open with the master key. */
export const damagedDataKeys = async (
  files: Files,
  dir: string,
  opens: (key: WrappedDataKey) => boolean,
): Promise<{ readonly count: number; readonly damaged: readonly string[] }> => {
  const names = (await namesIn(dir)).filter((name) => fileForm.test(name));
  const damaged: string[] = [];
  for (const name of names) {
    const path = join(dir, name);
    try {
      const key = await readKey(files, path);
      const isOther = key !== null && (name !== `${key.id}.json` || !opens(key));
      if (isOther) damaged.push(`${path} does not open with the secret key`);
    } catch (error) {
      damaged.push(redactedReason(error instanceof Fault ? error.cause : error));
    }
  }
  return { count: names.length, damaged };
};

const byAge = (one: WrappedDataKey, other: WrappedDataKey): number => {
  const left = `${one.created_at} ${one.id}`;
  const right = `${other.created_at} ${other.id}`;
  return left < right ? -1 : left > right ? 1 : 0;
};
