import { availableParallelism } from 'node:os';
import { openLimiter } from '../../kernel/limiter.js';
import { scorerLimit } from '../../kernel/limits.js';
import {
  type Sandbox,
  type SandboxLimits,
  type SandboxMode,
  type SandboxState,
  type SandboxTask,
  type ScorerVerdict,
} from '../../kernel/sandbox.js';
import { confine, resolveLimits, residentMax } from './confinement.js';
import type { GuestLine } from './inside.js';
import { openImage, type SandboxImage } from './image.js';
import { probeEscapes } from './escape-probe.js';
import { runConfined, type ProcessEnd } from './confined-process.js';
import { encodeTask } from './task-encoding.js';
import { invalidVerdict, readVerdict } from './verdict.js';

export type SandboxOptions = {
  /** `strict` or nothing; `deno`: strict, and deno alone where strict is unavailable; `off`. */
  readonly wanted: SandboxMode;
  /** Folder of the image, owned by this account and accessible to every account. */
  readonly cache: string;
  /** Tests only: the weaker mode where the stronger is available. */
  readonly skipStrict?: boolean;
  /** Tests only: keeps the powerful globals, as for the probes. */
  readonly bare?: boolean;
  readonly limits?: Partial<SandboxLimits>;
  /** Receives the number of each process on this machine, for outside monitoring. */
  readonly onPid?: (pid: number) => void;
};

/** Options common to all runs; a run may have its own limits and signal. */
type RunOptions = {
  readonly mode: 'strict' | 'deno';
  readonly image: SandboxImage;
  readonly limits: SandboxLimits;
  readonly signal: AbortSignal;
  readonly bare: boolean;
  readonly onPid?: (pid: number) => void;
};

/**
 * Opens the sandbox at once; the image is built and probed in the background, and tasks wait for
 * it.
 */
export const openSandbox = (options: SandboxOptions): Sandbox => {
  const limits = resolveLimits(options.limits);
  const closing = new AbortController();
  const limiter = openLimiter(scorerLimit(availableParallelism()));
  let anonymous = 0;
  let state: SandboxState = { mode: 'starting', detail: 'the probes are running' };
  const settled = resolveMode(options, limits, closing.signal).then(
    (found) => {
      state = { mode: found.mode, detail: found.detail };
      return found.options;
    },
    (error: unknown) => {
      state = { mode: 'off', detail: messageOf(error) };
      return null;
    },
  );
  return {
    run: async (task, { onStep, onBegin, signal, wallMs = limits.wallMs, tenant } = {}) => {
      const opened = await settled;
      if (opened === null) {
        return { verdict: 'unavailable', message: `sandbox_unavailable: ${state.detail}` };
      }
      const either = AbortSignal.any([closing.signal, ...(signal === undefined ? [] : [signal])]);
      const release = await limiter.acquire({
        tenant: tenant ?? `anonymous ${(anonymous += 1)}`,
      });
      try {
        onBegin?.();
        const runLimits = { ...limits, wallMs: Math.min(wallMs, limits.wallMs) };
        return await runTask(
          { ...opened, limits: runLimits, signal: either },
          task,
          onStep ?? (() => null),
        );
      } catch (error) {
        return { verdict: 'unavailable', message: `sandbox_unavailable: ${messageOf(error)}` };
      } finally {
        release();
      }
    },
    state: () => state,
    ready: async () => {
      await settled;
      return state;
    },
    close: async () => {
      closing.abort();
      await settled;
      await limiter.whenIdle();
    },
  };
};

type ResolvedMode = SandboxState & { readonly options: RunOptions | null };

/** Finds the strongest requested mode that works and holds every probe. */
const resolveMode = async (
  { wanted, cache, skipStrict, bare = false, onPid }: SandboxOptions,
  limits: SandboxLimits,
  signal: AbortSignal,
): Promise<ResolvedMode> => {
  if (wanted === 'off') return { mode: 'off', detail: 'switched off', options: null };
  const image = await openImage(cache, (place, harness) => makeSnapshot(place, harness, signal));
  const refusals: string[] = [];
  const modes = wanted === 'deno' ? (['strict', 'deno'] as const) : (['strict'] as const);
  for (const mode of modes) {
    if (mode === 'strict' && skipStrict === true) continue;
    const options: RunOptions = { mode, image, limits, signal, bare, ...(onPid && { onPid }) };
    const refusal = await probeEscapes(mode, (task, watch) =>
      runTask({ ...withProbeTime(options), bare: true, onPid: watch }, task, () => null),
    ).catch(messageOf);
    const before = refusals.length === 0 ? '' : ` (${refusals.join('; ')})`;
    if (refusal === null) return { mode, detail: `every probe was held${before}`, options };
    refusals.push(`${mode}: ${refusal}`);
  }
  return { mode: 'off', detail: refusals.join('; '), options: null };
};

/**
 * More time for probes: one that a busy machine timed out would disable the sandbox for the life of
 * the process.
 */
const withProbeTime = (options: RunOptions): RunOptions => ({
  ...options,
  limits: { ...options.limits, wallMs: Math.max(options.limits.wallMs, probeWallMs) },
});
const probeWallMs = 60_000;

