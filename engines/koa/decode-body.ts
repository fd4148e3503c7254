import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Operation } from '../../contract/operation.js';
import { Fault, valueComplaint } from '../../kernel/fault.js';
import { openKoaBodyReader, type ArrivingBody } from './koa-body.js';
import { decodeMessage } from './protobuf-body.js';
import { isProtobufRequest, protobufMedia, type ProtobufCodec } from './protobuf-codec.js';
import { ignoredMax } from '../ajv/ignored-members.js';
import { openComplexityCounter, type JsonComplexity } from './json-complexity.js';
import { parseJson, type ParsedBody } from './json-parser.js';
import { mediaTypeEssence } from './media-type.js';
import { parseUrlencoded } from './urlencoded.js';

/** Contract 1.11, by the operation's `size`. */
const bodyLimits: Readonly<
  Record<Operation['size'], { readonly bytes: number } & Omit<JsonComplexity, 'members'>>
> = {
  json: { bytes: 1_048_576, levels: 32, values: 100_000, names: 2_000 },
  ingest: { bytes: 33_554_432, levels: 128, values: 1_000_000, names: 25_000 },
};

/** The room of a body while it comes and until its request is answered. */
export type BodyBudget = {
  /** So many more bytes are in memory; throws Fault `unavailable` when there is no room. */
  readonly reserve: (bytes: number) => void;
  /**
   * Resolves when it is the turn of this body, which is large; at once the second time. Rejects
   * with Fault `unavailable` when it waited too long.
   */
  readonly acquireLargeSlot: () => Promise<void>;
  /** So long nobody else was served. */
  readonly recordParseTime: (milliseconds: number) => void;
  readonly release: () => void;
};

/** More than that is too heavy; what is nested too deeply is said of the parsed value. */
type ComplexityLimit = Pick<JsonComplexity, 'values' | 'names'>;

/** Of the bytes, decompressed: larger bodies wait for their turn. */
const largeBodyBytes = 262_144;
/** So do heavier ones: parsing one of these keeps the thread for some milliseconds. */
const usualComplexity: ComplexityLimit = { values: 20_000, names: 2_000 };
/** Weighed in one turn of the event loop: a millisecond. */
const sliceBytes = 131_072;

/**
 * The body as JSON, or as the texts of a urlencoded one by name; `{}` when there is none (contract
 * 1.2). Throws Fault `too-large`, `unsupported-media-type`, `malformed`, and what `coming` throws;
 * what is no JSON is a complaint of the 422.
 */
export const readBody = async (
  request: IncomingMessage,
  { size, encoding, messages = null }: BodyFormat,
  coming: BodyBudget,
): Promise<ParsedBody> => {
  const limit = bodyLimits[size];
  const asMessage = messages !== null && isProtobufRequest(request) ? messages : null;
  const { media, isAccepted } = asMessage === null ? encodings[encoding] : protobuf;
  const either = messages === null ? media : `${media} or ${protobufMedia}`;
  const refusal = `The body has to be ${either}`;
  const accepts = { isAccepted, refusal };
  const body = size === 'ingest' ? openIngestBody() : usualBodies.open();
  const from = { bytesMax: limit.bytes, ...accepts };
  const sent = await receiveBody(request, from, coming, body.write);
  const bytes = await body.end();
  if (bytes.length === 0) return { value: {} };
  if (asMessage !== null) {
    const bounds = {
      fieldsMax: limit.values,
      usualFields: usualComplexity.values,
      usualBytes: largeBodyBytes,
    };
    return decodeMessage({ bytes, sent }, asMessage, bounds, coming);
  }
  const weight = encoding === 'json' ? await complexityOf(bytes, limit) : complexityOfPairs(bytes);
  if (isOver(weight, limit)) return { complaint: tooComplex(limit) };
  const isHeavy = isOver(weight, usualComplexity);
  if (bytes.length > largeBodyBytes || isHeavy) await coming.acquireLargeSlot();
  const began = performance.now();
  const parsed =
    encoding === 'json' ? parseJson(bytes, weight, limit.levels) : parseUrlencodedBody(bytes);
  coming.recordParseTime(performance.now() - began);
  // Looking at all of it takes about as long again.
  if (isHeavy) await nextTurn();
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
  readonly messages?: ProtobufCodec | null;
};

