import type { Json, JsonObject } from './schema-types.js';

export const scoreTypes = ['bool', 'int', 'float', 'str'] as const;
export type ScoreType = (typeof scoreTypes)[number];

/** What a code scorer may be asked to look at (contract 4.11). */
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

/** The bounds of one task (contract 4.11, rule 8). */
export const sandboxLimits = {
  /** From where the scorer's code begins to the end of the process. */
  wallMs: 30_000,
  /** What Python may have. */
  memoryBytes: 256 * 1_024 * 1_024,
  /** What the scorer may answer, and what it may print (prints are thrown away). */
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
 * Spans of one trace together, as UTF-8 JSON: beside its own texts they fit the input of a process,
 * and several hundred steps of an agent fit in (contract 4.11, rule 9).
 */
export const spansBytesMax = 4 * 1_024 * 1_024;

/** Spans of a trace as its scorers see them. */
export type ScorerSpans = {
  /**
   * A JSON list in pieces: spans depth first, each with its `level`, which is 1 under the trace, at
   * most one more than that of the span before, and at most `treeLevelsMax`: the stack of Python
   * overflows when it frees a tree of 3,000 levels.
   */
  readonly json: readonly string[];
  /** Length of all pieces. */
  readonly characters: number;
  /** Number of spans that are not in the list. */
  readonly cut: number;
};

/** One thing to score: what the arguments of `scorer_fn` are made from. */
export type ScorerStep = {
  /** What `row N` in messages says. The random numbers of a step depend on it alone. */
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
  /** Further members of a recorded step, as `step_object` has them; absent ones are None there. */
  readonly more: JsonObject;
  /** Null: the step is no trace, or its scorer does not see spans. */
  readonly spans: ScorerSpans | null;
};

export type SandboxTask = {
  /** One Python file. */
  readonly source: string;
  /** When given, the file must declare the same. */
  readonly scoreType: ScoreType | null;
  /** Null: what the file says, else `llm`. */
  readonly nodeTypes: readonly NodeType[] | null;
  readonly steps: readonly ScorerStep[];
  /**
   * True: a step that fails leaves an error in its place. False: the first failure is the verdict.
   */
  readonly keepGoing: boolean;
};

export type StepScore = {
  /** Place in `steps` of the task. */
  readonly step: number;
  readonly node_type: NodeType;
  /** As `score_type` says, or null where the file declares that it may be. Numbers are finite. */
  readonly score: number | boolean | string | null;
  readonly error: StepError | null;
};
export type StepError = { readonly kind: ScorerFaultKind; readonly message: string };

/**
 * What is wrong with a file. `crashed`: it brought its interpreter down by other means than memory.
 */
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

/** Names of parameters of `scorer_fn` that nothing is passed for; absent: there are none. */
export type UnknownParameters = { readonly unknown_parameters?: readonly string[] };
/** Of them in a verdict, and characters of each (contract 4.13). */
export const unknownParametersMax = 100;
export const parameterNameMax = 128;

/**
 * How a task ended. `invalid`: the file is at fault; `message` is for its author, at most 2,048
 * characters, begins with `row N: ` where there is a row, and names nothing of this machine; `step`
 * is the place in `steps`. `unavailable`: the file was not judged; the same task may be run again.
 */
export type ScorerVerdict =
  | ({
      readonly verdict: 'valid';
      readonly score_type: ScoreType;
      readonly scoreable_node_types: readonly NodeType[];
      readonly chain_aggregation: ChainAggregation | null;
      /** Steps in their order, each with its node types in the order of the task. */
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

/** `message` of a verdict, an error of a step: contract 4.13. */
export const sandboxMessageMax = 2_048;

export const sandboxModes = ['strict', 'deno', 'off'] as const;
export type SandboxMode = (typeof sandboxModes)[number];
export type SandboxState = {
  /** `starting` until the probes have spoken. */
  readonly mode: SandboxMode | 'starting';
  /** Why it is so, for the operator. */
  readonly detail: string;
};

type ScorerRunOptions = {
  /** Called with the place of each step as it begins, in order; the scorer can lie about it. */
  readonly onStep?: (step: number) => void;
  /** Called when the wait is over and its process begins. */
  readonly onBegin?: () => void;
  readonly signal?: AbortSignal;
  /** How long the scorer's code may take, when that is less than the limit. */
  readonly wallMs?: number;
  /** Tasks of one name share their turns in the line; a task without it is nobody's. */
  readonly tenant?: string;
};

/**
 * Runs untrusted Python, each task in a process of its own that reaches nothing: no network, no
 * environment, no file but the interpreter's, no other process. At most as many at once as the
 * machine has cores; others wait in a line that serves everybody in turn. Nothing of a task is left
 * when `run` resolves.
 */
export interface Sandbox {
  /**
   * Never rejects. After the signal aborts, or `close`, the verdict is `unavailable`.
   */
  run(task: SandboxTask, options?: ScorerRunOptions): Promise<ScorerVerdict>;
  state(): SandboxState;
  /** Resolves when the mode is settled. */
  ready(): Promise<SandboxState>;
  /** Ends what runs. */
  close(): Promise<void>;
}
