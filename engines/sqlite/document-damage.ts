import {
  isMarkedDamaged,
  markDamaged,
  quarantineFile,
  unmarkDamaged,
} from '../node/file-quarantine.js';
import { Fault } from '../../kernel/fault.js';
import type { Documents } from '../../kernel/documents.js';

/** What a file of documents was, that could not be read and is being built again from the log. */
export type DamagedFile = { readonly file: string; readonly cause: string };

/** What SQLite says of a file that is not what it wrote. */
export const isDamage = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  /^SQLITE_(CORRUPT|NOTADB)/.test(error.code);

/**
 * Runs `prepare` on the file, or on a new one where the file is damaged: then the old one is set
 * aside first, and what it was is answered.
 */
export const prepareOrRebuild = async (
  file: string,
  prepare: () => void,
): Promise<DamagedFile | null> => {
  let cause = 'found damaged by the last one who read it';
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

const atNextStart = 'documents.sqlite is damaged: at the next start it is set aside and built anew';

/** Null: nobody has met damage in the file since it was opened for writing. */
export const recordedDamage = (file: string): string | null =>
  isMarkedDamaged(file) ? atNextStart : null;

/** The documents; damage that a question meets is noted, so that the next opening begins anew. */
export const withDamageDetection = (documents: Documents, file: string): Documents => {
  const judged = (error: unknown): unknown => {
    if (!isDamage(error)) return error;
    markDamaged(file);
    return new Fault('unavailable', atNextStart, { cause: error });
  };
  const noticed = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw judged(error);
    }
  };
  return {
    ...documents,
    checkpoint: (...asked) => noticed(documents.checkpoint(...asked)),
    get: (...asked) => noticed(documents.get(...asked)),
    load: (...asked) => noticed(documents.load(...asked)),
    find: (...asked) => noticed(documents.find(...asked)),
    apply: (...asked) => noticed(documents.apply(...asked)),
    shadow: (...asked) => noticed(documents.shadow(...asked)),
    resume: (...asked) => noticed(documents.resume(...asked)),
    dump: async function* dump(collection) {
      try {
        yield* documents.dump(collection);
      } catch (error) {
        throw judged(error);
      }
    },
  };
};
