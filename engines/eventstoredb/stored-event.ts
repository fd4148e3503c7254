import { createHash } from 'node:crypto';
import { binaryEvent, jsonEvent, type EventData, type RecordedEvent } from '@eventstore/db-client';
import { parseJsonText } from '../../kernel/json-text.js';
import { digestOf, openSalts } from '../node/digest.js';
import type {
  Envelope,
  Evidence,
  Metadata,
  NewEvent,
  Position,
  StoredEvent,
  StreamName,
  Decode,
} from '../../kernel/ports.js';

/**
 * Event as EventStoreDB stores it: its data as JSON under its type, its metadata with one more
 * member, `assay`. The server's event id is derived from id, type and data, so that the server
 * recognises a repeated event as the same, and another payload under the same id as different
 * (idempotent writes).
 */
export type PreparedEvent = {
  readonly id: string;
  readonly serverId: string;
  readonly type: string;
  /** As bytes: stored as they are. */
  readonly json: string | Buffer;
  /** Size of the data as JSON, which the server counts. */
  readonly bytes: number;
  readonly salt: string;
  readonly digest: string;
  readonly metadata: Metadata;
};
/** Event as it is sent to the server. */
export type OutgoingEvent = {
  readonly id: string;
  readonly type: string;
  /**
   * JSON that the service wrote, or bytes of JSON text: the client parses the former, and writes it
   * anew with the same text, which is not true of JSON that others wrote.
   */
  readonly contentType: 'application/json' | 'application/octet-stream';
  readonly data: Buffer;
  /** JSON. */
  readonly metadata: Buffer;
};
type AssayMetadata = {
  readonly id: string;
  readonly bytes: number;
  /** Hex; absent from events stored before salts existed. */
  readonly salt?: string;
  readonly digest?: string;
  /** Revisions in the parts stream, in order; absent when the data is in the event itself. */
  readonly parts?: readonly number[];
};
type StoredMetadata = Metadata & { readonly assay: AssayMetadata };

/** Event as read; its data may still have to be loaded from parts. */
export type EsdbEvent = {
  readonly stream: StreamName;
  readonly revision: number;
  readonly position: Position;
  readonly serverId: string;
  readonly id: string;
  readonly type: string;
  readonly bytes: number;
  readonly parts: readonly number[] | null;
  readonly salt: string | null;
  readonly digest: string | null;
  /** Parsed, or the bytes of the JSON text. */
  readonly data: unknown;
  readonly metadata: Metadata;
};

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Append size limit: the server counts the data of one append call and refuses from 1 MiB on. */
export const appendBytesMax = 900_000;
const partBytesMax = 450_000;
const newSalt = openSalts();

/** Throws TypeError for an id that is not a uuid: the client would end the process over it. */
export const prepareEvent = ({
  id,
  type,
  data,
  json: pieces,
  metadata,
}: NewEvent): PreparedEvent => {
  if (!uuidForm.test(id)) throw new TypeError(`an event's id must be a uuid: ${id}`);
  const json = pieces === undefined ? JSON.stringify(data ?? null) : Buffer.concat(pieces);
  const salt = newSalt();
  return {
    id,
    serverId: derivedUuid(id, type, json),
    type,
    json,
    bytes: Buffer.byteLength(json),
    salt: salt.toString('hex'),
    digest: digestOf(salt, json).toString('hex'),
    metadata,
  };
};

/** Event with its data, or with `parts` a reference to where its data is. */
export const toOutgoing = (
  event: PreparedEvent,
  parts: readonly number[] | null,
): OutgoingEvent => {
  const { id, bytes, salt, digest, metadata } = event;
  const assay: AssayMetadata = { id, bytes, salt, digest, ...(parts !== null && { parts }) };
  return {
    id: event.serverId,
    type: event.type,
    contentType:
      parts === null && typeof event.json !== 'string'
        ? 'application/octet-stream'
        : 'application/json',
    data: bytesOf(parts === null ? event.json : '{}'),
    metadata: Buffer.from(JSON.stringify({ ...metadata, assay })),
  };
};

const bytesOf = (json: string | Buffer): Buffer =>
  typeof json === 'string' ? Buffer.from(json) : json;

