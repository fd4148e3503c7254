import './engines/node/minimum-version.js';
import {
  copyFile,
  link,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BuildOptions, OutputFile, Plugin } from 'esbuild';
import { bundleConsole, isConsoleStale, watchConsole } from './bundle-console.js';
import type { ThreadName } from './engines/node/start-thread.js';

/**
 * The last step of the build: bundles the compiler's output into `assay.js` and a file for each
 * thread, since Node takes a millisecond for each of a thousand modules, in each thread anew
 * (D-153). Does nothing when the bundles are newer than their inputs; with `--check`, only says
 * that they are not.
 */
const buildDir = dirname(fileURLToPath(import.meta.url));
const program = join(buildDir, 'assay.js');
const chunks = 'chunks';
const threads: Readonly<Record<ThreadName, string>> = {
  'document-search': 'engines/sqlite/document-search-worker.js',
  'log-writer': 'engines/sqlite/log-writer.js',
  overlaps: 'engines/overlaps/overlaps-worker.js',
  'read-side': 'service/read-side-worker.js',
  'uploaded-table': 'engines/csv/table-worker.js',
};
const packages = join(buildDir, 'node_modules');
const generatedNames = [
  basename(program),
  'threads',
  chunks,
  'bench',
  'test',
  'web',
  basename(packages),
];

/** Native packages, and those that look for files beside themselves. */
const external = ['@duckdb/node-bindings', 'argon2', 'deno', 'pyodide'];
/** Loaded by name at run time. */
const requiredPackages = [...external, '@koa/multer', 'multer'];

type Manifest = {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
};

/** Folders of the packages and of all their dependencies, below the repository. */
const closureOf = async (names: readonly string[]): Promise<ReadonlySet<string>> => {
  const root = dirname(buildDir);
  const found = new Set<string>();
  const add = async (name: string, from: string): Promise<void> => {
    const folder = await findPackage(name, from, root);
    if (folder === null || found.has(folder)) return;
    found.add(folder);
    const text = await readFile(join(root, folder, 'package.json'), 'utf8');
    const { dependencies, optionalDependencies } = JSON.parse(text) as Manifest;
    const below = Object.keys({ ...dependencies, ...optionalDependencies });
    for (const one of below) await add(one, folder);
  };
  for (const name of names) await add(name, '.');
  return found;
};

/** Looks a package up as Node does; null for an optional one of another platform. */
const findPackage = async (name: string, from: string, root: string): Promise<string | null> => {
  for (let at = from; ; at = dirname(at)) {
    const folder = join(at, 'node_modules', name);
    if (await exists(join(root, folder, 'package.json'))) return folder;
    if (at === '.') return null;
  }
};
const exists = async (path: string): Promise<boolean> => (await changedAt(path)) > 0;

/**
 * Links the packages outside of the bundle into `dist/node_modules` as hard links: `npm ci` beside
 * a running service takes nothing away from it, and `dist` alone is the program (D-206).
 */
const linkPackages = async (): Promise<void> => {
  const fresh = `${packages}.${process.pid}`;
  for (const folder of await closureOf(requiredPackages)) {
    await linkTree(join(dirname(buildDir), folder), join(fresh, relative('node_modules', folder)));
  }
  const old = `${fresh}.old`;
  await rename(packages, old).catch(() => undefined);
  await rename(fresh, packages);
  await rm(old, { recursive: true, force: true });
};

const linkTree = async (from: string, to: string): Promise<void> => {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) {
      // Nested packages are found by the closure if needed.
      if (entry.name !== 'node_modules') await linkTree(source, target);
    } else if (entry.isFile()) {
      await link(source, target).catch(() => copyFile(source, target));
    }
  }
};

/** Files of other languages, copied beside the compiled module that reads them. */
const copiedFiles = ['engines/sandbox/harness.py'];

