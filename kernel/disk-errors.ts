/**
 * True if the failure comes from the disk: it is full or cannot be written. The data to be written
 * are not at fault, though a smaller write may still fit.
 */
export const isDiskError = (error: unknown): boolean => {
  const seen = new Set<unknown>();
  for (let at = error; at instanceof Error && !seen.has(at); at = at.cause) {
    seen.add(at);
    const { code, message } = at as Error & { readonly code?: unknown };
    if (typeof code === 'string' && diskErrorCodes.test(code)) return true;
    if (diskErrorMessages.some((one) => one.test(message))) return true;
  }
  return false;
};

/** Error codes of Node and SQLite. */
const diskErrorCodes =
  /^(?:ENOSPC|EDQUOT|EIO|EROFS|SQLITE_FULL|SQLITE_IOERR\w*|SQLITE_READONLY\w*)$/;
/** Error messages of DuckDB and MongoDB, which quote the operating system. */
const diskErrorMessages: readonly RegExp[] = [
  /No space left on device|OutOfDiskSpace|Disk quota exceeded/,
  /Input\/output error|Read-only file system/,
];
