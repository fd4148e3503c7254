import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { sandboxLimits, type SandboxLimits } from '../../kernel/sandbox.js';
import type { SandboxImage } from './image.js';

/** A command that starts the program inside, and as whom. */
export type Confinement = {
  readonly mode: 'strict' | 'deno';
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Who it runs as; null = as the service itself, which is not root. */
  readonly uid: number | null;
};

/** `bwrap` writes the process number of the program inside to this descriptor … */
export const pidDescriptor = 3;
/** … and reads the filter of seccomp.ts from this one. */
const filterDescriptor = 4;

const megabyte = 1_024 * 1_024;
/**
 * The interpreter, its compiled code and what a scorer may have fit in; a bomb does not, nor does
 * the code of a second JavaScript thread: a scorer has no event loop that turns.
 */
const dataBytes = (limits: SandboxLimits): number => limits.memoryBytes * 4;
/** V8's own heap: the interpreter needs 20 MB of it. */
const heapMegabytes = 128;
const wasmPageBytes = 65_536;
/** The interpreter runs in 10 threads or so, and may have some more. */
const threadsMax = 64;
/** Resident memory at which the process is ended: interpreter 210 MB, scorer 256 MiB, some air. */
export const residentMax = (limits: SandboxLimits): number => limits.memoryBytes + 300 * megabyte;

/**
 * Numbers that no account has: a task's threads are counted under its own, and it owns no file. The
 * kernel does not hold root to a number of processes, so as root the service drops to one of these
 * before anything else. Within 16 bits, which containers map.
 */
const sandboxUids = { first: 61_184, last: 65_519 };
const nobodyUid = 65_534;

/**
 * How the program inside is started. `strict`: bubblewrap in namespaces of its own, with nothing in
 * them but the interpreter, read-only; not even /proc, /dev or /tmp. `deno`: the same program held
 * by deno's permissions and the process limits alone.
 */
export const confine = async (
  mode: 'strict' | 'deno',
  { dir, libraries }: SandboxImage,
  limits: SandboxLimits,
  task: readonly string[],
): Promise<Confinement> => {
  const isRoot = process.getuid?.() === 0;
  const uid = isRoot ? randomInt(sandboxUids.first, sandboxUids.last + 1) : null;
  const threads = threadsMax + (isRoot ? 0 : await threadsOf(process.getuid?.() ?? 0));
  const bounds = [
    `--data=${dataBytes(limits)}`,
    // Several threads work for one program, so this is only the second line behind the clock.
    `--cpu=${Math.ceil((limits.wallMs / 1_000) * 1.5) + 5}`,
    '--nofile=128',
    `--fsize=${8 * megabyte}`,
    '--core=0',
    `--nproc=${threads}`,
  ];
  const within = mode === 'strict' ? '/app' : dir;
  const program = [`${within}/deno`, ...denoArguments(within, limits), ...task];
  if (mode === 'deno') {
    // It has no watcher that dies with the service, so the kernel is asked to end it then.
    const keep = ['--no-new-privs', '--pdeathsig', 'KILL', '--'];
    const args = [...keep, programOf('prlimit'), ...bounds, '--', ...program];
    return { mode, command: programOf('setpriv'), args, environment: { DENO_DIR: '/none' }, uid };
  }
  const inner = [...namespaces(dir, libraries), '--', ...program];
  const args = [...bounds, '--', programOf('bwrap'), ...inner];
  return { mode, command: programOf('prlimit'), args, environment: {}, uid };
};

/** Which packages of a system bring the programs. */
const origins = { prlimit: 'util-linux', setpriv: 'util-linux', bwrap: 'bubblewrap' } as const;
const programFolders = ['/usr/bin', '/bin', '/usr/local/bin', '/usr/sbin', '/sbin'];

/** Looked for in the system's own folders: no environment says where. */
const programOf = (name: keyof typeof origins): string => {
  const found = programFolders.map((dir) => `${dir}/${name}`).find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw new Error(`${name} is not installed; the package ${origins[name]} of the system has it`);
};

const namespaces = (dir: string, libraries: readonly string[]): readonly string[] => [
  ...splitWords(
    '--unshare-all --die-with-parent --new-session --as-pid-1 --clearenv --cap-drop ALL',
  ),
  ...splitWords(`--uid ${nobodyUid} --gid ${nobodyUid} --hostname sandbox --chdir /`),
  ...splitWords('--setenv DENO_DIR /none'),
  ...libraries.flatMap((path) => ['--ro-bind', path, path]),
  '--ro-bind',
  dir,
  '/app',
  // All that deno wants of /proc.
  ...splitWords('--symlink /app/deno /proc/self/exe'),
  ...splitWords(`--remount-ro / --info-fd ${pidDescriptor} --seccomp ${filterDescriptor}`),
];

const denoArguments = (within: string, limits: SandboxLimits): readonly string[] => [
  ...splitWords('run --quiet --no-prompt --no-remote --no-npm --no-config --no-lock --no-check'),
  ...splitWords('--cached-only --no-code-cache --node-modules-dir=none'),
  `--allow-read=${within}`,
  ...['write', 'net', 'env', 'sys', 'run', 'ffi', 'import'].map((one) => `--deny-${one}`),
  `--v8-flags=--max-old-space-size=${heapMegabytes},--wasm-max-mem-pages=${
    limits.memoryBytes / wasmPageBytes
  }`,
  `${within}/inside.mjs`,
];

const splitWords = (text: string): readonly string[] => text.split(' ');

/** How many threads this account has now: an ordinary account shares its limit with the sandbox. */
const threadsOf = async (uid: number): Promise<number> => {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const counts = await Promise.all(
    names.map(async (name) => {
      const status = await readFile(`/proc/${name}/status`, 'utf8').catch(() => '');
      const owner = /^Uid:\s+(\d+)/m.exec(status)?.[1];
      const threads = /^Threads:\s+(\d+)/m.exec(status)?.[1];
      return Number(owner) === uid ? Number(threads) : 0;
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
};

/** What a caller may choose of the limits; tests make them short. */
export const resolveLimits = (chosen: Partial<SandboxLimits> = {}): SandboxLimits => ({
  ...sandboxLimits,
  ...chosen,
});
