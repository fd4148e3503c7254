import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { createGunzip, type Gunzip } from 'node:zlib';
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

/** Told of the bytes of a body, decompressed, as they come; throws when there is no room for them. */
export type Taking = (bytes: number) => void;

/**
 * The body as JSON, or as the texts of a urlencoded one by name; `{}` when there is none (contract
 * 1.2). Throws Fault `too-large`, `unsupported-media-type`, `malformed`, and what `take` throws;
 * what is no JSON is a complaint of the 422.
 */
export const readBody = async (
  request: IncomingMessage,
  { size, encoding }: Pick<Operation, 'size' | 'encoding'>,
  take: Taking,
): Promise<Parsed> => {
  const limit = bodyLimits[size];
  const { media, isAccepted } = encodings[encoding];
  const accepts = { isAccepted, refusal: `The body has to be ${media}` };
  const chunks: Buffer[] = [];
  await arrive(request, { bytesMax: limit.bytes, ...accepts }, (chunk) => {
    take(chunk.length);
    chunks.push(chunk);
  });
  if (chunks.length === 0) return { value: {} };
  const [first = Buffer.alloc(0)] = chunks;
  const bytes = chunks.length === 1 ? first : Buffer.concat(chunks);
  return encoding === 'json' ? parseJson(bytes, limit.levels) : { value: textsOf(bytes) };
};

const textsOf = (bytes: Buffer): Readonly<Record<string, readonly string[]>> => {
  if (!isUtf8(bytes)) throw new Fault('malformed', 'The body is not UTF-8');
  return pairsOf(bytes.toString('utf8'));
};

export type Accepts = {
  /** After decompression. */
  readonly bytesMax: number;
  readonly isAccepted: (contentType: string | undefined) => boolean;
  /** Said of a type that is not accepted. */
  readonly refusal: string;
};

/**
 * Gives the bytes of a body to `each` as they arrive, decompressed, none of them empty; nothing when
 * nothing was sent, whatever its type. Throws as `readBody` does, and what `each` throws. The rest
 * of a body that is refused is read and thrown away: a client that is still sending would not see
 * the answer otherwise.
 */
export const arrive = (
  request: IncomingMessage,
  accepts: Accepts,
  each: (chunk: Buffer) => void,
): Promise<void> => {
  const { headers } = request;
  const coding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  const isGzip = coding === 'gzip';
  const sentMax = isGzip ? gzippedMax(accepts.bytesMax) : accepts.bytesMax;
  if (Number(headers['content-length'] ?? 0) > sentMax) {
    request.resume();
    return Promise.reject(tooLarge());
  }
  const fault = coded(coding) ?? typed(headers['content-type'], accepts);
  // Size comes before coding and type (contract 1.5).
  if (fault !== null) return refusedAtEnd(request, sentMax, fault);
  return pumped(
    request,
    sentMax,
    isGzip ? createGunzip({ chunkSize }) : null,
    within(accepts, each),
  );
};

/**
 * The limit is on what comes out; what goes in may be a little longer when it does not compress.
 */
const gzippedMax = (bytes: number): number => bytes + Math.ceil(bytes / 1_000) + 1_024;
/** Larger pieces than the usual 16 KiB are fewer turns for 10 MiB. */
const chunkSize = 65_536;

const tooLarge = (): Fault =>
  new Fault('too-large', 'The body is larger than this operation reads');

const coded = (coding: string): Fault | null =>
  ['gzip', 'identity', ''].includes(coding)
    ? null
    : new Fault('unsupported-media-type', 'The only content coding read here is gzip');
const typed = (type: string | undefined, { isAccepted, refusal }: Accepts): Fault | null =>
  isAccepted(type) ? null : new Fault('unsupported-media-type', refusal);

const refusedAtEnd = async (request: IncomingMessage, sentMax: number, fault: Fault) => {
  let bytes = 0;
  await pumped(request, sentMax, null, (chunk) => void (bytes += chunk.length));
  if (bytes > 0) throw fault;
};

const within = ({ bytesMax }: Accepts, each: (chunk: Buffer) => void) => {
  let bytes = 0;
  return (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > bytesMax) throw tooLarge();
    each(chunk);
  };
};

const pumped = (
  request: IncomingMessage,
  sentMax: number,
  gunzip: Gunzip | null,
  each: (chunk: Buffer) => void,
): Promise<void> =>
  new Promise((resolve, reject) => {
    let sent = 0;
    const done = (error: Error | null): void => {
      request.off('data', taken).off('end', ended).off('error', broken).off('close', broken);
      // What breaks from here on has been told already.
      request.on('error', () => undefined).resume();
      gunzip
        ?.removeAllListeners()
        .on('error', () => undefined)
        .destroy();
      if (error === null) resolve();
      else reject(error);
    };
    const given = (chunk: Buffer): void => {
      try {
        each(chunk);
      } catch (error) {
        done(error as Error);
      }
    };
    const taken = (chunk: Buffer): void => {
      sent += chunk.length;
      if (sent > sentMax) return done(tooLarge());
      if (gunzip === null) return given(chunk);
      if (!gunzip.write(chunk)) request.pause();
    };
    const ended = (): void => {
      if (gunzip === null || sent === 0) done(null);
      else gunzip.end();
      request.off('close', broken);
    };
    const broken = (cause?: Error): void =>
      done(new Fault('malformed', 'The body did not arrive whole', { cause }));
    request.on('data', taken).on('end', ended).on('error', broken).on('close', broken);
    gunzip
      ?.on('data', given)
      .on('drain', () => request.resume())
      .on('end', () => done(null))
      .on('error', () => done(new Fault('malformed', 'The body is no whole gzip stream')));
  });

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
