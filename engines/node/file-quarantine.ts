import { readdir, rename, rm, stat } from 'node:fs/promises';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * A file of a read model that cannot be read is of use to whoever asks what broke it, and it holds
 * what tenants logged, erased or not: so it is kept for a day, and one of each name at most.
 */
const prefix = 'broken-';
const keptMs = 86_400_000;
const cleanupEveryMs = 3_600_000;

/** With the files beside it that belong to it. Answers its new name. */
export const quarantineFile = async (path: string, beside: readonly string[]): Promise<string> => {
  const dir = dirname(path);
  const name = `${prefix}${basename(path)}`;
  for (const ending of ['', ...beside]) {
    const kept = join(dir, `${name}${ending}`);
    await rm(kept, { force: true });
    await rename(`${path}${ending}`, kept).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
  return name;
};

/** Removes those that were set aside a day ago, now and each hour; answers how to end that. */
export const startQuarantineCleanup = (dir: string): (() => void) => {
  const look = async (): Promise<void> => {
    const names = (await readdir(dir)).filter((name) => name.startsWith(prefix));
    for (const name of names) {
      // A new name is a change of the file, other than of what is in it.
      const { ctimeMs } = await stat(join(dir, name));
      if (Date.now() - ctimeMs > keptMs) await rm(join(dir, name), { force: true });
    }
  };
  const again = (): void => void look().catch(() => null);
  again();
  const timer = setInterval(again, cleanupEveryMs).unref();
  return () => clearInterval(timer);
};

/** Where it is noted that a file was found damaged, by whoever could not set it aside. */
const markOf = (path: string): string => `${path}.damaged`;
export const isMarkedDamaged = (path: string): boolean => existsSync(markOf(path));
export const markDamaged = (path: string): void => {
  // The next who looks notes it again.
  try {
    writeFileSync(markOf(path), '', { mode: 0o600 });
  } catch {
    return;
  }
};
export const unmarkDamaged = (path: string): void => rmSync(markOf(path), { force: true });
