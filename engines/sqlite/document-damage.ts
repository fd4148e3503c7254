import {
  isMarkedDamaged,
  markDamaged,
  quarantineFile,
  unmarkDamaged,
} from '../node/file-quarantine.js';
import { Fault } from '../../kernel/fault.js';
import { mapMethods } from '../../kernel/map-methods.js';
import { documentQueries, type Documents } from '../../kernel/documents.js';
import { queryNames } from '../../kernel/query-methods.js';

/** Unreadable file of documents, which is rebuilt from the log. */
export type DamagedFile = { readonly file: string; readonly cause: string };

/** True for SQLite's errors about a corrupt file. */
export const isDamage = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  /^SQLITE_(CORRUPT|NOTADB)/.test(error.code);

/**
 * Runs `prepare` on the file. A damaged file is quarantined first, `prepare` runs on a new one, and
 * the result describes the damage.
 */
export const prepareOrRebuild = async (
  file: string,
  prepare: () => void,
): Promise<DamagedFile | null> => {
  let cause = 'found damaged by an earlier read';
  if (!isMarkedDamaged(file)) {
    try {
      prepare();
      return null;
    } catch (error) {
      if (!isDamage(error)) throw error;
      cause = String(error);
    }
  }
  const name = await quarantineFile(file, ['-wal', '-shm']);
  unmarkDamaged(file);
  prepare();
  return { file: name, cause };
};

const atNextStart = 'documents.sqlite is damaged: the next start sets it aside and rebuilds it';

/** Null when no damage was found in the file since it was opened for writing. */
export const recordedDamage = (file: string): string | null =>
  isMarkedDamaged(file) ? atNextStart : null;

/**
 * Wraps documents; damage found by a read is recorded, so that the next start rebuilds the file.
 */
export const withDamageDetection = (documents: Documents, file: string): Documents => {
  const recordDamage = (error: unknown): unknown => {
    if (!isDamage(error)) return error;
    markDamaged(file);
    return new Fault('unavailable', atNextStart, { cause: error });
  };
  return mapMethods(
    documents,
    [...queryNames(documentQueries), 'checkpoint', 'apply', 'shadow', 'resume'],
    async (call) => {
      try {
        return await call();
      } catch (error) {
        throw recordDamage(error);
      }
    },
    ['dump'],
  );
};
