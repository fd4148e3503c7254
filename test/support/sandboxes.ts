import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readdir, stat } from 'node:fs/promises';
import {
  confine,
  resolveLimits,
  residentMax,
  type Confinement,
} from '../../engines/sandbox/confinement.js';
import { openImage } from '../../engines/sandbox/image.js';
import { runConfined } from '../../engines/sandbox/confined-process.js';
import { encodeTask } from '../../engines/sandbox/task-encoding.js';
import { openSandbox, type SandboxOptions } from '../../engines/sandbox/sandbox.js';
import type { Sandbox, SandboxLimits, ScorerStep, SandboxTask } from '../../kernel/sandbox.js';

/** One folder for all tests of a machine, so that the memory snapshot is made once. */
export const testCache = join(tmpdir(), `assay-test-sandbox-${process.getuid?.()}`);

export type TestMode = 'strict' | 'deno';

export const sandboxOf = (
  mode: TestMode,
  limits: Partial<SandboxLimits> = {},
  more: Pick<SandboxOptions, 'onPid' | 'bare'> = {},
): Sandbox =>
  openSandbox({ wanted: mode, cache: testCache, skipStrict: mode === 'deno', limits, ...more });

let shared: Sandbox | null = null;

/**
 * A sandbox with the default limits for all test files of a process, since its probes take two
 * seconds of a processor. Its processes end with this one.
 */
export const sharedSandbox = (): Sandbox => (shared ??= sandboxOf('strict'));

/** Folder of the interpreter: in strict mode as it is seen from inside. */
export const appFolder = async (mode: TestMode): Promise<string> => {
  if (mode === 'strict') return '/app';
  const names = (await readdir(testCache)).filter((name) => !name.startsWith('making-'));
  const dated = await Promise.all(
    names.map(async (name) => ({ name, at: (await stat(join(testCache, name))).mtimeMs })),
  );
  const newest = dated.sort((one, other) => other.at - one.at)[0]?.name ?? '';
  return join(testCache, newest, 'app');
};

export const stepOf = (index: number, more: Partial<ScorerStep> = {}): ScorerStep => ({
  index,
  id: `row-${index}`,
  node_type: null,
  name: '',
  input: 'a question',
  output: 'an answer',
  tags: [],
  user_metadata: {},
  metrics: {},
  dataset_input: 'a question',
  dataset_output: 'the answer',
  dataset_metadata: null,
  dataset_variables: {},
  required_scores: {},
  tools: null,
  more: {},
  spans: null,
  ...more,
});

export const taskOf = (source: string, more: Partial<SandboxTask> = {}): SandboxTask => ({
  source,
  scoreType: null,
  nodeTypes: null,
  steps: [stepOf(0)],
  keepGoing: false,
  ...more,
});

/**
 * A statement of Python that never ends. It waits without a processor, where `time.sleep` turns
 * round and round on one: the tests beside it can use that.
 */
export const neverEnds =
  '__import__("pyodide.code").code.run_js(' +
  '"Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)")';

/** Like `neverEnds`, for so many milliseconds. */
export const waits = (milliseconds: number): string =>
  neverEnds.replace('0, 0)', `0, 0, ${milliseconds})`);

export const stepsOf = (count: number, more: Partial<ScorerStep> = {}): readonly ScorerStep[] =>
  Array.from({ length: count }, (_, index) => stepOf(index, more));

/** The text scores of a task when the program inside is started by another command. */
export const scoresOf = async (
  task: SandboxTask,
  change: (confinement: Confinement) => Confinement,
  mode: TestMode,
): Promise<readonly string[]> => {
  const image = await openImage(testCache, () => Promise.reject(new Error('not made yet')));
  // Time beyond the default is for a busy machine.
  const limits = resolveLimits({ memoryBytes: 1_024 * 1_024 * 1_024, wallMs: 120_000 });
  let output = '';
  const started = await confine(mode, image, limits, ['run', '1000000', 'bare']);
  const end = await runConfined(change(started), {
    input: await encodeTask(task),
    wallMs: limits.wallMs,
    residentMax: residentMax(limits),
    outputMax: limits.outputBytes,
    filter: image.filter,
    signal: new AbortController().signal,
    onOutput: (chunk) => {
      output += chunk.toString('utf8');
      return false;
    },
  });
  const answer = output.split('\n').find((line) => line.startsWith('='));
  if (answer === undefined) throw new Error(`no answer: ${end.errors}`);
  const { scores } = JSON.parse(answer.slice(1)) as { scores: [number, string, string, object][] };
  return scores.map(([, , score]) => score);
};

/** Runs one-line scorers in this process, for tests of other units. */
export const inProcessSandbox = (
  scoreOf: (step: ScorerStep, source: string) => string | null | Promise<string | null>,
): Sandbox => ({
  run: async ({ source, steps }) => {
    const scores = [];
    for (const [at, step] of steps.entries()) {
      const score = await scoreOf(step, source);
      const error =
        score === null ? ({ kind: 'exception', message: 'ValueError: none' } as const) : null;
      scores.push({ step: at, node_type: step.node_type ?? 'llm', score, error });
    }
    return {
      verdict: 'valid',
      score_type: 'str',
      scoreable_node_types: ['trace'],
      chain_aggregation: null,
      scores,
      aggregates: {},
    };
  },
  state: () => ({ mode: 'strict', detail: '' }),
  ready: async () => ({ mode: 'strict', detail: '' }),
  close: async () => undefined,
});
