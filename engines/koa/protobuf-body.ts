import { setImmediate as eventLoopTick } from 'node:timers/promises';
import { Fault, valueComplaint } from '../../kernel/fault.js';
import type { FieldCounter } from '../protobufjs/field-counter.js';
import type { ParsedBody } from './json-parser.js';
import type { ProtobufCodec } from './protobuf-codec.js';

/** Received body: decompressed, with the number of bytes that were sent. */
type ReceivedMessage = { readonly bytes: Buffer; readonly sent: number };
type FieldBounds = {
  /** Field limit of any message (contract 1.11). */
  readonly fieldsMax: number;
  /** Fields or bytes from which a message needs a large-body slot. */
  readonly usualFields: number;
  readonly usualBytes: number;
};
type LargeBodySlot = {
  readonly acquireLargeSlot: () => Promise<void>;
  readonly recordParseTime: (milliseconds: number) => void;
};

/**
 * Decodes a protobuf message to JSON. Its fields are counted before it is decoded: two bytes can be
 * a field, and a field an object, so that 2 KB of gzip would block the event loop for most of a
 * second. Throws Fault `malformed`, and what `slot` throws.
 */
export const decodeMessage = async (
  { bytes, sent }: ReceivedMessage,
  messages: ProtobufCodec,
  { fieldsMax, usualFields, usualBytes }: FieldBounds,
  slot: LargeBodySlot,
): Promise<ParsedBody> => {
  const most = Math.min(fieldsMax, usualFields + fieldsPerSentByte * sent);
  const fields = await countFields(messages.openFieldCount(bytes), most);
  if (fields === null) throw malformedMessage();
  if (fields > most) return { complaint: tooManyFields(most) };
  const isHeavy = bytes.length > usualBytes || fields > usualFields;
  if (isHeavy) await slot.acquireLargeSlot();
  const began = performance.now();
  const parsed = messages.decode(bytes);
  slot.recordParseTime(performance.now() - began);
  if (isHeavy) await eventLoopTick();
  if (parsed === null) throw malformedMessage();
  return parsed;
};

/**
 * Spans of exporters have some 2 fields for each byte that gzip leaves of them, as ids and times do
 * not compress; uncompressed, a field has 2 bytes at least.
 */
const fieldsPerSentByte = 8;
/** Fields counted per event-loop tick: a millisecond. */
const sliceFields = 65_536;

/** Number of fields, `most + 1` when there are more; null: malformed. */
const countFields = async (count: FieldCounter, most: number): Promise<number | null> => {
  while (count.fields() <= most) {
    const state = count.advance(Math.min(sliceFields, most + 1 - count.fields()));
    if (state === 'malformed') return null;
    if (state === 'whole') break;
    await eventLoopTick();
  }
  return count.fields();
};

const malformedMessage = (): Fault =>
  new Fault('malformed', 'The body is not a valid protobuf message of this operation');
const tooManyFields = (most: number) =>
  valueComplaint(
    ['body'],
    `the message has more than ${most} fields, the limit for its size. Send fewer spans at once`,
  );