/** Event in the client's form; the client writes the JSON anew, with the same text. */
export const toEventData = ({
  id,
  type,
  contentType,
  data,
  metadata,
}: OutgoingEvent): EventData => {
  const about = parseJsonText(metadata.toString()) as Record<string, unknown>;
  return contentType === 'application/json'
    ? jsonEvent({ id, type, data: parseJsonText(data.toString()) as never, metadata: about })
    : binaryEvent({ id, type, data, metadata: about });
};

/** Splits data into parts of at most `partBytesMax`. */
export const splitIntoParts = (event: PreparedEvent): readonly OutgoingEvent[] => {
  const bytes = bytesOf(event.json);
  const count = Math.max(1, Math.ceil(bytes.length / partBytesMax));
  return Array.from({ length: count }, (_, index) => ({
    id: derivedUuid(event.serverId, 'Part', String(index)),
    type: 'Part',
    contentType: 'application/octet-stream',
    data: bytes.subarray(index * partBytesMax, (index + 1) * partBytesMax),
    metadata: Buffer.from(JSON.stringify({ of: event.serverId, part: index })),
  }));
};

/** Null for events of other writers: a tombstone, an operator's note. */
export const storedFrom = (stream: StreamName, event: RecordedEvent): EsdbEvent | null => {
  if (event.type.startsWith('$')) return null;
  const { assay, ...metadata } = (event.metadata ?? {}) as Partial<StoredMetadata>;
  return {
    stream,
    revision: Number(event.revision),
    position: positionOf(event.position?.commit ?? 0n),
    serverId: event.id,
    id: assay?.id ?? event.id,
    type: event.type,
    bytes: assay?.bytes ?? 0,
    parts: assay?.parts ?? null,
    salt: assay?.salt ?? null,
    digest: assay?.digest ?? null,
    data: event.data,
    // Schema 0 makes the codec refuse the event, and its stream is parked (poison event).
    metadata: { schema: 0, ...metadata } as Metadata,
  };
};

export const recordedFrom = (stored: EsdbEvent, decode: Decode): StoredEvent => ({
  ...envelopeFrom(stored),
  data: decode(stored.type, stored.metadata.schema, dataOf(stored)),
});

export const envelopeFrom = (stored: EsdbEvent): Envelope => ({
  id: stored.id,
  stream: stored.stream,
  revision: stored.revision,
  position: stored.position,
  type: stored.type,
  metadata: stored.metadata,
  digest: digestOfStored(stored),
});

const digestOfStored = ({ digest, data }: EsdbEvent): string =>
  digest ?? digestOf(null, JSON.stringify(data)).toString('hex');

const dataOf = ({ data }: EsdbEvent): unknown =>
  data instanceof Uint8Array ? parseJsonText(textOf(data)) : data;

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');

export const evidenceOfErased = (envelope: Envelope): Evidence => ({
  ...envelope,
  salt: null,
  data: null,
});

/** Evidence; JSON of the service that is parsed and written again equals the stored text. */
export const evidenceFrom = (stored: EsdbEvent): Evidence => ({
  ...recordedFrom(stored, (_type, _schema, data) => data),
  salt: stored.salt,
  data: stored.data instanceof Uint8Array ? textOf(stored.data) : JSON.stringify(stored.data),
});

export const positionOf = (commit: bigint): Position =>
  commit.toString(16).padStart(16, '0') as Position;

export type ServerPosition = { readonly commit: bigint; readonly prepare: bigint };

/** Prepare and commit positions are equal for everything appended over gRPC. */
export const serverPositionOf = (position: Position): ServerPosition => {
  const commit = BigInt(`0x${position}`);
  return { commit, prepare: commit };
};

/** A uuid of the version-5 layout. */
export const derivedUuid = (...parts: readonly (string | Uint8Array)[]): string => {
  const hash = createHash('sha1');
  for (const part of parts) hash.update(`${part.length}:`).update(part);
  const hex = hash.digest('hex');
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `5${hex.slice(13, 16)}`,
    `${variant}${hex.slice(18, 20)}`,
    hex.slice(20, 32),
  ].join('-');
};