/** So much of it that it is over the most where all of it is. */
const complexityOf = async (bytes: Buffer, most: ComplexityLimit): Promise<JsonComplexity> => {
  const weigh = openComplexityCounter(bytes.length);
  let weight: JsonComplexity = { values: 0, members: 0, names: 0, levels: 0 };
  for (let at = 0; at < bytes.length && !isOver(weight, most); at += sliceBytes) {
    if (at > 0) await nextTurn();
    weight = weigh(bytes.subarray(at, at + sliceBytes));
  }
  return weight;
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
  /** After decompression. */
  readonly bytesMax: number;
  readonly isAccepted: (contentType: string | undefined) => boolean;
  /** Said of a type that is not accepted. */
  readonly refusal: string;
};

/**
 * Gives the bytes of a body to `each` as they arrive, or decompressed when all are here, none of
 * them empty; nothing when nothing was sent, whatever its type. Resolves with the number of bytes
 * that were sent, before decompression. Throws as `readBody` does, and what `each` throws. The rest
 * of a body that is refused is read and thrown away: a client that is still sending would not see
 * the answer otherwise.
 */
export const receiveBody = async (
  request: IncomingMessage,
  accepts: BodyAcceptance,
  coming: BodyBudget,
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
    coming.reserve(chunk.length);
    if (isGzip) gzipped.push(chunk);
    else each(chunk);
  });
  if (gzipped.length === 0) return sent;
  const bytes = await gunzipBody(concatChunks(gzipped), accepts.bytesMax, coming);
  if (bytes.length > 0) each(bytes);
  return sent;
};

/**
 * The limit is on what comes out; what goes in may be a little longer when it does not compress.
 */
const gzipBytesMax = (bytes: number): number => bytes + Math.ceil(bytes / 1_000) + 1_024;

const gunzipAll = promisify(gunzip);

/**
 * Inflated at once, which keeps the thread a tenth as long as in pieces. How much comes out is
 * written at the end of what was sent, so a large body waits and takes its room before; whoever
 * lied there has 256 KiB inflated before it is seen.
 */
const gunzipBody = async (bytes: Buffer, bytesMax: number, coming: BodyBudget): Promise<Buffer> => {
  const said = Math.min(bytesMax, bytes.length < 4 ? 0 : bytes.readUInt32LE(bytes.length - 4));
  const usual = Math.min(bytesMax, largeBodyBytes);
  if (said > usual) await coming.acquireLargeSlot();
  coming.reserve(said);
  let found = await gunzipWithin(bytes, Math.max(said, usual), said);
  if (found === null && bytesMax > Math.max(said, usual)) {
    await coming.acquireLargeSlot();
    found = await gunzipWithin(bytes, bytesMax, said);
  }
  if (found === null) throw tooLarge(bytesMax);
  coming.reserve(Math.max(0, found.length - said));
  return found;
};

const gunzipChunkMin = 65_536;
/** Null when more comes out. */
const gunzipWithin = async (
  bytes: Buffer,
  maxOutputLength: number,
  said: number,
): Promise<Buffer | null> => {
  // One byte more, or another piece would be begun to see that nothing follows.
  const chunkSize = Math.max(said + 1, gunzipChunkMin);
  try {
    return await gunzipAll(bytes, { maxOutputLength, chunkSize });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return null;
    throw new Fault('malformed', 'The body is no whole gzip stream');
  }
};

const tooLarge = (bytesMax: number): Fault =>
  new Fault('too-large', `The body is larger than the ${bytesMax} bytes that this operation reads`);

const codingFault = (coding: string): Fault | null =>
  ['gzip', 'identity', ''].includes(coding)
    ? null
    : new Fault('unsupported-media-type', 'The only content coding read here is gzip');
const mediaTypeFault = (
  type: string | undefined,
  { isAccepted, refusal }: BodyAcceptance,
): Fault | null => (isAccepted(type) ? null : new Fault('unsupported-media-type', refusal));

const drainThenThrow = async (request: IncomingMessage, limits: BodyLimits, fault: Fault) => {
  let bytes = 0;
  await forEachChunk(request, limits, (chunk) => void (bytes += chunk.length));
  if (bytes > 0) throw fault;
};

/** Of what is sent, and of what comes out of that. */
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
      // What breaks from here on has been told already.
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
      done(new Fault('malformed', 'The body did not arrive whole', { cause }));
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
