import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../kernel/fault.js';
import { openDatabase } from './database.js';

/**
 * Lock of a data folder: one process at a time. The lock is the kernel's, on a small database of
 * its own: it is released the moment its holder dies, also by SIGKILL. Throws Fault `conflict` at
 * once when another process holds it, and the system's error (EROFS, EACCES) for a folder that
 * cannot be written: SQLite would open the files in it, and its first write would fail and be
 * retried without end. Returns the function that releases it; the folder must exist.
 */
export const lockFolder = (dir: string): (() => void) => {
  accessSync(dir, constants.W_OK);
  const database = openDatabase(join(dir, 'lock.sqlite'), { busyTimeoutMs: 0 });
  try {
    database.pragma('locking_mode = EXCLUSIVE');
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw error;
    throw new Fault(
      'conflict',
      `another process holds this data folder: ${dir}\n` +
        'Stop it first, or give this one its own ASSAY_DATA_DIR.',
    );
  }
  return () => database.close();
};
