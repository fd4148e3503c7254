import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { setImmediate as eventLoopTick } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Operation } from '../../contract/operation.js';
import { Fault, valueComplaint } from '../../kernel/fault.js';
import { openKoaBodyReader, type ArrivingBody } from './koa-body.js';
import { decodeMessage } from './protobuf-body.js';
import { isProtobufRequest, protobufMedia, type ProtobufCodec } from './protobuf-codec.js';
import { ignoredMax } from '../ajv/ignored-members.js';
import { openJsonScan, type JsonComplexity } from './json-scan.js';
import { parseJson, type ParsedBody } from './json-parser.js';
import { mediaTypeEssence, parseUrlencoded } from './http-syntax.js';

/** Limits of contract 1.11, by the operation's `size`. */
const bodyLimits: Readonly<
  Record<Operation['size'], { readonly bytes: number } & Omit<JsonComplexity, 'members'>>
> = {
  json: { bytes: 1_048_576, levels: 32, values: 100_000, names: 2_000 },
  ingest: { bytes: 33_554_432, levels: 128, values: 1_000_000, names: 25_000 },
};

/** Budget of a body from its arrival until the response. */
export type BodyBudget = {
  /** Reserves that many more bytes; throws Fault `unavailable` when there is no room. */
  readonly reserve: (bytes: number) => void;
  /**
   * Waits for a slot for large bodies; returns at once the second time. Rejects with Fault
   * `unavailable` after too long a wait.
   */
  readonly acquireLargeSlot: () => Promise<void>;
  /** Records how long parsing blocked the event loop. */
  readonly recordParseTime: (milliseconds: number) => void;
  readonly release: () => void;
};

/** Complexity limit of a body; nesting depth is checked on the parsed value. */
type ComplexityLimit = Pick<JsonComplexity, 'values' | 'names'>;

/** Size from which decompressed bodies need a large-body slot. */
const largeBodyBytes = 262_144;
/**
 * Complexity from which they do too: parsing such a body blocks the event loop for some
 * milliseconds.
 */
const usualComplexity: ComplexityLimit = { values: 20_000, names: 2_000 };
/** Bytes scanned per event-loop tick: a millisecond at most. */
const sliceBytes = 131_072;

/**
 * Reads a body as JSON, or as the texts of a urlencoded one by name; `{}` when there is none
 * (contract 1.2). Throws Fault `too-large`, `unsupported-media-type`, `malformed`, and what
 * `budget` throws; invalid JSON is a complaint of the 422.
 */
export const readBody = async (
  request: IncomingMessage,
  format: BodyFormat,
  budget: BodyBudget,
): Promise<ParsedBody> => {
  const { size, encoding, messages = null } = format;
  const limit = bodyLimits[size];
  const codec = messages !== null && isProtobufRequest(request) ? messages : null;
  const { media, isAccepted } = codec === null ? encodings[encoding] : protobuf;
  const either = messages === null ? media : `${media} or ${protobufMedia}`;
  const refusal = `The body must be ${either}`;
  const accepts = { isAccepted, refusal };
  const body = size === 'ingest' ? openIngestBody() : usualBodies.open();
  const from = { bytesMax: limit.bytes, ...accepts };
  const sent = await receiveBody(request, from, budget, body.write);
  const bytes = await body.end();
  if (bytes.length === 0) return { value: {} };
  if (codec !== null) {
    const bounds = {
      fieldsMax: limit.values,
      usualFields: usualComplexity.values,
      usualBytes: largeBodyBytes,
    };
    return decodeMessage({ bytes, sent }, codec, bounds, budget);
  }
  const { complexity, itemBounds } = await scanBody(bytes, limit, format);
  if (isOver(complexity, limit)) return { complaint: tooComplex(limit) };
  const isHeavy = isOver(complexity, usualComplexity);
  if (bytes.length > largeBodyBytes || isHeavy) await budget.acquireLargeSlot();
  const began = performance.now();
  const parsed =
    encoding === 'json'
      ? parseJson(bytes, complexity, limit.levels, itemBounds)
      : parseUrlencodedBody(bytes);
  budget.recordParseTime(performance.now() - began);
  // Validating all of it takes about as long again.
  if (isHeavy) await eventLoopTick();
  return parsed;
};

/** Reads the bodies that are neither ingest nor multipart. */
export const usualBodies = openKoaBodyReader(bodyLimits.json.bytes, () =>
  tooLarge(bodyLimits.json.bytes),
);

