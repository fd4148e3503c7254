import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import getRawBody from 'raw-body';
import type { Operation } from '../../contract/operation.js';
import { Fault } from '../../kernel/fault.js';
import { parseJson, type Parsed } from './json.js';
import { pairsOf } from './urlencoded.js';

/** Contract 1.11, by the operation's `size`. */
export const bodyLimits: Readonly<
  Record<Operation['size'], { readonly bytes: number; readonly levels: number }>
> = {
  json: { bytes: 1_048_576, levels: 32 },
  ingest: { bytes: 10_485_760, levels: 128 },
};

const inflate = promisify(gunzip);

/**
 * The body as JSON, or as the texts of a urlencoded one by name; `{}` when there is none (contract
 * 1.2). Throws Fault `too-large`, `unsupported-media-type` or `malformed`; what is no JSON is a
 * complaint of the 422.
 */
export const readBody = async (
  request: IncomingMessage,
  { size, encoding }: Pick<Operation, 'size' | 'encoding'>,
): Promise<Parsed> => {
  const limit = bodyLimits[size];
  const { media, isAccepted } = encodings[encoding];
  const bytes = await readBytes(request, limit.bytes, isAccepted, `The body has to be ${media}`);
  if (bytes.length === 0) return { value: {} };
  return encoding === 'json' ? parseJson(bytes, limit.levels) : { value: textsOf(bytes) };
};

const textsOf = (bytes: Buffer): Readonly<Record<string, readonly string[]>> => {
  if (!isUtf8(bytes)) throw new Fault('malformed', 'The body is not UTF-8');
  return pairsOf(bytes.toString('utf8'));
};

/**
 * The bytes of a body after decompression, at most `limit` of them; none when nothing was sent,
 * whatever its type. Throws as `readBody` does; `refusal` is said of a type that is not accepted.
 */
export const readBytes = async (
  request: IncomingMessage,
  limit: number,
  isAccepted: (contentType: string | undefined) => boolean,
  refusal: string,
): Promise<Buffer> => {
  const coding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  const sent = await bytesOf(request, coding === 'gzip' ? gzippedMax(limit) : limit);
  if (sent.length === 0) return sent;
  if (coding !== 'gzip' && coding !== 'identity' && coding !== '') {
    throw new Fault('unsupported-media-type', 'The only content coding read here is gzip');
  }
  if (!isAccepted(request.headers['content-type'])) {
    throw new Fault('unsupported-media-type', refusal);
  }
  return coding === 'gzip' ? inflated(sent, limit) : sent;
};

/**
 * The limit is on what comes out; what goes in may be a little longer when it does not compress.
 */
const gzippedMax = (bytes: number): number => bytes + Math.ceil(bytes / 1_000) + 1_024;

const tooLarge = (): Fault =>
  new Fault('too-large', 'The body is larger than this operation reads');

const bytesOf = async (request: IncomingMessage, limit: number): Promise<Buffer> => {
  const length = request.headers['content-length'];
  try {
    return await getRawBody(request, { limit, ...(length !== undefined && { length }) });
  } catch (error) {
    // The rest is read and thrown away: a client that is still sending would not see the answer
    // otherwise.
    request.resume();
    if ((error as getRawBody.RawBodyError).type === 'entity.too.large') throw tooLarge();
    throw new Fault('malformed', 'The body did not arrive whole', { cause: error });
  }
};

const inflated = async (bytes: Buffer, limit: number): Promise<Buffer> => {
  try {
    return await inflate(bytes, { maxOutputLength: limit });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    throw new Fault('malformed', 'The body is no whole gzip stream');
  }
};

const jsonForm = /^application\/(?:json|[\w.!#$&^-]+\+json)$/;
const isJson = (contentType: string | undefined): boolean => {
  const essence = essenceOf(contentType);
  return essence === '' || jsonForm.test(essence);
};

/** A media type without its parameters, in lower case; `''` when there is none. */
export const essenceOf = (contentType: string | undefined): string =>
  (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';

const urlencoded = 'application/x-www-form-urlencoded';
const encodings = {
  json: { media: 'application/json', isAccepted: isJson },
  urlencoded: {
    media: urlencoded,
    isAccepted: (contentType: string | undefined) => essenceOf(contentType) === urlencoded,
  },
} as const;