/** Makes the snapshot of an image. It runs trusted code only, and still runs in the sandbox. */
const makeSnapshot = async (
  image: SandboxImage,
  harness: string,
  signal: AbortSignal,
): Promise<Uint8Array> => {
  const limits = resolveLimits();
  const chunks: Buffer[] = [];
  const end = await runConfined(await confine('deno', image, limits, ['make']), {
    input: [harness],
    wallMs: snapshotWallMs,
    residentMax: residentMax(limits) * 2,
    outputMax: limits.memoryBytes,
    filter: image.filter,
    signal,
    onOutput: (chunk) => {
      chunks.push(chunk);
      return false;
    },
  });
  const made = Buffer.concat(chunks);
  if (end.code === 0 && made.length > 0) return made;
  throw new Error(`the memory snapshot could not be built (${end.cause}): ${end.errors.trim()}`);
};
/**
 * Three seconds on a quiet machine; over a minute where several services started at once on a busy
 * one, and a process that gives up has no sandbox for its lifetime.
 */
const snapshotWallMs = 300_000;

/** Time limit of an interpreter's start on a busy machine, before the scorer's work. */
const startWallMs = 30_000;

/** Output beside the verdict: a line per step. */
const linesBytes = 64 * 1_024;

const runTask = async (
  { mode, image, limits, signal, bare, onPid }: RunOptions,
  task: SandboxTask,
  onStep: (step: number) => void,
): Promise<ScorerVerdict> => {
  if (signal.aborted) return stoppedVerdict;
  const input = await encodeTask(task);
  const bytes = input.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
  if (bytes > limits.inputBytes) {
    const most = `${limits.inputBytes / 1_024 / 1_024} MiB`;
    return invalidVerdict(
      'input',
      `The rows are larger than ${most}; validate fewer at once`,
      null,
    );
  }
  const lines = openLineReader(task.steps.length, onStep);
  const run = ['run', String(limits.outputBytes), bare ? 'bare' : 'named'];
  const end = await runConfined(await confine(mode, image, limits, run), {
    input,
    wallMs: limits.wallMs,
    start: { wallMs: Math.max(startWallMs, limits.wallMs), hasBegun: () => lines.found().begun },
    residentMax: residentMax(limits),
    outputMax: limits.outputBytes + linesBytes,
    filter: image.filter,
    signal,
    onOutput: lines.take,
    ...(onPid && { onPid }),
  });
  if (end.cause === 'stopped') return stoppedVerdict;
  const { answer, begun, step } = lines.found();
  if (!begun) {
    const why = end.cause === 'itself' ? `exit ${end.code}: ${end.errors.trim()}` : end.cause;
    return {
      verdict: 'unavailable',
      message: `sandbox_unavailable: the sandbox did not start (${why})`,
    };
  }
  return verdictOf(answer, end, task, step, limits);
};

const stoppedVerdict: ScorerVerdict = {
  verdict: 'unavailable',
  message: 'sandbox_unavailable: the service is stopping',
};

/** Verdict for an end after the scorer's code began to run. */
const verdictOf = (
  answer: string | null,
  end: ProcessEnd,
  task: SandboxTask,
  step: number | null,
  limits: SandboxLimits,
): ScorerVerdict => {
  const row = step === null ? '' : `row ${task.steps[step]?.index}: `;
  if (answer === 'flood' || end.cause === 'output' || (answer?.length ?? 0) > limits.outputBytes) {
    const most = `${limits.outputBytes / 1_024} KiB`;
    return invalidVerdict('output', `${row}the scorer printed or answered more than ${most}`, step);
  }
  if (answer !== null) {
    const verdict = readVerdict(answer, task);
    return (
      verdict ?? invalidVerdict('crashed', 'the scorer changed what its results look like', null)
    );
  }
  if (end.cause === 'time') {
    const seconds = limits.wallMs / 1_000;
    return invalidVerdict('time', `${row}the scorer ran longer than ${seconds} seconds`, step);
  }
  if (
    end.cause === 'memory' ||
    /out of memory|memory allocation|RangeError: Array buffer/i.test(end.errors)
  ) {
    const most = `${limits.memoryBytes / 1_024 / 1_024} MiB`;
    return invalidVerdict('memory', `${row}the scorer needs more memory than ${most}`, step);
  }
  const isDeep = /Maximum call stack size exceeded/.test(end.errors);
  const how = isDeep ? 'the scorer calls itself too deeply' : 'the scorer ended its interpreter';
  return invalidVerdict('crashed', `${row}${how}`, step);
};

const beginLine: GuestLine = '!';

/** Reads the lines of inside.ts from chunks. */
const openLineReader = (steps: number, onStep: (step: number) => void) => {
  let rest = '';
  let begun = false;
  let step: number | null = null;
  let answer: string | null = null;
  const decoder = new TextDecoder();
  const read = (line: string): void => {
    if (line === beginLine) begun = true;
    else if (line.startsWith('=')) answer ??= line.slice(1);
    else if (/^@\d{1,6}$/.test(line)) {
      const place = Number(line.slice(1));
      // Steps begin in order; any other line is forged.
      if (place >= steps || place <= (step ?? -1)) return;
      step = place;
      onStep(place);
    }
  };
  return {
    take: (chunk: Buffer): boolean => {
      const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n');
      const last = others.pop();
      if (last === undefined) {
        rest += first;
        return false;
      }
      for (const line of [rest + first, ...others]) if (answer === null) read(line);
      rest = last;
      return answer !== null;
    },
    found: () => ({ answer, begun, step }),
  };
};

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
