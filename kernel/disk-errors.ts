/**
 * Whether this failure is one of the disk: there is no room, or it cannot be written. It is the
 * fault of nothing that was to be written, though what is small may still fit.
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

/** Node's and SQLite's. */
const diskErrorCodes =
  /^(?:ENOSPC|EDQUOT|EIO|EROFS|SQLITE_FULL|SQLITE_IOERR\w*|SQLITE_READONLY\w*)$/;
/** DuckDB and MongoDB say it in words: those of the operating system. */
const diskErrorMessages: readonly RegExp[] = [
  /No space left on device|OutOfDiskSpace|Disk quota exceeded/,
  /Input\/output error|Read-only file system/,
];
