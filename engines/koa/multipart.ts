import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { PassThrough, type Readable } from 'node:stream';
import type { StorageEngine } from 'multer';
import { Fault } from '../../kernel/fault.js';

/** Uploaded file as multer returns it; the buffer is empty unless its bytes were to be kept. */
export type UploadedFile = {
  readonly fieldname: string;
  readonly originalname: string;
  readonly buffer: Buffer;
  /** Digest of its bytes, kept or not. */
  readonly sha256: string;
};
/**
 * Texts by part name: repeated ones are a list, names with brackets are nested, so a value may be
 * anything.
 */
export type FormParts = {
  readonly texts: Readonly<Record<string, unknown>>;
  readonly files: readonly UploadedFile[];
};

/**
 * Limits of contract 1.11; the length of a name is bounded because names are stored and returned.
 */
const partLimits = { parts: 20, fieldSize: 65_536, fieldNameSize: 100, fieldArrayIndexLimit: 100 };
/** Size that the texts, names and boundaries of a form may add to its files. */
export const textBytesMax = partLimits.parts * partLimits.fieldSize + 65_536;

type Uploads = {
  readonly any: () => (ctx: object, next: () => Promise<void>) => Promise<void>;
};
type Options = {
  readonly storage: StorageEngine;
  readonly limits: typeof partLimits & { readonly fileSize: number };
  readonly defParamCharset: string;
};
/** The package has no types. Loaded by the first form, as it delays a start by thirty modules. */
const loadMulter = (): ((options: Options) => Uploads) =>
  createRequire(import.meta.url)('@koa/multer') as (options: Options) => Uploads;

/** Memory storage, which discards files in other parts than these. */
const memoryStorage = (kept: ReadonlySet<string>): StorageEngine => ({
  _handleFile: (_request, { fieldname, stream }, done) => {
    const hash = createHash('sha256');
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => {
      hash.update(chunk);
      if (kept.has(fieldname)) chunks.push(chunk);
    });
    stream.on('end', () => {
      const found: Pick<UploadedFile, 'buffer' | 'sha256'> = {
        buffer: Buffer.concat(chunks),
        sha256: hash.digest('hex'),
      };
      done(null, found);
    });
  },
  _removeFile: (_request, _file, done) => done(null),
});

type PartsParser = {
  readonly write: (chunk: Buffer) => void;
  /** Ends the body. Without any chunk it is a form without parts. */
  readonly end: () => Promise<FormParts>;
};
type KeptFiles = { readonly fileBytesMax: number; readonly kept: ReadonlySet<string> };

/** Incremental `parseParts`, for a body that arrives in chunks. */
export const openPartsParser = (contentType: string, keep: KeptFiles): PartsParser => {
  const body = new PassThrough();
  let parts: Promise<FormParts> | null = null;
  return {
    write: (chunk) => {
      if (parts === null) {
        parts = parseParts(body, contentType, keep);
        // `end` rejects, possibly later.
        parts.catch(() => null);
      }
      body.write(chunk);
    },
    end: () => {
      body.end();
      return parts ?? Promise.resolve({ texts: {}, files: [] });
    },
  };
};

/**
 * Parses a multipart body; of files in other parts than `kept` only their SHA-256 remains. Throws
 * Fault `too-large` over a limit of contract 1.11 or for a file of more than `fileBytesMax`, kept
 * or not; `malformed` without a boundary or an end.
 */
export const parseParts = async (
  body: Readable,
  contentType: string,
  { fileBytesMax, kept }: KeptFiles,
): Promise<FormParts> => {
  const req = Object.assign(body, {
    headers: { 'content-type': contentType, 'transfer-encoding': 'chunked' },
  });
  const ctx: {
    readonly req: Readable;
    readonly res: object;
    readonly request: { body?: FormParts['texts']; files?: readonly UploadedFile[] };
  } = { req, res: {}, request: {} };
  const uploads = loadMulter()({
    storage: memoryStorage(kept),
    limits: { ...partLimits, fileSize: fileBytesMax },
    defParamCharset: 'utf8',
  });
  try {
    await uploads.any()(ctx, async () => undefined);
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    if (typeof code === 'string' && sizeErrorCodes.has(code)) {
      throw new Fault('too-large', 'The form has more or larger parts than this operation reads');
    }
    throw new Fault('malformed', 'The multipart body is truncated or malformed', { cause: error });
  }
  return { texts: ctx.request.body ?? {}, files: ctx.request.files ?? [] };
};

const sizeErrorCodes: ReadonlySet<string> = new Set([
  'LIMIT_PART_COUNT',
  'LIMIT_FILE_SIZE',
  'LIMIT_FIELD_KEY',
  'LIMIT_FIELD_VALUE',
]);
