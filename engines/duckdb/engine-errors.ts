import { Fault } from '../../kernel/fault.js';
import type { IncidentKind } from '../../kernel/records/records.js';

/** The engine's own message, the cause of the Fault that crosses the port. */
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

/** True if the engine invalidated the instance: only closing and reopening all of it helps. */
export const isInstanceInvalidated = (error: unknown): boolean =>
  /FATAL Error|has been invalidated|INTERNAL Error|Failed to rollback|Corrupted ART/i.test(
    engineMessage(error),
  );

/** True if the file is corrupt: no reopening will read it. */
export const isFileCorrupt = (error: unknown): boolean =>
  corruptFileMessages.some((one) => one.test(engineMessage(error)));

const corruptFileMessages: readonly RegExp[] = [
  /not a valid DuckDB|Could not read enough bytes|Corrupt (database )?file/i,
  /does not match stored checksum|Serialization Error/i,
  /Failure while replaying WAL|Failed to deserialize/i,
];

/** Replaces the fault by one that names the repair if the file is damaged; otherwise returns it. */
export const describeDamage = (error: unknown): unknown =>
  error instanceof Fault && isFileCorrupt(error)
    ? new Fault(
        'unavailable',
        'The database file of the records is damaged: it is set aside, and the records are ' +
          'rebuilt from the log. Retry later; /readyz shows the progress',
        { cause: error.cause },
      )
    : error;
