import { watch } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { BuildOptions, Metafile, OutputFile } from 'esbuild';
import { budgetExcesses, staticImports } from './console-budgets.js';

/**
 * Builds the console into `dist/web`: the page, and its assets under names with a hash, each plain,
 * gzipped and as Brotli. Does nothing while the page is newer than its sources. Fails above the
 * budgets of the design.
 */
const buildDir = dirname(fileURLToPath(import.meta.url));
const sourceDir = dirname(buildDir);
const webDir = join(buildDir, 'web');
const page = join(webDir, 'index.html');
const sources = ['console', 'clients/typescript/src', 'kernel', 'ledger/chain'];
const inputs = [...sources, 'node_modules/.package-lock.json'];

const buildOptions = {
  absWorkingDir: sourceDir,
  entryPoints: { main: 'console/main.tsx', style: 'console/main.css' },
  bundle: true,
  write: false,
  metafile: true,
  format: 'esm',
  splitting: true,
  minify: true,
  platform: 'browser',
  target: 'es2024',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  entryNames: 'assets/[name]-[hash]',
  chunkNames: 'assets/[name]-[hash]',
  outdir: webDir,
  legalComments: 'none',
  logLevel: 'warning',
} as const satisfies BuildOptions;

/** Workers, each one file: a worker has no chunks with the page. */
const workerEntries = {
  history: 'console/history-worker.ts',
  datasets: 'console/datasets-worker.ts',
} as const;

/** Builds where a source is newer than the page. */
export const bundleConsole = async (): Promise<void> => {
  if (!(await isConsoleStale())) return;
  const { build } = await import('esbuild');
  const workers = await build({ ...buildOptions, entryPoints: workerEntries, splitting: false });
  const workerFiles = Object.fromEntries(
    Object.keys(workerEntries).map((name) => {
      const isOf = ({ path }: OutputFile) => basename(path).startsWith(`${name}-`);
      return [name, basename(workers.outputFiles.find(isOf)?.path ?? '')];
    }),
  );
  const define = { workerFiles: JSON.stringify(workerFiles) };
  const { outputFiles, metafile } = await build({ ...buildOptions, define });
  const files = [...outputFiles, ...workers.outputFiles];
  const compressed = await Promise.all(files.map(compressedForms));
  checkBudgets(metafile, compressed);
  await mkdir(join(webDir, 'assets'), { recursive: true });
  for (const file of compressed.flat()) await replaceFile(file.path, file.contents);
  const template = await readFile(join(sourceDir, 'console/index.html'), 'utf8');
  const main = assetOf(outputFiles, /main-\w+\.js$/);
  const html = template
    .replace('assets/main.js', main)
    .replace('assets/main.css', assetOf(outputFiles, /style-\w+\.css$/))
    .replace('</head>', `${preloadsOf(metafile, main)}</head>`);
  await replaceFile(page, Buffer.from(html));
  await removeOthers(new Set(compressed.flat().map(({ path }) => path)));
};

/** Builds after each change of a source, without a check of types, until the process ends. */
export const watchConsole = (print: (line: string) => void): void => {
  let last = Promise.resolve();
  let isWaiting = false;
  const build = (): void => {
    if (isWaiting) return;
    isWaiting = true;
    last = last.then(async () => {
      isWaiting = false;
      print(
        await bundleConsole().then(
          () => 'The console is built',
          (error: unknown) => (error as Error).message,
        ),
      );
    });
  };
  for (const path of sources) watch(join(sourceDir, path), { recursive: true }, build);
};

type AssetFile = { readonly path: string; readonly contents: Uint8Array };

const compressedForms = async (file: OutputFile): Promise<readonly AssetFile[]> => [
  file,
  { path: `${file.path}.gz`, contents: await promisify(gzip)(file.contents, { level: 9 }) },
  {
    path: `${file.path}.br`,
    contents: await promisify(brotliCompress)(file.contents, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 11 },
    }),
  },
];

const assetOf = (files: readonly OutputFile[], pattern: RegExp): string => {
  const found = files.find(({ path }) => pattern.test(path));
  if (found === undefined) throw new Error(`The console's build has no file like ${pattern}`);
  return `assets/${basename(found.path)}`;
};

/** Links by which a browser fetches what the page imports along with it, and not after it. */
const preloadsOf = ({ outputs }: Metafile, main: string): string => {
  const entry = Object.keys(outputs).find((path) => path.endsWith(main)) ?? '';
  const imports = [...staticImports(outputs, [entry])].filter((path) => path !== entry);
  return imports
    .map((path) => `  <link rel="modulepreload" href="assets/${basename(path)}" />\n  `)
    .join('');
};

const checkBudgets = ({ outputs }: Metafile, files: readonly (readonly AssetFile[])[]): void => {
  const zippedBytes = new Map(
    files.map(([plain, zipped]) => [
      relative(sourceDir, plain?.path ?? ''),
      zipped?.contents.length ?? 0,
    ]),
  );
  const excesses = budgetExcesses(outputs, (path) => zippedBytes.get(path) ?? 0);
  if (excesses.length > 0) throw new Error(excesses.join('\n'));
};

/** Writes a complete file only: the service may read it meanwhile. */
const replaceFile = async (path: string, contents: Uint8Array): Promise<void> => {
  await writeFile(`${path}.${process.pid}`, contents);
  await rename(`${path}.${process.pid}`, path);
};

const removeOthers = async (kept: ReadonlySet<string>): Promise<void> => {
  for (const name of await readdir(join(webDir, 'assets'))) {
    const path = join(webDir, 'assets', name);
    if (!kept.has(path)) await rm(path, { force: true });
  }
};

const changedAt = async (path: string): Promise<number> =>
  (await stat(path).catch(() => null))?.mtimeMs ?? 0;

export const isConsoleStale = async (): Promise<boolean> => {
  const times = await Promise.all(inputs.map((path) => newestBelow(join(sourceDir, path))));
  return (await changedAt(page)) <= Math.max(...times);
};

const newestBelow = async (path: string): Promise<number> => {
  const names = await readdir(path, { recursive: true }).catch(() => ['']);
  return Math.max(0, ...(await Promise.all(names.map((name) => changedAt(join(path, name))))));
};
