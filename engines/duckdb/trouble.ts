import { Fault } from '../../kernel/fault.js';
import type { TroubleKind } from '../../kernel/records/records.js';

/** What the engine said, behind the Fault that crosses the port. */
const said = (error: unknown): string => {
  const cause = error instanceof Fault ? error.cause : error;
  return cause instanceof Error ? cause.message : '';
};

export const kindOf = (error: unknown): TroubleKind => {
  const message = said(error);
  if (/Out of Memory|failed to (pin|allocate)/i.test(message)) return 'out-of-memory';
  if (isUnusable(error)) return 'corrupt';
  return isInvalid(error) ? 'invalidated' : 'failed';
};

/** The engine has given the instance up: only closing all of it and opening it again helps. */
export const isInvalid = (error: unknown): boolean =>
  /FATAL Error|has been invalidated|INTERNAL Error|Failed to rollback|Corrupted ART/i.test(
    said(error),
  );

/** The file is not what was written: no opening will read it. */
export const isUnusable = (error: unknown): boolean =>
  unusable.some((one) => one.test(said(error)));

const unusable: readonly RegExp[] = [
  /not a valid DuckDB|Could not read enough bytes|Corrupt (database )?file/i,
  /does not match stored checksum|Serialization Error/i,
  /Failure while replaying WAL|Failed to deserialize/i,
];

/** The same fault; where the file is damaged its message says what is done about that. */
export const withDamage = (error: unknown): unknown =>
  error instanceof Fault && isUnusable(error)
    ? new Fault(
        'unavailable',
        'The file of the records is damaged: it is set aside, and the records are rebuilt from ' +
          'the log. Retry; /readyz says how far they are',
        { cause: error.cause },
      )
    : error;
