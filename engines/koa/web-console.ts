import type { Context } from 'koa';
import { Fault } from '../../kernel/fault.js';
import { acceptsCoding } from './http-syntax.js';
import {
  depthMax,
  readConsoleFiles,
  type ConsoleAsset,
  type ConsoleFiles,
} from './console-files.js';
import type { EncodedAnswer } from './respond.js';

/** Browser console: a page and its assets below `/console` (contract 1.1, rule 6). */
type WebConsole = {
  /** True for `/console` and all paths below it. */
  readonly serves: (path: string) => boolean;
  /**
   * Answers GET and HEAD. Throws Fault `method-not-allowed` for other methods, `not-found` for an
   * unknown asset, a path of too many segments, and when the console is off or was not built.
   */
  readonly answer: (ctx: Context, path: string) => Promise<EncodedAnswer>;
};

const root = '/console';
/** Headers of every file of the console; the page needs more than the rule of answers allows. */
const fileHeaders = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types assay',
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
};
const offText = 'The console is off in this process (ASSAY_CONSOLE=off); the API is on';
const assetCaching = 'public, max-age=31536000, immutable';

/**
 * Serves the console of a folder; its files are read at the first request, then kept. `rereads`:
 * each request reads them anew, for those who change them. Null: the console is off, which every
 * answer says.
 */
export const openWebConsole = (
  dir: URL | null,
  { rereads }: { readonly rereads: boolean },
): WebConsole => {
  let reading: Promise<ConsoleFiles | null> | null = null;
  /** A console that is built meanwhile is found by the next request. */
  const files = async (folder: URL): Promise<ConsoleFiles> => {
    if (rereads) reading = null;
    reading ??= readConsoleFiles(folder);
    const read = await reading.catch((error: unknown) => {
      reading = null;
      throw error;
    });
    if (read !== null) return read;
    reading = null;
    throw new Fault('not-found', 'The console is not built. Build it with: npm run build');
  };
  return {
    serves: (path) => path === root || path.startsWith(`${root}/`),
    answer: async (ctx, path) => {
      if (dir === null) throw new Fault('not-found', offText);
      if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
        ctx.set('Allow', 'GET, HEAD');
        throw new Fault('method-not-allowed', 'The console supports GET and HEAD only');
      }
      if (path === root) return fileAnswer(302, 'text/html', { Location: 'console/' });
      const { assets, page } = await files(dir);
      const name = path.slice(root.length + 1);
      if (!name.startsWith('assets/')) return pageAnswer(ctx, page, name);
      const asset = assets.get(name);
      if (asset === undefined) throw new Fault('not-found', 'No such file of the console');
      return assetAnswer(asset, ctx.get('Accept-Encoding'));
    },
  };
};

const fileAnswer = (
  status: number,
  media: string,
  headers: Readonly<Record<string, string>>,
  content: Buffer | null = null,
): EncodedAnswer => ({
  status,
  headers: { ...fileHeaders, ...headers },
  content: content === null ? '' : [content],
  // A 304 has no length either: it would be taken for that of the page.
  bytes: status === 304 ? null : (content?.length ?? 0),
  media,
  release: () => undefined,
});

const pageAnswer = (ctx: Context, page: ConsoleFiles['page'], name: string): EncodedAnswer => {
  const depth = name.split('/').length - 1;
  if (depth > depthMax) {
    throw new Fault('not-found', `A path of the console has at most ${depthMax + 1} segments`);
  }
  const { content, etag } = page(depth);
  const headers = { 'Cache-Control': 'no-cache', ETag: etag };
  return isKnownTag(ctx.get('If-None-Match'), etag)
    ? fileAnswer(304, 'text/html', headers)
    : fileAnswer(200, 'text/html', headers, content);
};

/** True if `If-None-Match` has the tag; weak tags count, as proxies weaken them. */
const isKnownTag = (header: string, etag: string): boolean =>
  header
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))
    .some((tag) => tag === etag || tag === '*');

const assetAnswer = (
  { media, plain, gzip, brotli }: ConsoleAsset,
  acceptEncoding: string,
): EncodedAnswer => {
  const headers = { 'Cache-Control': assetCaching, Vary: 'Accept-Encoding' };
  const coded = (coding: string, content: Buffer): EncodedAnswer =>
    fileAnswer(200, media, { ...headers, 'Content-Encoding': coding }, content);
  if (brotli !== null && acceptsCoding(acceptEncoding, 'br')) return coded('br', brotli);
  if (gzip !== null && acceptsCoding(acceptEncoding, 'gzip')) return coded('gzip', gzip);
  return fileAnswer(200, media, headers, plain);
};