/** A single chunk, such as an inflated gzip body of 32 MiB, is not copied (D-215). */
const openIngestBody = (): ArrivingBody => {
  const chunks: Buffer[] = [];
  return {
    write: (chunk) => void chunks.push(chunk),
    end: async () => concatChunks(chunks),
  };
};

type BodyFormat = Pick<Operation, 'size' | 'encoding'> & {
  readonly items?: Operation['items'];
  readonly messages?: ProtobufCodec | null;
};

/** Scans a body up to the limit of its complexity; urlencoded ones have no items. */
const scanBody = async (
  bytes: Buffer,
  most: ComplexityLimit,
  { encoding, items = null }: BodyFormat,
): Promise<{ readonly complexity: JsonComplexity; readonly itemBounds: readonly number[] }> => {
  if (encoding !== 'json') return { complexity: complexityOfPairs(bytes), itemBounds: [] };
  const { upTo, itemBounds } = openJsonScan(bytes, items);
  let complexity = upTo(sliceBytes);
  for (let at = sliceBytes; at < bytes.length && !isOver(complexity, most); at += sliceBytes) {
    await eventLoopTick();
    complexity = upTo(at + sliceBytes);
  }
  return { complexity, itemBounds };
};
/** Each pair of a urlencoded body may have a name of its own. */
const complexityOfPairs = (bytes: Buffer): JsonComplexity => {
  let pairs = 1;
  for (let at = bytes.indexOf('&'); at >= 0; at = bytes.indexOf('&', at + 1)) pairs += 1;
  return { values: pairs, members: pairs, names: pairs, levels: 0 };
};
const isOver = ({ values, names }: ComplexityLimit, most: ComplexityLimit): boolean =>
  values > most.values || names > most.names;
const tooComplex = ({ values, names }: ComplexityLimit) =>
  valueComplaint(['body'], `the body has more than ${values} values or ${names} different names`);

const concatChunks = (chunks: readonly Buffer[]): Buffer => {
  const [first = Buffer.alloc(0)] = chunks;
  return chunks.length === 1 ? first : Buffer.concat(chunks);
};

/** No operation takes a list in a urlencoded body. */
const parseUrlencodedBody = (bytes: Buffer): ParsedBody => {
  if (!isUtf8(bytes)) throw new Fault('malformed', 'The body is not UTF-8');
  const value = parseUrlencoded(bytes.toString('utf8'));
  const repeated = Object.keys(value).filter((name) => (value[name]?.length ?? 0) > 1);
  return { value, repeated: repeated.slice(0, ignoredMax).map((name) => [name]) };
};

type BodyAcceptance = {
  /** Size limit after decompression. */
  readonly bytesMax: number;
  readonly isAccepted: (contentType: string | undefined) => boolean;
  /** Error text for a media type that is not accepted. */
  readonly refusal: string;
};

/**
 * Passes the bytes of a body to `each` as they arrive, or decompressed when complete, in non-empty
 * chunks; makes no call for an empty body, whatever its type. Resolves with the number of bytes
 * that were sent, before decompression. Throws as `readBody` does, and what `each` throws. The rest
 * of a rejected body is read and discarded: a client that is still sending would not see the
 * response otherwise.
 */
export const receiveBody = async (
  request: IncomingMessage,
  accepts: BodyAcceptance,
  budget: BodyBudget,
  each: (chunk: Buffer) => void,
): Promise<number> => {
  const { headers } = request;
  const coding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  const isGzip = coding === 'gzip';
  const sentMax = isGzip ? gzipBytesMax(accepts.bytesMax) : accepts.bytesMax;
  if (Number(headers['content-length'] ?? 0) > sentMax) {
    request.resume();
    throw tooLarge(accepts.bytesMax);
  }
  const fault = codingFault(coding) ?? mediaTypeFault(headers['content-type'], accepts);
  // Size comes before coding and type (contract 1.5).
  if (fault !== null) {
    await drainThenThrow(request, { sentMax, bytesMax: accepts.bytesMax }, fault);
    return 0;
  }
  const gzipped: Buffer[] = [];
  let sent = 0;
  await forEachChunk(request, { sentMax, bytesMax: accepts.bytesMax }, (chunk) => {
    sent += chunk.length;
    budget.reserve(chunk.length);
    if (isGzip) gzipped.push(chunk);
    else each(chunk);
  });
  if (gzipped.length === 0) return sent;
  const bytes = await gunzipBody(concatChunks(gzipped), accepts.bytesMax, budget);
  if (bytes.length > 0) each(bytes);
  return sent;
};

