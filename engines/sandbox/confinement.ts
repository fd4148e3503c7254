import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { sandboxLimits, type SandboxLimits } from '../../kernel/sandbox.js';
import type { SandboxImage } from './image.js';

/** Command and account that start the program inside. */
export type Confinement = {
  readonly mode: 'strict' | 'deno';
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Account of the process; null = the service's own, which is not root. */
  readonly uid: number | null;
};

/** Descriptor to which `bwrap` writes the process number of the program inside. */
export const pidDescriptor = 3;
/** Descriptor from which `bwrap` reads the filter of seccomp.ts. */
const filterDescriptor = 4;

const megabyte = 1_024 * 1_024;
/**
 * Data limit: holds the interpreter, its compiled code and a scorer's share; not a bomb, nor the
 * code of a second JavaScript thread, which a scorer cannot use: its event loop never runs.
 */
const dataBytes = (limits: SandboxLimits): number => limits.memoryBytes * 4;
/** V8's own heap, of which the interpreter needs 20 MB. */
const heapMegabytes = 128;
const wasmPageBytes = 65_536;
/** Thread limit; the interpreter uses about 10. */
const threadsMax = 64;
/**
 * Resident memory at which the process is killed: interpreter 210 MB, scorer 256 MiB, some reserve.
 */
export const residentMax = (limits: SandboxLimits): number => limits.memoryBytes + 300 * megabyte;

/**
 * Account numbers without an account: a task's threads are counted under its own number, and it
 * owns no file. The kernel does not limit root's processes, so a root service drops to one of these
 * before anything else. Within 16 bits, which containers map.
 */
const sandboxUids = { first: 61_184, last: 65_519 };
const nobodyUid = 65_534;

/**
 * Builds the start command. `strict`: bubblewrap in separate namespaces with nothing but the
 * interpreter, read-only; not even /proc, /dev or /tmp. `deno`: the same program confined by deno's
 * permissions and the process limits alone.
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
    // Second line behind the clock, since several threads work for one program.
    `--cpu=${Math.ceil((limits.wallMs / 1_000) * 1.5) + 5}`,
    '--nofile=128',
    `--fsize=${8 * megabyte}`,
    '--core=0',
    `--nproc=${threads}`,
  ];
  const within = mode === 'strict' ? '/app' : dir;
  const program = [`${within}/deno`, ...denoArguments(within, limits), ...task];
  if (mode === 'deno') {
    // Without a watcher that dies with the service, the kernel has to kill it then.
    const keep = ['--no-new-privs', '--pdeathsig', 'KILL', '--'];
    const args = [...keep, programOf('prlimit'), ...bounds, '--', ...program];
    return { mode, command: programOf('setpriv'), args, environment: { DENO_DIR: '/none' }, uid };
  }
  const inner = [...namespaces(dir, libraries), '--', ...program];
  const args = [...bounds, '--', programOf('bwrap'), ...inner];
  return { mode, command: programOf('prlimit'), args, environment: {}, uid };
};

/** System packages of the programs. */
const origins = { prlimit: 'util-linux', setpriv: 'util-linux', bwrap: 'bubblewrap' } as const;
const programFolders = ['/usr/bin', '/bin', '/usr/local/bin', '/usr/sbin', '/sbin'];

/** Finds a program in the system's own folders, independent of the environment. */
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
  // All that deno needs of /proc.
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

/** Current threads of this account: an ordinary account shares its limit with the sandbox. */
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

/** Limits with the caller's overrides; tests make them short. */
export const resolveLimits = (chosen: Partial<SandboxLimits> = {}): SandboxLimits => ({
  ...sandboxLimits,
  ...chosen,
});
