import { parseJsonText } from '../../kernel/json-text.js';
import type { Envelope, Evidence, Metadata, StreamName } from '../../kernel/ports.js';
import type { Instant } from '../../kernel/schema-types.js';
import { digestOf } from '../node/digest.js';
import type { Database } from './database.js';
import { isSalted, positionOf } from './log-schema.js';

/** Event row of the table. */
export type EventRow = {
  readonly pos: number;
  readonly stream: string;
  readonly rev: number;
  readonly id: string;
  readonly type: string;
  /** Empty once the event is erased; JSON text never is. */
  readonly data: string;
  readonly metadata: string;
  /** Null for an event stored before digests existed. */
  readonly digest: Uint8Array | null;
};
type EvidenceRow = EventRow & { readonly salt: Uint8Array | null; readonly marked: 0 | 1 };

export const metadataOf = (row: EventRow): Metadata => {
  try {
    return parseJsonText(row.metadata) as Metadata;
  } catch {
    return unreadableMetadata;
  }
};

/**
 * Metadata without a schema version: the codec refuses the event, and its stream is parked (poison
 * event).
 */
const unreadableMetadata: Metadata = {
  actor: { type: 'service', id: '', role: '' },
  request_id: '',
  correlation_id: '',
  causation_id: null,
  at: '1970-01-01T00:00:00.000000Z' as Instant,
  schema: 0,
};

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** Size in characters; damage can make a cell of another type. */
export const dataLengthOf = ({ data }: EventRow): number =>
  typeof data === 'string' ? data.length : 0;

export const isErased = ({ data }: EventRow): boolean => data === '';

export const envelopeOf = (row: EventRow, metadata: Metadata): Envelope => ({
  id: row.id,
  stream: row.stream as StreamName,
  revision: row.rev,
  position: positionOf(row.pos),
  type: row.type,
  metadata,
  digest: hexOf(row.digest ?? digestOf(null, row.data)),
});

/**
 * Reads rows with salt and digest, also from a log in the layout without them. Content in a stream
 * that is marked as erased is left out, as for readers of the stream; the digest is that of the
 * content in the row.
 */
export const openEvidenceReader = (database: Database) => {
  const selected = (columns: string) => {
    const rows = `SELECT pos, stream, rev, id, type, data, metadata, ${columns},
         EXISTS (SELECT 1 FROM erased WHERE erased.stream = events.stream) AS marked
       FROM events`;
    return {
      after: database.prepare<[number, number], EvidenceRow>(
        `${rows} WHERE pos > ? ORDER BY pos LIMIT ? + 0`,
      ),
      at: database.prepare<[number], EvidenceRow>(`${rows} WHERE pos = ?`),
    };
  };
  let salted: ReturnType<typeof selected> | null = null;
  const statements = () => {
    if (!isSalted(database)) return selected('NULL AS salt, NULL AS digest');
    salted ??= selected('salt, digest');
    return salted;
  };
  return {
    /** `checkOpen` throws once the reader is closed. */
    after: (checkOpen: () => unknown, pos: number, limit: number): Iterable<EvidenceRow> => {
      checkOpen();
      return statements().after.iterate(pos, limit);
    },
    at: (checkOpen: () => unknown, pos: number): EvidenceRow | undefined => {
      checkOpen();
      return statements().at.get(pos);
    },
    of: (row: EvidenceRow): Evidence => {
      const envelope = envelopeOf(row, metadataOf(row));
      if (isErased(row)) return { ...envelope, data: null, salt: null };
      if (row.marked === 0) {
        return { ...envelope, data: row.data, salt: row.salt === null ? null : hexOf(row.salt) };
      }
      const digest = hexOf(digestOf(row.salt, row.data));
      return { ...envelope, data: null, salt: null, digest };
    },
  };
};
