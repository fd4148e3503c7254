import { createHash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';

/** Where the build writes the console, beside the program. */
export const builtConsoleDir = new URL('../../web/', import.meta.url);

/** Script or style sheet, as it is stored: plain, and compressed where the build made that. */
export type ConsoleAsset = {
  readonly media: string;
  readonly plain: Buffer;
  readonly gzip: Buffer | null;
  readonly brotli: Buffer | null;
};
/** Page for the paths of one depth: its links are relative to them. */
type ConsolePage = { readonly content: Buffer; readonly etag: string };
export type ConsoleFiles = {
  /** Assets by path below the console: `assets/main-0123ABCD.js`. */
  readonly assets: ReadonlyMap<string, ConsoleAsset>;
  /** `depth`: slashes of the path below the console, at most `depthMax`. */
  readonly page: (depth: number) => ConsolePage;
};

/** More segments than any path of the page has; each depth is kept in memory. */
export const depthMax = 16;
/** The files stay in memory; the page's budget is a tenth of this. */
const bytesMax = 5_242_880;
const pageName = 'index.html';
/** `<name>-<hash>`, as esbuild names outputs: a name stands for one content for ever. */
const assetName = /^[\w.-]+-[A-Za-z0-9]{8,64}\.(js|css)$/;
const medias: Readonly<Record<string, string>> = { js: 'text/javascript', css: 'text/css' };

/**
 * Reads all files of the console; null when it was not built. Symbolic links and files of other
 * names are left out. Throws Error when the files exceed 5 MiB.
 */
export const readConsoleFiles = async (dir: URL): Promise<ConsoleFiles | null> => {
  const entries = await entriesOf(dir);
  if (!entries.some((entry) => entry.isFile() && entry.name === pageName)) return null;
  const hasAssets = entries.some((entry) => entry.isDirectory() && entry.name === 'assets');
  const assetsDir = new URL('assets/', dir);
  const names = hasAssets ? fileNamesOf(await entriesOf(assetsDir)) : new Set<string>();
  const kept = [...names].filter((name) => assetName.test(name.replace(/\.(br|gz)$/, '')));
  const pageFile = new URL(pageName, dir);
  await checkSize([pageFile, ...kept.map((name) => new URL(name, assetsDir))]);
  const bytes = new Map<string, Buffer>();
  for (const name of kept) bytes.set(name, await readFile(new URL(name, assetsDir)));
  const assets = [...bytes].flatMap(([name, plain]) => {
    const media = medias[assetName.exec(name)?.[1] ?? ''];
    if (media === undefined) return [];
    const gzip = bytes.get(`${name}.gz`) ?? null;
    const brotli = bytes.get(`${name}.br`) ?? null;
    return [[`assets/${name}`, { media, plain, gzip, brotli }] as const];
  });
  return { assets: new Map(assets), page: pagesOf(await readFile(pageFile, 'utf8')) };
};

const entriesOf = async (dir: URL): Promise<readonly Dirent[]> => {
  try {
    return await readdir(dir, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
};

const fileNamesOf = (entries: readonly Dirent[]): ReadonlySet<string> =>
  new Set(entries.filter((entry) => entry.isFile()).map(({ name }) => name));

const checkSize = async (files: readonly URL[]): Promise<void> => {
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes > bytesMax) {
    throw new Error(`The console's files have ${bytes} bytes (${bytesMax} at most)`);
  }
};

/** Links of the page: `src="assets/…"`, `href="assets/…"`. */
const assetLink = /\b(src|href)="(?=assets\/)/g;

/** Makes the page of each depth once. */
const pagesOf = (html: string): ConsoleFiles['page'] => {
  const pages = new Map<number, ConsolePage>();
  return (depth) => {
    const known = pages.get(depth);
    if (known !== undefined) return known;
    const content = Buffer.from(html.replaceAll(assetLink, `$&${'../'.repeat(depth)}`));
    const hash = createHash('sha256').update(content).digest('base64url');
    const page = { content, etag: `"${hash}"` };
    pages.set(depth, page);
    return page;
  };
};
