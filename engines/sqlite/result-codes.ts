const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Primary result codes of SQLite by number (sqlite.org/rescode.html). */
const primary = words(`
  OK ERROR INTERNAL PERM ABORT BUSY LOCKED NOMEM READONLY INTERRUPT IOERR CORRUPT NOTFOUND FULL
  CANTOPEN PROTOCOL EMPTY SCHEMA TOOBIG CONSTRAINT MISMATCH MISUSE NOLFS AUTH FORMAT RANGE NOTADB
`);

/** Extended result codes: the first of each list has 1 in the bits above the primary code. */
const extended: Readonly<Record<string, readonly string[]>> = {
  BUSY: words('RECOVERY SNAPSHOT TIMEOUT'),
  CANTOPEN: words('NOTEMPDIR ISDIR FULLPATH CONVPATH DIRTYWAL SYMLINK'),
  CONSTRAINT: words(`
    CHECK COMMITHOOK FOREIGNKEY FUNCTION NOTNULL PRIMARYKEY TRIGGER UNIQUE VTAB ROWID PINNED
    DATATYPE
  `),
  CORRUPT: words('VTAB SEQUENCE INDEX'),
  IOERR: words(`
    READ SHORT_READ WRITE FSYNC DIR_FSYNC TRUNCATE FSTAT UNLOCK RDLOCK DELETE BLOCKED NOMEM ACCESS
    CHECKRESERVEDLOCK LOCK CLOSE DIR_CLOSE SHMOPEN SHMSIZE SHMLOCK SHMMAP SEEK DELETE_NOENT MMAP
    GETTEMPPATH CONVPATH VNODE AUTH BEGIN_ATOMIC COMMIT_ATOMIC ROLLBACK_ATOMIC DATA CORRUPTFS
    IN_PAGE
  `),
  READONLY: words('RECOVERY CANTLOCK ROLLBACK DBMOVED CANTINIT DIRECTORY'),
};

/** `SQLITE_IOERR_WRITE` for 778; an unknown extended code has the name of its primary one. */
export const resultCode = (number: number): string => {
  const name = primary[number & 0xff] ?? `UNKNOWN_${number}`;
  const detail = extended[name]?.[(number >> 8) - 1];
  return `SQLITE_${name}${detail === undefined ? '' : `_${detail}`}`;
};
