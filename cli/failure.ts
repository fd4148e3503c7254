import { Fault } from '../kernel/fault.js';
import { isWithin } from './path-containment.js';

const damagedAdvice =
  'has a damaged file: read models are set aside and built anew by the next start; log.sqlite ' +
  'is not, see: assay doctor, assay restore';

const lostLogAdvice =
  'assay doctor says how much of it, and assay restore brings a backup into a new folder';

const unwritableAdvice =
  'is read-only, or not writable for this user: make it writable, or give it to the user of the ' +
  'service';

/** Node names the file that it was opening, which is not the cause. */
const tooManyFilesAdvice =
  'too many open files: raise the limit of this process to 4,096 or more (ulimit -n, LimitNOFILE)';

const noSpaceAdvice = 'has no room: free space on its volume';
/** Problem and next step for a folder in the place of a file; the doctor gives the same. */
export const folderInPlace = {
  problem: 'is a folder where a file has to be',
  step: 'move it away',
} as const;
const isFolderAdvice = `${folderInPlace.problem}: ${folderInPlace.step}`;

/** Advice for an operator by the error code of a file or folder. */
const generalSteps: Readonly<Record<string, string>> = {
  EACCES: 'may not be read or written by this user: give it to this user, or name another',
  EPERM: 'may not be read or written by this user: give it to this user, or name another',
  EROFS: 'is read-only: name a folder that can be written',
  EEXIST: 'is a file: name a folder',
  ENOTDIR: 'is a file: name a folder',
  ENOENT: 'is not there, or cannot be made there: name another',
  ENOSPC: noSpaceAdvice,
  SQLITE_FULL: noSpaceAdvice,
  SQLITE_CANTOPEN_ISDIR: isFolderAdvice,
};

/** Advice by error code for the data folder. */
const dataFolderSteps: Readonly<Record<string, string>> = {
  EACCES: 'may not be read or written by this user: give it to the user of the service',
  EPERM: 'may not be read or written by this user: give it to the user of the service',
  EROFS: 'is read-only: set ASSAY_DATA_DIR to a folder that can be written',
  EEXIST: 'is a file: set ASSAY_DATA_DIR to a folder',
  ENOTDIR: 'is a file: set ASSAY_DATA_DIR to a folder',
  ENOENT: 'cannot be made there: set ASSAY_DATA_DIR to a folder that can be made',
  ENOSPC: noSpaceAdvice,
  SQLITE_FULL: noSpaceAdvice,
  SQLITE_CANTOPEN_ISDIR: isFolderAdvice,
  SQLITE_READONLY: unwritableAdvice,
  SQLITE_CANTOPEN: unwritableAdvice,
  SQLITE_CORRUPT: damagedAdvice,
  SQLITE_NOTADB: damagedAdvice,
};

/**
 * Error message of a failed command: a sentence with the next step where one is known, otherwise
 * all that is known. Errors that cross from a thread may be plain objects with only a code.
 */
export const failureMessage = (error: unknown, dataDir: string): string | undefined => {
  if (error instanceof Fault) {
    return error.code === 'log-damaged' ? `${error.message}; ${lostLogAdvice}` : error.message;
  }
  const { code, path } = (error ?? {}) as { readonly code?: string; readonly path?: string };
  if (code === 'EMFILE' || code === 'ENFILE') return `${tooManyFilesAdvice} (${code})`;
  const step = nextStepFor(
    concernsDataFolder(dataDir, path) ? dataFolderSteps : generalSteps,
    code,
  );
  if (step !== null) return `${path ?? `the data folder ${dataDir}`} ${step} (${code})`;
  if (error instanceof Error) return error.stack;
  return typeof error === 'string' ? error : JSON.stringify(error);
};

/** True for the data folder, a folder around it, or a file in it. */
const concernsDataFolder = (dataDir: string, path: string | undefined): boolean =>
  path === undefined || isWithin(dataDir, path) || isWithin(path, dataDir);

/** Matches SQLite's extended codes by prefix; more specific entries come first. */
const nextStepFor = (
  known: Readonly<Record<string, string>>,
  code: string | undefined,
): string | null => {
  if (typeof code !== 'string') return null;
  const found = Object.entries(known).find(([one]) => code === one || code.startsWith(`${one}_`));
  return found?.[1] ?? null;
};
