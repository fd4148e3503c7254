import { setImmediate as nextTurn } from 'node:timers/promises';
import { Fault, valueComplaint } from '../../kernel/fault.js';
import type { FieldCounter } from '../protobufjs/field-counter.js';
import type { ParsedBody } from './json-parser.js';
import type { ProtobufCodec } from './protobuf-codec.js';

/** A body that arrived: decompressed, and how many bytes were sent of it. */
type ReceivedMessage = { readonly bytes: Buffer; readonly sent: number };
type FieldBounds = {
  /** Of any message (contract 1.11). */
  readonly fieldsMax: number;
  /** A message with more fields or bytes waits for its turn. */
  readonly usualFields: number;
  readonly usualBytes: number;
};
type LargeBodySlot = {
  readonly acquireLargeSlot: () => Promise<void>;
  readonly recordParseTime: (milliseconds: number) => void;
};

/**
 * The JSON of a protobuf message. Its fields are counted before anything is built of them: two
 * bytes can be a field, and a field an object, so that 2 KB of gzip would block the event loop for
 * most of a second. Throws Fault `malformedMessage`, and what `turns` throws.
 */
export const decodeMessage = async (
  { bytes, sent }: ReceivedMessage,
  messages: ProtobufCodec,
  { fieldsMax, usualFields, usualBytes }: FieldBounds,
  turns: LargeBodySlot,
): Promise<ParsedBody> => {
  const most = Math.min(fieldsMax, usualFields + fieldsPerSentByte * sent);
  const fields = await countFields(messages.openFieldCount(bytes), most);
  if (fields === null) throw malformedMessage();
  if (fields > most) return { complaint: tooManyFields(most) };
  const isHeavy = bytes.length > usualBytes || fields > usualFields;
  if (isHeavy) await turns.acquireLargeSlot();
  const began = performance.now();
  const parsed = messages.decode(bytes);
  turns.recordParseTime(performance.now() - began);
  if (isHeavy) await nextTurn();
  if (parsed === null) throw malformedMessage();
  return parsed;
};

/**
 * Spans of exporters have some 2 fields for each byte that gzip leaves of them, as ids and times
 * do not compress; uncompressed, a field has 2 bytes at least.
 */
const fieldsPerSentByte = 8;
/** Counted in one turn of the event loop: a millisecond. */
const sliceFields = 65_536;

/** One more than `most` where there are more; null: malformed. */
const countFields = async (count: FieldCounter, most: number): Promise<number | null> => {
  while (count.fields() <= most) {
    const state = count.advance(Math.min(sliceFields, most + 1 - count.fields()));
    if (state === 'malformed') return null;
    if (state === 'whole') break;
    await nextTurn();
  }
  return count.fields();
};

const malformedMessage = (): Fault =>
  new Fault('malformed', 'The body is not the message of this operation');
const tooManyFields = (most: number) =>
  valueComplaint(
    ['body'],
    `the message has more than ${most} fields, the limit for its size. Send fewer spans at once`,
  );
