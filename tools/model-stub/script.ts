import { Fault } from '../../kernel/fault.js';
import { parseJsonText } from '../../kernel/json-text.js';
import type { Json, JsonObject } from '../../kernel/schema-types.js';

/** Script of a stub: the first rule that fits a request answers it, without one the default. */
export type StubScript = { readonly rules: readonly StubRule[] };
export type StubRule = {
  /** Text that one of the messages contains, the system's too; absent: any request. */
  readonly when?: string;
  /** Model of the request; absent: any. */
  readonly model?: string;
  /** Answers to the first, second … request of the rule; the last one for all further ones. */
  readonly answers: readonly StubAnswer[];
};
/** Absent members are those of the default answer. `{{key}}` in a text is the request's key. */
export type StubAnswer = {
  readonly status?: number;
  readonly delay_ms?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text of the answer, or message of the error with a status from 400 on. */
  readonly text?: string;
  /** Value whose JSON is the text, or the input of a tool that the request forces. */
  readonly json?: Json;
  readonly finish?: StubFinish;
  readonly usage?: Partial<StubUsage>;
};
const finishes = ['stop', 'length', 'filtered'] as const;
export type StubFinish = (typeof finishes)[number];
/** Tokens of a call: `cache_read`, `cache_write` are part of `input`, `reasoning` of `output`. */
const usageKinds = ['input', 'output', 'cache_read', 'cache_write', 'reasoning'] as const;
export type StubUsage = { readonly [Kind in (typeof usageKinds)[number]]: number };

/** Longest delay: a setTimeout waits at most 24 days. */
const delayMaxMs = 86_400_000;

/** Script from the text of a file. Throws Fault `invalid` naming the member that is wrong. */
export const parseStubScript = (text: string): StubScript => {
  const script = objectAt(parsed(text), 'the script', ['rules']);
  const rules = arrayAt(script['rules'], 'rules').map((value, at) => ruleAt(value, `rules.${at}`));
  return { rules };
};

const parsed = (text: string): unknown => {
  try {
    return parseJsonText(text);
  } catch (error) {
    throw refuse('the script', 'must be JSON', error);
  }
};

const ruleAt = (value: unknown, place: string): StubRule => {
  const rule = objectAt(value, place, ['when', 'model', 'answers']);
  textAt(rule['when'], `${place}.when`);
  textAt(rule['model'], `${place}.model`);
  const answers = arrayAt(rule['answers'], `${place}.answers`);
  if (answers.length === 0) throw refuse(`${place}.answers`, 'must not be empty');
  answers.forEach((answer, at) => checkAnswer(answer, `${place}.answers.${at}`));
  return rule as StubRule;
};

const answerMembers = ['status', 'delay_ms', 'headers', 'text', 'json', 'finish', 'usage'];

const checkAnswer = (value: unknown, place: string): void => {
  const answer = objectAt(value, place, answerMembers);
  wholeAt(answer['status'], `${place}.status`, 200, 599);
  wholeAt(answer['delay_ms'], `${place}.delay_ms`, 0, delayMaxMs);
  textAt(answer['text'], `${place}.text`);
  if (answer['text'] !== undefined && answer['json'] !== undefined) {
    throw refuse(place, 'must have text or json, not both');
  }
  const headers = answer['headers'] ?? {};
  for (const [name, header] of Object.entries(objectAt(headers, `${place}.headers`))) {
    textAt(header, `${place}.headers.${name}`);
  }
  const { finish } = answer;
  if (finish !== undefined && !finishes.some((known) => known === finish)) {
    throw refuse(`${place}.finish`, `must be one of ${finishes.join(', ')}`);
  }
  const usage = objectAt(answer['usage'] ?? {}, `${place}.usage`, usageKinds);
  for (const [kind, tokens] of Object.entries(usage)) {
    wholeAt(tokens, `${place}.usage.${kind}`, 0, 1_000_000_000);
  }
};

const refuse = (place: string, what: string, cause?: unknown): Fault =>
  new Fault('invalid', `${place} ${what}`, { cause });

const objectAt = (value: unknown, place: string, members?: readonly string[]): JsonObject => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw refuse(place, 'must be an object');
  }
  const unknown = Object.keys(value).find((name) => members?.includes(name) === false);
  if (unknown !== undefined) {
    throw refuse(place, `has no member ${unknown}: it has ${members?.join(', ')}`);
  }
  return value as JsonObject;
};
const arrayAt = (value: unknown, place: string): readonly unknown[] => {
  if (!Array.isArray(value)) throw refuse(place, 'must be an array');
  return value;
};
const textAt = (value: unknown, place: string): void => {
  if (value !== undefined && typeof value !== 'string') throw refuse(place, 'must be a text');
};
const wholeAt = (value: unknown, place: string, min: number, max: number): void => {
  if (value === undefined) return;
  if (Number.isInteger(value) && Number(value) >= min && Number(value) <= max) return;
  throw refuse(place, `must be a whole number from ${min} to ${max}`);
};
