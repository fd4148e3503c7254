import { Readable } from 'node:stream';
import type { Context, Middleware } from 'koa';
import type { Fault } from '../../kernel/fault.js';

/** Body while it arrives. */
export type ArrivingBody = {
  readonly write: (chunk: Buffer) => void;
  /** All bytes, after the last chunk; rejects with Fault `too-large`. */
  readonly end: () => Promise<Buffer>;
};

type KoaBodyReader = {
  /** Loads the package, which takes longer than reading a body (D-215). */
  readonly load: () => Promise<Middleware>;
  /** Reads one body; a body without chunks is empty. */
  readonly open: () => ArrivingBody;
};

/**
 * Body reader on koa-body: at most `bytesMax` bytes, as they were sent. It returns neither text nor
 * values, because the parsers of koa-body break rules of contract 1.2 (D-215).
 */
export const openKoaBodyReader = (bytesMax: number, tooLarge: () => Fault): KoaBodyReader => {
  let loading: Promise<Middleware> | null = null;
  const load = (): Promise<Middleware> => (loading ??= middleware(bytesMax));
  const read = async (req: Readable): Promise<Buffer> => {
    const ctx: BodyContext = { req, method: 'POST', is: () => anyType, request: {} };
    const parse = await load();
    try {
      await parse(ctx as unknown as Context, async () => undefined);
    } catch (error) {
      throw (error as { readonly type?: unknown }).type === overLimit ? tooLarge() : error;
    }
    return ctx.request.body ?? Buffer.alloc(0);
  };
  return {
    load,
    open: () => {
      let body: { readonly stream: Readable; readonly bytes: Promise<Buffer> } | null = null;
      return {
        write: (chunk) => {
          if (body === null) {
            const stream = Object.assign(new Readable({ read: () => undefined }), { headers: {} });
            body = { stream, bytes: read(stream) };
            // `end` rejects, possibly later.
            body.bytes.catch(() => null);
          }
          body.stream.push(chunk);
        },
        end: async () => {
          body?.stream.push(null);
          return body === null ? Buffer.alloc(0) : body.bytes;
        },
      };
    },
  };
};

/** The part of a context that koa-body uses. Media types are checked before a body is opened. */
type BodyContext = {
  readonly req: Readable;
  readonly method: string;
  readonly is: (types: readonly string[]) => string;
  readonly request: { body?: Buffer };
};

/** koa-body has no parser for text; text without an encoding stays bytes. */
const middleware = async (bytesMax: number): Promise<Middleware> => {
  const { koaBody } = await import('koa-body');
  return koaBody({
    text: true,
    textTypes: [anyType],
    textLimit: bytesMax,
    encoding: '',
    json: false,
    urlencoded: false,
    patchNode: false,
  });
};
const anyType = '*/*';

/** `type` of the error of raw-body, which koa-body passes on. */
const overLimit = 'entity.too.large';
