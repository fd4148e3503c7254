import { Fault } from '../../kernel/fault.js';
import type { IncidentKind } from '../../kernel/records/records.js';

/** What the engine said, behind the Fault that crosses the port. */
const engineMessage = (error: unknown): string => {
  const cause = error instanceof Fault ? error.cause : error;
  return cause instanceof Error ? cause.message : '';
};

export const incidentKindOf = (error: unknown): IncidentKind => {
  const message = engineMessage(error);
  if (/Out of Memory|failed to (pin|allocate)/i.test(message)) return 'out-of-memory';
  if (isFileCorrupt(error)) return 'corrupt';
  return isInstanceInvalidated(error) ? 'invalidated' : 'failed';
};

/** The engine has given the instance up: only closing all of it and opening it again helps. */
export const isInstanceInvalidated = (error: unknown): boolean =>
  /FATAL Error|has been invalidated|INTERNAL Error|Failed to rollback|Corrupted ART/i.test(
    engineMessage(error),
  );

/** The file is not what was written: no opening will read it. */
export const isFileCorrupt = (error: unknown): boolean =>
  corruptFileMessages.some((one) => one.test(engineMessage(error)));

const corruptFileMessages: readonly RegExp[] = [
  /not a valid DuckDB|Could not read enough bytes|Corrupt (database )?file/i,
  /does not match stored checksum|Serialization Error/i,
  /Failure while replaying WAL|Failed to deserialize/i,
];

/** The same fault; where the file is damaged its message says what is done about that. */
export const describeDamage = (error: unknown): unknown =>
  error instanceof Fault && isFileCorrupt(error)
    ? new Fault(
        'unavailable',
        'The file of the records is damaged: it is set aside, and the records are rebuilt from ' +
          'the log. Retry; /readyz says how far they are',
        { cause: error.cause },
      )
    : error;
