import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import type { StorageEngine } from 'multer';
import { Fault } from '../../kernel/fault.js';

/** A file as multer keeps it in memory. */
export type FileFound = {
  readonly fieldname: string;
  readonly originalname: string;
  readonly buffer: Buffer;
};
/**
 * Texts by part name: repeated ones are a list, names with brackets are nested, so a value may be
 * anything.
 */
export type Parts = {
  readonly texts: Readonly<Record<string, unknown>>;
  readonly files: readonly FileFound[];
};

/** Contract 1.11; a name is bounded because it is kept and told (reliability.md, scorer upload). */
const limits = { parts: 20, fieldSize: 65_536, fieldNameSize: 100, fieldArrayIndexLimit: 100 };
/** What the texts, names and boundaries of a form may add to its files. */
export const textBytesMax = limits.parts * limits.fieldSize + 65_536;

type Uploads = {
  readonly any: () => (ctx: object, next: () => Promise<void>) => Promise<void>;
};
type Options = {
  readonly storage: StorageEngine;
  readonly limits: typeof limits & { readonly fileSize: number };
  readonly defParamCharset: string;
};
// It comes without types.
const koaMulter = createRequire(import.meta.url)('@koa/multer') as ((
  options: Options,
) => Uploads) & { readonly memoryStorage: () => StorageEngine };

/**
 * The parts of a whole multipart body. Throws Fault `too-large` over a limit of contract 1.11,
 * `malformed` when there is no boundary or the end is missing.
 */
export const partsOf = async (
  bytes: Buffer,
  contentType: string,
  fileBytesMax: number,
): Promise<Parts> => {
  const req = Object.assign(Readable.from(bytes), {
    headers: { 'content-type': contentType, 'content-length': String(bytes.length) },
  });
  const ctx: {
    readonly req: Readable;
    readonly res: object;
    readonly request: { body?: Parts['texts']; files?: readonly FileFound[] };
  } = { req, res: {}, request: {} };
  const uploads = koaMulter({
    storage: koaMulter.memoryStorage(),
    limits: { ...limits, fileSize: fileBytesMax },
    defParamCharset: 'utf8',
  });
  try {
    await uploads.any()(ctx, async () => undefined);
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    if (typeof code === 'string' && tooMuch.has(code)) {
      throw new Fault('too-large', 'The form has more or larger parts than this operation reads');
    }
    throw new Fault('malformed', 'The form is no whole multipart body', { cause: error });
  }
  return { texts: ctx.request.body ?? {}, files: ctx.request.files ?? [] };
};

const tooMuch: ReadonlySet<string> = new Set([
  'LIMIT_PART_COUNT',
  'LIMIT_FILE_SIZE',
  'LIMIT_FIELD_KEY',
  'LIMIT_FIELD_VALUE',
]);
