import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BuildOptions, OutputFile, Plugin } from 'esbuild';
import type { ThreadName } from './engines/node/thread-file.js';

/**
 * The last step of the build: from what the compiler wrote, `assay.js` and a file for each thread,
 * since Node takes a millisecond for each of a thousand modules, in each thread anew (D-153). Does
 * nothing when they are newer than all that they are made of.
 */
const built = dirname(fileURLToPath(import.meta.url));
const program = join(built, 'assay.js');
const chunks = 'chunks';
const threads: Readonly<Record<ThreadName, string>> = {
  'document-search': 'engines/sqlite/document-search-worker.js',
  'log-writer': 'engines/sqlite/log-writer.js',
  overlaps: 'engines/overlaps/overlaps-worker.js',
  'read-side': 'service/read-side-worker.js',
  'uploaded-table': 'engines/csv/table-worker.js',
};
const madeHere = [basename(program), 'threads', chunks, 'test'];

/** What is native, or looks for files beside itself. */
const external = ['@duckdb/node-bindings', 'argon2', 'better-sqlite3', 'deno', 'pyodide'];

const bundle = async (): Promise<void> => {
  const { build } = await import('esbuild');
  const options = {
    bundle: true,
    write: false,
    format: 'esm',
    // What is imported when it is needed stays in files of its own, also with all that it needs.
    splitting: true,
    chunkNames: `${chunks}/[name]-[hash]`,
    platform: 'node',
    target: 'node20',
    external,
    outdir: built,
    legalComments: 'inline',
    logLevel: 'warning',
    plugins: [placed],
    // Packages from before modules `require` what Node has itself.
    banner: {
      js: `import { createRequire as builtRequire } from 'node:module';
const require = builtRequire(import.meta.url);
const builtRoot = import.meta.url.endsWith('/assay.js') ? './' : '../';
const builtUrl = new globalThis.URL(builtRoot, import.meta.url);`,
    },
  } as const satisfies BuildOptions;
  const entries = Object.entries(threads).map(([name, path]) => [`threads/${name}`, path]);
  const [main, ...others] = await Promise.all([
    build({ ...options, entryPoints: { assay: join(built, 'main.js') } }),
    ...entries.map(([name = '', path = '']) =>
      build({ ...options, entryPoints: { [name]: join(built, path) } }),
    ),
  ]);
  await write([main, ...others].flatMap(({ outputFiles }) => outputFiles));
};

/** A module looks for files where the compiler put it. */
const placed: Plugin = {
  name: 'placed',
  setup: (build) => {
    build.onLoad({ filter: /\.js$/ }, async ({ path }) => {
      if (!path.startsWith(`${built}/`)) return null;
      const text = await readFile(path, 'utf8');
      const place = JSON.stringify(relative(built, path));
      return {
        contents: text.replaceAll('import.meta.url', `new globalThis.URL(${place}, builtUrl).href`),
      };
    });
  },
};

/** Whole files only, what is imported before what imports it: somebody may start meanwhile. */
const write = async (files: readonly OutputFile[]): Promise<void> => {
  const inOrder = [...files].sort((one, other) => rank(one.path) - rank(other.path));
  for (const { path, contents } of inOrder) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(`${path}.${process.pid}`, contents);
    await rename(`${path}.${process.pid}`, path);
  }
  const kept = new Set(files.map(({ path }) => path));
  for (const name of await readdir(join(built, chunks))) {
    const path = join(built, chunks, name);
    if (!kept.has(path)) await rm(path, { force: true });
  }
};
const rank = (path: string): number =>
  path === program ? 2 : path.includes(`/${chunks}/`) ? 0 : 1;

const changedAt = async (path: string): Promise<number> =>
  (await stat(path).catch(() => null))?.mtimeMs ?? 0;

const newestOf = async (): Promise<number> => {
  const names = await readdir(built, { recursive: true });
  const own = names
    .filter((name) => name.endsWith('.js') && !madeHere.includes(name.split('/')[0] ?? ''))
    .map((name) => join(built, name));
  const times = await Promise.all(
    [...own, join(built, '../node_modules/.package-lock.json')].map(changedAt),
  );
  return Math.max(...times);
};

if ((await changedAt(program)) <= (await newestOf())) await bundle();
