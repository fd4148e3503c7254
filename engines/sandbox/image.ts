import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { parseJsonText } from '../../kernel/json-text.js';
import { readHarness } from './harness.js';
import { seccompFilter } from './seccomp.js';

/**
 * Files visible to a scorer's process: the interpreter, the program inside and the memory snapshot,
 * read-only. A copy, because the scorer's account cannot enter the folders of the service's
 * account.
 */
export type SandboxImage = {
  readonly dir: string;
  /** Shared libraries of deno, by its own paths. */
  readonly libraries: readonly string[];
  /** The filter of seccomp.ts, stored beside the image, not in it. */
  readonly filter: string;
};

const pyodideFiles = [
  'pyodide.mjs',
  'pyodide.asm.mjs',
  'pyodide.asm.wasm',
  'python_stdlib.zip',
  'pyodide-lock.json',
];
const manifestFile = 'manifest.json';
const snapshotFile = 'snapshot.bin';

/**
 * Opens the image under `cache`, built when it is missing (some seconds) or its checksums differ.
 * Several processes may do so at once. Throws an Error that names what is missing.
 */
export const openImage = async (
  cache: string,
  makeSnapshot: (image: SandboxImage, harness: string) => Promise<Uint8Array>,
): Promise<SandboxImage> => {
  const bytes = seccompFilter(process.arch);
  if (process.platform !== 'linux' || bytes === null) {
    throw new Error(`no sandbox for ${process.platform} on ${process.arch}`);
  }
  await claimFolder(cache);
  const harness = await readHarness();
  const sources = findPackages();
  const inside = await readFile(new URL('inside.js', import.meta.url));
  const name = createHash('sha256')
    .update(JSON.stringify([sources.versions, process.arch, harness, bytes.join()]))
    .update(inside)
    .digest('hex')
    .slice(0, 16);
  const home = join(cache, name);
  const imageAt = (place: string): SandboxImage => ({
    dir: join(place, 'app'),
    filter: join(place, 'seccomp.bpf'),
    libraries: [],
  });
  const libraries = await librariesOf(sources.deno);
  const image = { ...imageAt(home), libraries };
  if (await isWhole(home)) return image;
  const building = await mkdtemp(join(cache, 'making-'));
  try {
    const { dir, filter } = imageAt(building);
    await mkdir(dir);
    await copyFile(sources.deno, join(dir, 'deno'), constants.COPYFILE_FICLONE);
    for (const file of pyodideFiles) await copyFile(join(sources.pyodide, file), join(dir, file));
    await writeFile(join(dir, 'inside.mjs'), inside);
    await writeFile(filter, bytes);
    await makeReadable(building);
    const made = await makeSnapshot({ dir, filter, libraries }, harness);
    await writeFile(join(dir, snapshotFile), made);
    await makeReadable(building);
    await writeFile(join(building, manifestFile), JSON.stringify(await checksums(building)));
    // Another process may have been faster and run from there: its files must stay.
    if (await isWhole(home)) return image;
    await rm(home, { recursive: true, force: true });
    await rename(building, home);
    return image;
  } catch (error) {
    if (await isWhole(home)) return image;
    throw error;
  } finally {
    await rm(building, { recursive: true, force: true });
  }
};

/**
 * Checks the owner of the folder, who could replace the interpreter: only this account may write
 * it.
 */
const claimFolder = async (path: string): Promise<void> => {
  const first = await mkdir(path, { recursive: true, mode: 0o755 });
  const found = await lstat(path);
  if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o022) !== 0) {
    throw new Error(`${path} is not a folder that only this account can write; name another`);
  }
  await chmod(path, 0o755);
  // The umask of the service excludes others; the account that runs the code has to pass.
  if (first === undefined) return;
  for (let made = dirname(path); made.startsWith(first);) {
    await chmod(made, 0o755);
    made = dirname(made);
  }
};

const findPackages = () => {
  const require = createRequire(import.meta.url);
  try {
    const pyodide = require.resolve('pyodide/package.json');
    const deno = createRequire(require.resolve('deno/package.json')).resolve(
      `@deno/linux-${process.arch}-glibc/package.json`,
    );
    const version = (path: string): string => (require(path) as { version: string }).version;
    return {
      pyodide: dirname(pyodide),
      deno: join(dirname(deno), 'deno'),
      versions: [version(pyodide), version(deno)],
    };
  } catch (error) {
    throw new Error('the packages deno and pyodide are not installed: npm ci', { cause: error });
  }
};

const librariesOf = async (program: string): Promise<readonly string[]> => {
  const { stdout } = await promisify(execFile)('ldd', [program], { env: {} });
  const paths = [...stdout.matchAll(/(?:^\s*|=> )(\/\S+)/gm)].map((match) => match[1] ?? '');
  return [...new Set(paths)];
};

/** Makes the image world-readable: folders 755, programs 755, files 644. */
const makeReadable = async (place: string): Promise<void> => {
  for (const path of [place, join(place, 'app'), join(place, 'app', 'deno')]) {
    await chmod(path, 0o755);
  }
  for (const name of await filesOf(place)) {
    if (name !== 'app/deno') await chmod(join(place, name), 0o644);
  }
};

const filesOf = async (place: string): Promise<readonly string[]> => {
  const inside = (await readdir(join(place, 'app'))).map((name) => `app/${name}`);
  return ['seccomp.bpf', ...inside.sort()];
};

const checksums = async (place: string): Promise<Readonly<Record<string, string>>> =>
  Object.fromEntries(
    await Promise.all(
      (await filesOf(place)).map(async (name) => [name, await sha256(join(place, name))] as const),
    ),
  );

const isWhole = async (home: string): Promise<boolean> => {
  try {
    const manifest: unknown = parseJsonText(await readFile(join(home, manifestFile), 'utf8'));
    const { uid } = await stat(home);
    return uid === process.getuid?.() && isSame(manifest, await checksums(home));
  } catch {
    return false;
  }
};

const isSame = (manifest: unknown, found: Readonly<Record<string, string>>): boolean =>
  JSON.stringify(manifest) === JSON.stringify(found) && `app/${snapshotFile}` in found;

const sha256 = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1_024 * 1_024 })) {
    hash.update(chunk as Buffer);
  }
  return hash.digest('hex');
};