/**
 * Limit of the compressed bytes, which may be a little longer than the output when the data does
 * not compress.
 */
const gzipBytesMax = (bytes: number): number => bytes + Math.ceil(bytes / 1_000) + 1_024;

const gunzipAll = promisify(gunzip);

/**
 * Inflates in one call, which blocks the thread a tenth as long as in pieces. The gzip trailer
 * states the output size, so a large body waits for its slot and reserves memory first; a false
 * statement has 256 KiB inflated before it is detected.
 */
const gunzipBody = async (bytes: Buffer, bytesMax: number, budget: BodyBudget): Promise<Buffer> => {
  const statedBytes = Math.min(
    bytesMax,
    bytes.length < 4 ? 0 : bytes.readUInt32LE(bytes.length - 4),
  );
  const usual = Math.min(bytesMax, largeBodyBytes);
  if (statedBytes > usual) await budget.acquireLargeSlot();
  budget.reserve(statedBytes);
  let found = await gunzipWithin(bytes, Math.max(statedBytes, usual), statedBytes);
  if (found === null && bytesMax > Math.max(statedBytes, usual)) {
    await budget.acquireLargeSlot();
    found = await gunzipWithin(bytes, bytesMax, statedBytes);
  }
  if (found === null) throw tooLarge(bytesMax);
  budget.reserve(Math.max(0, found.length - statedBytes));
  return found;
};

const gunzipChunkMin = 65_536;
/** Null when the output is larger. */
const gunzipWithin = async (
  bytes: Buffer,
  maxOutputLength: number,
  statedBytes: number,
): Promise<Buffer | null> => {
  // One byte more, or zlib would begin another chunk to detect the end.
  const chunkSize = Math.max(statedBytes + 1, gunzipChunkMin);
  try {
    return await gunzipAll(bytes, { maxOutputLength, chunkSize });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return null;
    throw new Fault('malformed', 'The gzip body is truncated or corrupt');
  }
};

const tooLarge = (bytesMax: number): Fault =>
  new Fault('too-large', `The body is larger than the ${bytesMax} bytes that this operation reads`);

const codingFault = (coding: string): Fault | null =>
  ['gzip', 'identity', ''].includes(coding)
    ? null
    : new Fault('unsupported-media-type', 'Unsupported Content-Encoding: send gzip, or none');
const mediaTypeFault = (
  type: string | undefined,
  { isAccepted, refusal }: BodyAcceptance,
): Fault | null => (isAccepted(type) ? null : new Fault('unsupported-media-type', refusal));

const drainThenThrow = async (request: IncomingMessage, limits: BodyLimits, fault: Fault) => {
  let bytes = 0;
  await forEachChunk(request, limits, (chunk) => void (bytes += chunk.length));
  if (bytes > 0) throw fault;
};

/** Size limits of the sent bytes and of the decompressed ones. */
type BodyLimits = { readonly sentMax: number; readonly bytesMax: number };

const forEachChunk = (
  request: IncomingMessage,
  { sentMax, bytesMax }: BodyLimits,
  each: (chunk: Buffer) => void,
): Promise<void> =>
  new Promise((resolve, reject) => {
    let sent = 0;
    const done = (error: Error | null): void => {
      request.off('data', taken).off('end', ended).off('error', broken).off('close', broken);
      // Later errors have been reported already.
      request.on('error', () => undefined).resume();
      if (error === null) resolve();
      else reject(error);
    };
    const taken = (chunk: Buffer): void => {
      sent += chunk.length;
      if (sent > sentMax) return done(tooLarge(bytesMax));
      try {
        each(chunk);
      } catch (error) {
        done(error as Error);
      }
    };
    const ended = (): void => done(null);
    const broken = (cause?: Error): void =>
      done(
        new Fault('malformed', 'The connection closed before the whole body arrived', { cause }),
      );
    request.on('data', taken).on('end', ended).on('error', broken).on('close', broken);
  });

const jsonForm = /^application\/(?:json|[\w.!#$&^-]+\+json)$/;
const isJson = (contentType: string | undefined): boolean => {
  const essence = mediaTypeEssence(contentType);
  return essence === '' || jsonForm.test(essence);
};

const protobuf = { media: protobufMedia, isAccepted: () => true } as const;

const urlencoded = 'application/x-www-form-urlencoded';
const encodings = {
  json: { media: 'application/json', isAccepted: isJson },
  urlencoded: {
    media: urlencoded,
    isAccepted: (contentType: string | undefined) => mediaTypeEssence(contentType) === urlencoded,
  },
} as const;
