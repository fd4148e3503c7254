import type { JsonObject } from './schema-types.js';

/**
 * Tokens of one call by kind. `input` and `output` are whole counts; the other kinds are parts of
 * them (contract 3.9). A kind that the provider does not report is 0.
 */
export type TokenCounts = {
  readonly input: number;
  readonly output: number;
  readonly cache_read: number;
  readonly cache_write: number;
  readonly reasoning: number;
};

/** Call of a tool that a model asks for; its arguments are JSON text and need not be valid. */
type ModelToolCall = {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
};

/** Message to a model, in the order of the conversation. */
export type ModelMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | {
      readonly role: 'assistant';
      readonly content: string;
      readonly toolCalls?: readonly ModelToolCall[];
    }
  | {
      readonly role: 'tool';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly content: string;
    };

/** Function that a model may ask to be called; it is never executed here. */
type ModelTool = {
  readonly name: string;
  readonly description?: string;
  /** JSON schema of its arguments. */
  readonly parameters: JsonObject;
};

/** Settings of a call; one that is absent is not sent. */
export type CallSettings = {
  readonly temperature?: number;
  readonly maxTokens?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  readonly stopSequences?: readonly string[];
  readonly seed?: number;
  readonly reasoningEffort?: string;
  readonly verbosity?: string;
};

/** Integration's configuration (contract 4.9), opened for one call. */
export type OpenConfiguration = {
  readonly settings: JsonObject;
  /** Secret members, at the places where they were sent. */
  readonly secrets: JsonObject;
};

export type ModelRequest = {
  /** Provider of contract 4.9; error 1101 when it is not callable. */
  readonly provider: string;
  readonly configuration: OpenConfiguration;
  /** Name of the model as the provider knows it, without `provider/`. */
  readonly model: string;
  readonly messages: readonly ModelMessage[];
  /** JSON answers; with a schema where the provider takes one. Absent: text. */
  readonly json?: { readonly name: string; readonly schema: JsonObject | null };
  readonly tools?: readonly ModelTool[];
  readonly toolChoice?: 'auto' | 'none' | 'required' | { readonly tool: string };
  readonly settings?: CallSettings;
  /** Longest duration of the attempt; error 1105 after it. */
  readonly timeoutMs: number;
  /** Cancels the attempt: the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
};

/** Why a model stopped: `length` is `max_tokens`, `filtered` the provider's content filter. */
export type ModelFinish = 'stop' | 'length' | 'filtered' | 'tool_calls' | 'other';

export type ModelAnswer = {
  readonly text: string;
  readonly toolCalls: readonly ModelToolCall[];
  /** Model that answered, as the provider names it. */
  readonly model: string;
  readonly tokens: TokenCounts;
  readonly finish: ModelFinish;
  /** SHA-256 of the body that the provider sent, in hex; the body itself is not kept. */
  readonly sha256: string;
  readonly ms: number;
};

/** Evaluation error codes of models (contract 3.9). */
export type ModelErrorCode =
  1101 | 1102 | 1103 | 1104 | 1105 | 1106 | 1107 | 1108 | 1109 | 1110 | 1111;

export type ModelError = {
  readonly code: ModelErrorCode;
  /** At most 300 characters, without anything of the credential. */
  readonly message: string;
  /** HTTP status of the provider; null without a response. */
  readonly status: number | null;
  /** True if another attempt may succeed: 408, 429, 5xx, a broken connection. */
  readonly isTransient: boolean;
  /** Pause that the provider asked for by `Retry-After`. */
  readonly retryAfterMs: number | null;
  readonly ms: number;
  /** Partial answer of 1110, whose tokens count; null for the other codes. */
  readonly answer: ModelAnswer | null;
};

/** Outcome of one attempt: exactly one member is not null. */
export type ModelOutcome =
  | { readonly answer: ModelAnswer; readonly error: null }
  | { readonly answer: null; readonly error: ModelError };

/**
 * Calls of models: one attempt each, without retries. A failed attempt is a value; only
 * cancellation rejects. With `json`, the answer's text is not checked against the schema.
 */
export interface ModelCalls {
  call(request: ModelRequest): Promise<ModelOutcome>;
}

/** Reason of a call, as metrics and spend name it. */
export type ModelPurpose = 'test' | 'judge' | 'prompt' | 'naming';

/** Figures of one attempt, without tenant and model. */
export type AttemptFigures = {
  readonly provider: string;
  readonly purpose: ModelPurpose;
  readonly outcome: ModelErrorCode | 'ok';
  readonly ms: number;
  /** Null: the provider counted none. */
  readonly tokens: TokenCounts | null;
};
export type ModelSeries = {
  readonly attempted: (figures: AttemptFigures) => void;
  /** Adds to the number of calls that wait for a place. */
  readonly waiting: (change: number) => void;
};

/** Longest message of an error; what a provider says is for people, not for storage. */
const messageMax = 300;
/** Length of a text that a message may not share with a credential. */
const sharedMax = 8;
/** Shorter members of a configuration are words, such as the name of a team in a header. */
const secretMin = 4;
/** Characters of a provider's message that are looked at. */
const examinedMax = 4_096;

/**
 * Message of a provider without the credential: each text of 8 characters or more that it shares
 * with a secret, in any case of letters, is replaced, and a shorter secret as a whole.
 */
export const redactedMessage = (message: string, secrets: readonly string[]): string => {
  const text = message.slice(0, examinedMax).replace(/\s+/g, ' ').trim();
  const folded = asciiLower(text);
  const windows = new Map<number, Set<string>>();
  for (const secret of secrets.flatMap(spellings)) {
    const length = Math.min(sharedMax, secret.length);
    if (length < secretMin) continue;
    const ofLength = windows.get(length) ?? new Set<string>();
    windows.set(length, ofLength);
    for (let at = 0; at + length <= secret.length; at += 1)
      ofLength.add(secret.slice(at, at + length));
  }
  const isSecret = new Uint8Array(text.length);
  for (const [length, ofLength] of windows)
    for (let at = 0; at + length <= folded.length; at += 1)
      if (ofLength.has(folded.slice(at, at + length))) isSecret.fill(1, at, at + length);
  let shown = '';
  for (let at = 0; at < text.length; at += 1)
    if (isSecret[at] === 0) shown += text.charAt(at);
    else if (isSecret[at - 1] !== 1) shown += '[secret]';
  return shown.slice(0, messageMax);
};

/** Spellings of a secret that a provider may quote: plain, in a URL, in JSON. */
const spellings = (secret: string): readonly string[] =>
  [secret, encodeURIComponent(secret.toWellFormed()), JSON.stringify(secret).slice(1, -1)].map(
    (one) => asciiLower(one.replace(/\s+/g, ' ').trim()),
  );
/** Lower case that keeps the length of the text. */
const asciiLower = (text: string): string =>
  text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
