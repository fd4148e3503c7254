/**
 * Program inside the sandbox, run by deno and copied beside the interpreter; it imports nothing of
 * the service. `makeSnapshot`: reads the harness from its input and writes a memory snapshot to its
 * output. `runJob`: reads a job and writes lines.
 */
/**
 * Output lines of the program inside: `!` untrusted code runs from here on, `@7` the step at index
 * 7 begins, `={…}` the verdict of the harness, `=flood` it printed too much. That code may forge
 * all but `!`.
 */
export type GuestLine = '!' | `@${number}` | `=${string}`;

type Python = {
  readonly runPython: (code: string) => unknown;
  readonly pyimport: (name: string) => {
    readonly run: (
      task: string,
      started: (place: number) => void,
      reseed: (seed: string) => void,
    ) => string;
  };
  readonly globals: { readonly set: (name: string, value: string) => void };
  readonly FS: {
    readonly unlink: (path: string) => void;
    readonly createDevice: (folder: string, name: string, read: () => number) => void;
  };
  readonly makeMemorySnapshot: () => Uint8Array;
  readonly setStdin: (options: { readonly error: true }) => void;
  readonly setStdout: (options: { readonly write: (bytes: Uint8Array) => number }) => void;
  readonly setStderr: (options: { readonly write: (bytes: Uint8Array) => number }) => void;
};
type Options = {
  readonly indexURL: string;
  readonly _makeSnapshot?: true;
  readonly _loadSnapshot?: Uint8Array;
};
type Runtime = {
  readonly args: readonly string[];
  readonly stdin: { readonly readSync: (into: Uint8Array) => number | null };
  readonly stdout: { readonly writeSync: (bytes: Uint8Array) => number };
  readonly readFileSync: (path: URL) => Uint8Array;
  readonly exit: (code: number) => never;
};

const runtime = (globalThis as unknown as { Deno: Runtime }).Deno;
const here = new URL('./', import.meta.url);

const readAll = (): string => {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for (;;) {
    const chunk = new Uint8Array(256 * 1_024);
    const count = runtime.stdin.readSync(chunk);
    if (count === null) break;
    chunks.push(chunk.subarray(0, count));
    total += count;
  }
  const whole = new Uint8Array(total);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return new TextDecoder().decode(whole);
};

const writeAll = (bytes: Uint8Array): void => {
  for (let at = 0; at < bytes.length;) at += runtime.stdout.writeSync(bytes.subarray(at));
};

const writeLine = (line: GuestLine): void => writeAll(new TextEncoder().encode(`${line}\n`));

const startPython = async (options: Omit<Options, 'indexURL'>): Promise<Python> => {
  const { loadPyodide } = (await import(new URL('pyodide.mjs', here).href)) as {
    loadPyodide: (options: Options) => Promise<Python>;
  };
  return loadPyodide({ indexURL: decodeURIComponent(here.pathname), ...options });
};

const makeSnapshot = async (): Promise<void> => {
  const python = await startPython({ _makeSnapshot: true });
  python.globals.set('harness_source', readAll());
  python.runPython(`
import sys, types
module = types.ModuleType("assay_harness")
sys.modules["assay_harness"] = module
exec(compile(harness_source, "assay_harness.py", "exec"), module.__dict__)
del harness_source, module, sys, types
`);
  writeAll(python.makeMemorySnapshot());
};

/**
 * Removes powerful globals, as defence in depth: permissions, namespaces and limits are the walls,
 * and the probes run against those alone (`bare`).
 */
const removeGlobals = (): void => {
  const scope = globalThis as unknown as Record<string, unknown>;
  for (const name of ['Deno', 'Worker', 'fetch', 'WebSocket', 'EventSource', 'BroadcastChannel']) {
    delete scope[name];
  }
};

/** A number without an account, as in confinement.ts. */
const nobodyUid = 65_534;

/**
 * Stubs the interpreter's calls to its host, which Deno would answer by ending it: entropy,
 * reseeded so that equal input gives equal scores, and the user id.
 */
const stubHost = async ({ FS }: Python): Promise<(seed: string) => void> => {
  type Module = { readonly default: Record<string, unknown> };
  const { default: crypto } = (await import('node:crypto')) as unknown as Module;
  const { default: process } = (await import('node:process')) as unknown as Module;
  let state = 0;
  const byte = (): number => {
    // Mulberry32: no secret depends on it.
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 8) & 0xff;
  };
  crypto['randomFillSync'] = (view: Uint8Array): Uint8Array => {
    for (let at = 0; at < view.length; at += 1) view[at] = byte();
    return view;
  };
  for (const name of ['getuid', 'geteuid', 'getgid', 'getegid']) process[name] = () => nobodyUid;
  for (const name of ['random', 'urandom']) {
    FS.unlink(`/dev/${name}`);
    FS.createDevice('/dev', name, byte);
  }
  return (seed) => {
    state = 2_166_136_261 | 0;
    for (const character of seed) {
      state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 16_777_619);
    }
  };
};

const runJob = async (outputMax: number, isBare: boolean): Promise<void> => {
  const python = await startPython({
    _loadSnapshot: runtime.readFileSync(new URL('snapshot.bin', here)),
  });
  const job = readAll();
  const { exit } = runtime;
  let printed = 0;
  const swallow = (bytes: Uint8Array): number => {
    printed += bytes.length;
    if (printed <= outputMax) return bytes.length;
    writeLine('=flood');
    return exit(0);
  };
  python.setStdin({ error: true });
  python.setStdout({ write: swallow });
  python.setStderr({ write: swallow });
  const harness = python.pyimport('assay_harness');
  const reseed = isBare ? () => null : await stubHost(python);
  if (!isBare) removeGlobals();
  writeLine('!');
  writeLine(`=${harness.run(job, (place) => writeLine(`@${place}`), reseed)}`);
  exit(0);
};

const [task, outputMax, names] = runtime.args;
await (task === 'make' ? makeSnapshot() : runJob(Number(outputMax), names === 'bare'));
