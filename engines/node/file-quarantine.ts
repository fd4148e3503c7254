import { readdir, rename, rm, stat } from 'node:fs/promises';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * Quarantine of unreadable read-model files. Such a file helps to find what broke it, and it holds
 * what tenants logged, erased or not: it is kept for a day, and one of each name at most.
 */
const prefix = 'broken-';
const keptMs = 86_400_000;
const cleanupEveryMs = 3_600_000;

/**
 * Moves a file into quarantine, with the `beside` files that belong to it. Returns its new name.
 */
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

/**
 * Removes files that were quarantined a day ago, now and each hour; returns a function that stops
 * it.
 */
export const startQuarantineCleanup = (dir: string): (() => void) => {
  const cleanUp = async (): Promise<void> => {
    const names = (await readdir(dir)).filter((name) => name.startsWith(prefix));
    for (const name of names) {
      // A rename changes ctime; the content's mtime stays.
      const { ctimeMs } = await stat(join(dir, name));
      if (Date.now() - ctimeMs > keptMs) await rm(join(dir, name), { force: true });
    }
  };
  const again = (): void => void cleanUp().catch(() => null);
  again();
  const timer = setInterval(again, cleanupEveryMs).unref();
  return () => clearInterval(timer);
};

/** Marker of a damaged file that could not be quarantined at once. */
const markOf = (path: string): string => `${path}.damaged`;
export const isMarkedDamaged = (path: string): boolean => existsSync(markOf(path));
export const markDamaged = (path: string): void => {
  // The next process that detects the damage tries again.
  try {
    writeFileSync(markOf(path), '', { mode: 0o600 });
  } catch {
    return;
  }
};
export const unmarkDamaged = (path: string): void => rmSync(markOf(path), { force: true });
