import { createHash } from 'node:crypto';
import { open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseChecksummed, stringifyChecksummed } from '../engines/node/checksummed-json.js';
import { diskFiles, syncFolder } from '../engines/node/files.js';
import { dataKeysFolder } from '../engines/open.js';
import { Fault } from '../kernel/fault.js';

/**
 * `backup.json` of a backup folder: the SHA-256 of each of its files, so that a byte that changes
 * on the backup's disk is detected before a restore or an incremental backup. It is written last: a
 * folder without one is unfinished.
 */
const manifestName = 'backup.json';

/** Files of a backup by their names in its folder; absent ones are left out. */
export const logFileNames: readonly string[] = ['log.sqlite', 'secret.check'];
export const keyFileNames = async (dir: string): Promise<readonly string[]> => {
  const names = await readdir(dataKeysFolder(dir)).catch(() => []);
  const dataKeys = names.filter((name) => name.endsWith('.json')).sort();
  return ['secret.key', ...dataKeys.map((name) => join('data-keys', name))];
};

export const writeManifest = async (
  dir: string,
  names: readonly string[],
  more: object,
): Promise<void> => {
  const found = await Promise.all(
    names.map(async (name) => [name, await digestOf(join(dir, name))] as const),
  );
  const sha256 = Object.fromEntries(found.filter(([, digest]) => digest !== null));
  const text = stringifyChecksummed({ format: 2, ...more, sha256 });
  await diskFiles.write(join(dir, manifestName), Buffer.from(text));
};

/** Marks the folder as unfinished until the next manifest is written. */
export const removeManifest = async (dir: string): Promise<void> => {
  await rm(join(dir, manifestName), { force: true });
  await syncFolder(dir);
};

/**
 * Compares a folder with its manifest; `difference` is null if they match. `isFinished`: there is a
 * manifest. Manifests of earlier builds have no digests.
 */
export const manifestDifference = async (
  dir: string,
): Promise<{ readonly isFinished: boolean; readonly difference: string | null }> => {
  const file = join(dir, manifestName);
  const bytes = await diskFiles.read(file);
  if (bytes === null) return { isFinished: false, difference: null };
  const manifest = parseChecksummed(bytes);
  if (manifest === null) return { isFinished: true, difference: `${file} is damaged` };
  for (const [name, digest] of Object.entries(manifest['sha256'] ?? {})) {
    const path = join(dir, name);
    const found = await digestOf(path);
    // `restore` reports a secret key that is kept elsewhere.
    if (found === digest || (found === null && name === 'secret.key')) continue;
    const how = found === null ? 'is missing' : 'is not as it was written';
    return { isFinished: true, difference: `${path} ${how}` };
  }
  return { isFinished: true, difference: null };
};

/** Answers whether the folder was finished; throws Fault `conflict` if it has changed since. */
export const refuseDifference = async (dir: string): Promise<boolean> => {
  const { isFinished, difference } = await manifestDifference(dir);
  if (difference === null) return isFinished;
  throw new Fault(
    'conflict',
    `${difference}: the backup in ${dir} is damaged. Take another one into an empty folder, and ` +
      'look at the disk; docs/runbook/key-or-backup-damaged.md',
  );
};

const pieceBytes = 262_144;

/** SHA-256 in hex; null if there is no such file. */
const digestOf = async (path: string): Promise<string | null> => {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (file === null) return null;
  try {
    const hash = createHash('sha256');
    const { size } = await file.stat();
    const piece = Buffer.allocUnsafe(Math.max(1, Math.min(size, pieceBytes)));
    for (;;) {
      const { bytesRead } = await file.read(piece, 0, piece.length, null);
      if (bytesRead === 0) return hash.digest('hex');
      hash.update(piece.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
};
