import type { Json, JsonObject } from './schema-types.js';

export const scoreTypes = ['bool', 'int', 'float', 'str'] as const;
export type ScoreType = (typeof scoreTypes)[number];

/** Node types that a code scorer can score (contract 4.11). */
export const nodeTypes = [
  'chain',
  'chat',
  'llm',
  'retriever',
  'tool',
  'agent',
  'workflow',
  'trace',
  'session',
] as const;
export type NodeType = (typeof nodeTypes)[number];

export const chainAggregations = ['sum', 'average', 'first', 'last'] as const;
export type ChainAggregation = (typeof chainAggregations)[number];

/** Limits of one task (contract 4.11, rule 8). */
export const sandboxLimits = {
  /** Time from the start of the scorer's code to the end of the process. */
  wallMs: 30_000,
  /** Memory of Python. */
  memoryBytes: 256 * 1_024 * 1_024,
  /** Size of the scorer's result, and of its prints (which are discarded). */
  outputBytes: 1_024 * 1_024,
  /** Source, steps and spans together, as JSON: all rows of a dataset fit twice. */
  inputBytes: 16 * 1_024 * 1_024,
} as const;
export type SandboxLimits = {
  readonly [Name in keyof typeof sandboxLimits]: number;
};

/** Names of the arguments of `scorer_fn` (contract 4.11, rule 6). */
export const scorerArguments = [
  'step_object',
  'index',
  'node_id',
  'node_type',
  'node_name',
  'node_input',
  'node_output',
  'tools',
  'dataset_variables',
  'dataset_metadata',
  'required_scores',
  'spans',
  'spans_cut',
] as const;

/**
 * Size limit of the spans of one trace, as UTF-8 JSON: beside its own texts they fit the input of a
 * process, and several hundred steps of an agent fit in (contract 4.11, rule 9).
 */
export const spansBytesMax = 4 * 1_024 * 1_024;

/** Spans of a trace as its scorers see them. */
export type ScorerSpans = {
  /**
   * JSON list in pieces: spans depth first, each with its `level`, which is 1 under the trace, at
   * most one more than that of the span before, and at most `treeLevelsMax`: the stack of Python
   * overflows when it frees a tree of 3,000 levels.
   */
  readonly json: readonly string[];
  /** Length of all pieces. */
  readonly characters: number;
  /** Number of spans that are left out. */
  readonly cut: number;
};

/** Step to score: the source of the arguments of `scorer_fn`. */
export type ScorerStep = {
  /** Number N of `row N` in messages. The random numbers of a step depend on it alone. */
  readonly index: number;
  readonly id: string;
  /** Null: scored once for each node type of the task. */
  readonly node_type: NodeType | null;
  readonly name: string;
  readonly input: Json;
  readonly output: Json;
  readonly tags: readonly string[];
  readonly user_metadata: JsonObject;
  readonly metrics: JsonObject;
  readonly dataset_input: Json;
  readonly dataset_output: Json;
  readonly dataset_metadata: Json;
  readonly dataset_variables: JsonObject;
  readonly required_scores: JsonObject;
  readonly tools: Json;
  /** Further members of a recorded step, for `step_object`; absent ones are None there. */
  readonly more: JsonObject;
  /** Null: the step is not a trace, or its scorer does not take spans. */
  readonly spans: ScorerSpans | null;
};

export type SandboxTask = {
  /** One Python file. */
  readonly source: string;
  /** If set, the file must declare the same. */
  readonly scoreType: ScoreType | null;
  /** Null: as the file declares, else `llm`. */
  readonly nodeTypes: readonly NodeType[] | null;
  readonly steps: readonly ScorerStep[];
  /** True: a failed step leaves an error in its place. False: the first failure is the verdict. */
  readonly keepGoing: boolean;
};

export type StepScore = {
  /** Index in `steps` of the task. */
  readonly step: number;
  readonly node_type: NodeType;
  /** Value of type `score_type`, or null where the file allows it. Numbers are finite. */
  readonly score: number | boolean | string | null;
  readonly error: StepError | null;
};
export type StepError = { readonly kind: ScorerFaultKind; readonly message: string };

/** Kinds of fault of a file. `crashed`: it crashed its interpreter by other means than memory. */
export const scorerFaultKinds = [
  'syntax',
  'missing',
  'signature',
  'credentials',
  'exception',
  'wrong_type',
  'aggregates',
  'time',
  'memory',
  'output',
  'input',
  'crashed',
] as const;
export type ScorerFaultKind = (typeof scorerFaultKinds)[number];

/** Parameters of `scorer_fn` that no argument is passed for; absent: none. */
export type UnknownParameters = { readonly unknown_parameters?: readonly string[] };
/** Limits of a verdict: names, and characters of each (contract 4.13). */
export const unknownParametersMax = 100;
export const parameterNameMax = 128;

/**
 * Verdict of a task. `invalid`: the file is at fault; `message` is for its author, at most 2,048
 * characters, begins with `row N: ` where there is a row, and contains no detail of this machine;
 * `step` is the index in `steps`. `unavailable`: the file was not judged; the same task may be run
 * again.
 */
export type ScorerVerdict =
  | ({
      readonly verdict: 'valid';
      readonly score_type: ScoreType;
      readonly scoreable_node_types: readonly NodeType[];
      readonly chain_aggregation: ChainAggregation | null;
      /** Scores by step in order, each with its node types in the order of the task. */
      readonly scores: readonly StepScore[];
      readonly aggregates: Readonly<Record<string, number>>;
    } & UnknownParameters)
  | ({
      readonly verdict: 'invalid';
      readonly kind: ScorerFaultKind;
      readonly message: string;
      readonly step: number | null;
    } & UnknownParameters)
  | { readonly verdict: 'unavailable'; readonly message: string };

/** Length limit of a verdict's `message` and a step's error (contract 4.13). */
export const sandboxMessageMax = 2_048;

export const sandboxModes = ['strict', 'deno', 'off'] as const;
export type SandboxMode = (typeof sandboxModes)[number];
export type SandboxState = {
  /** `starting` until the probes have finished. */
  readonly mode: SandboxMode | 'starting';
  /** Reason, for the operator. */
  readonly detail: string;
};

type ScorerRunOptions = {
  /** Called with the index of each step as it begins, in order; the scorer can forge it. */
  readonly onStep?: (step: number) => void;
  /** Called when the task leaves the queue and its process begins. */
  readonly onBegin?: () => void;
  readonly signal?: AbortSignal;
  /** Time limit of the scorer's code, if less than the default. */
  readonly wallMs?: number;
  /** Fair-queue key: tasks of one tenant share their turns; absent: no tenant. */
  readonly tenant?: string;
};

/**
 * Sandbox for untrusted Python. Each task has a process of its own that reaches nothing: no
 * network, no environment, no file but the interpreter's, no other process. At most one process per
 * core runs at once; others wait in a queue that is fair between tenants. Nothing of a task is left
 * when `run` resolves.
 */
export interface Sandbox {
  /** Never rejects. After the signal aborts, or `close`, the verdict is `unavailable`. */
  run(task: SandboxTask, options?: ScorerRunOptions): Promise<ScorerVerdict>;
  state(): SandboxState;
  /** Resolves when the mode is settled. */
  ready(): Promise<SandboxState>;
  /** Stops running tasks. */
  close(): Promise<void>;
}
