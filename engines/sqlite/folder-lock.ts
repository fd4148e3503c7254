import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../kernel/fault.js';
import { openDatabase } from './database.js';

/**
 * One process per data folder. The lock is the kernel's, on a small database of its
 * own: it is free again the moment its holder dies, also by SIGKILL. Throws Fault `conflict` at
 * once when another process holds it, and the system's error (EROFS, EACCES) for a folder that
 * cannot be written: SQLite opens what it finds there, and its first write would fail and be tried
 * again without end. Answers the function that gives it back; the folder is there.
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