const bundle = async (): Promise<void> => {
  for (const path of copiedFiles)
    await copyFile(join(dirname(buildDir), path), join(buildDir, path));
  const { build } = await import('esbuild');
  const options = {
    bundle: true,
    write: false,
    format: 'esm',
    // Lazily imported modules stay in chunks of their own, with their dependencies.
    splitting: true,
    chunkNames: `${chunks}/[name]-[hash]`,
    platform: 'node',
    target: 'node24',
    external,
    outdir: buildDir,
    legalComments: 'inline',
    logLevel: 'warning',
    plugins: [sourceUrlPlugin, lazyHttpPlugin],
    // CommonJS packages `require` Node's built-in modules.
    banner: {
      js: `import { createRequire as builtRequire } from 'node:module';
const require = builtRequire(import.meta.url);
const builtRoot = import.meta.url.endsWith('/assay.js') ? './' : '../';
const builtUrl = new globalThis.URL(builtRoot, import.meta.url);`,
    },
  } as const satisfies BuildOptions;
  const entries = Object.entries(threads).map(([name, path]) => [`threads/${name}`, path]);
  const [main, ...others] = await Promise.all([
    build({ ...options, entryPoints: { assay: join(buildDir, 'entry.js') } }),
    ...entries.map(([name = '', path = '']) =>
      build({ ...options, entryPoints: { [name]: join(buildDir, path) } }),
    ),
  ]);
  await linkPackages();
  await write([main, ...others].flatMap(({ outputFiles }) => outputFiles));
};

/** Keeps the compiler's paths in `import.meta.url`, by which modules find files. */
const sourceUrlPlugin: Plugin = {
  name: 'placed',
  setup: (build) => {
    build.onLoad({ filter: /\.js$/ }, async ({ path }) => {
      if (!path.startsWith(`${buildDir}/`)) return null;
      const text = await readFile(path, 'utf8');
      const place = JSON.stringify(relative(buildDir, path));
      return {
        contents: text.replaceAll('import.meta.url', `new globalThis.URL(${place}, builtUrl).href`),
      };
    });
  },
};

/**
 * Imports `node:http` by `require`: an `import` reads all its exports at once, and three of them
 * load Node's WebSocket client (undici), a twentieth of a start.
 */
const lazyHttpPlugin: Plugin = {
  name: 'lazy-http',
  setup: (build) => {
    build.onResolve({ filter: /^(node:)?http$/ }, ({ kind }) =>
      kind === 'import-statement' ? { path: 'node:http', namespace: 'lazy-http' } : null,
    );
    build.onLoad({ filter: /.*/, namespace: 'lazy-http' }, () => ({
      contents: "module.exports = require('node:http');",
    }));
  },
};

/** Writes complete files only, dependencies first: the program may be started meanwhile. */
const write = async (files: readonly OutputFile[]): Promise<void> => {
  const inOrder = [...files].sort((one, other) => rank(one.path) - rank(other.path));
  for (const { path, contents } of inOrder) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(`${path}.${process.pid}`, contents);
    await rename(`${path}.${process.pid}`, path);
  }
  const kept = new Set(files.map(({ path }) => path));
  for (const name of await readdir(join(buildDir, chunks))) {
    const path = join(buildDir, chunks, name);
    if (!kept.has(path)) await rm(path, { force: true });
  }
};
const rank = (path: string): number =>
  path === program ? 2 : path.includes(`/${chunks}/`) ? 0 : 1;

const changedAt = async (path: string): Promise<number> =>
  (await stat(path).catch(() => null))?.mtimeMs ?? 0;

const isProgramStale = async (): Promise<boolean> => {
  const names = await readdir(buildDir, { recursive: true });
  const own = names
    .filter((name) => name.endsWith('.js') && !generatedNames.includes(name.split('/')[0] ?? ''))
    .map((name) => join(buildDir, name));
  const times = await Promise.all(
    [
      ...own,
      ...copiedFiles.map((path) => join(dirname(buildDir), path)),
      join(buildDir, '../node_modules/.package-lock.json'),
    ].map(changedAt),
  );
  return (await changedAt(program)) <= Math.max(...times);
};

if (process.argv[2] === '--check') {
  if ((await isProgramStale()) || (await isConsoleStale()))
    process.stdout.write('The bundles in dist are older than their sources: run npm run build.\n');
} else {
  if (await isProgramStale()) await bundle();
  await bundleConsole();
}
if (process.argv[2] === '--watch') watchConsole((line) => process.stdout.write(`${line}\n`));
