import { egressReasonOf, isEgressRefusal } from '../../kernel/egress.js';
import { redactedMessage, type ModelError, type ModelErrorCode } from '../../kernel/model-calls.js';
import { ownMember } from '../../kernel/own-member.js';
import type { Json, JsonObject } from '../../kernel/schema-types.js';
import { jsonOf, objectOf } from './configuration.js';
import type { ReceivedResponse } from './recording-fetch.js';

type FailedAttempt = {
  /** Error that the package threw. */
  readonly error: unknown;
  /** Last response of the provider; null when none arrived. */
  readonly received: ReceivedResponse | null;
  /** Credentials, of which the message has nothing. */
  readonly secrets: readonly string[];
  readonly isTimeout: boolean;
  readonly ms: number;
  /** Present time in milliseconds, for a `Retry-After` that is a date. */
  readonly now: number;
};

/** Error of a failed attempt (contract 3.9), by what the provider answered. */
export const attemptError = (attempt: FailedAttempt): ModelError => {
  const { error, received, secrets, isTimeout, ms, now } = attempt;
  const { code, message, isTransient } =
    received?.body == null
      ? connectionError(error, isTimeout)
      : responseError(received.status, received.body);
  return {
    code,
    message: redactedMessage(message, secrets),
    status: received?.status ?? null,
    isTransient,
    retryAfterMs: retryAfterMs(received?.retryAfter ?? null, now),
    ms,
    answer: null,
  };
};

type ErrorKind = Pick<ModelError, 'code' | 'message' | 'isTransient'>;

/** Error without a complete response. A time-out is not transient: it costs as long again. */
const connectionError = (error: unknown, isTimeout: boolean): ErrorKind => {
  const reason = egressReasonOf(error);
  const { message = '' } = error instanceof Error ? error : {};
  if (reason !== null) {
    const refused = isEgressRefusal(reason) && reason !== 'answer_too_large';
    const sentence = faultMessage(error);
    return {
      code: refused ? 1109 : 1105,
      message: `${sentence}.`,
      isTransient: reason === 'unreachable',
    };
  }
  if (isTimeout)
    return { code: 1105, message: 'The provider did not answer in time.', isTransient: false };
  return { code: 1105, message: `The call failed: ${message}`, isTransient: false };
};

/** Message of the egress, which names neither host nor content. */
const faultMessage = (error: unknown): string => {
  let deepest = error;
  while (deepest instanceof Error && egressReasonOf(deepest.cause) !== null)
    deepest = deepest.cause;
  return deepest instanceof Error ? deepest.message : String(deepest);
};

const responseError = (status: number, body: Uint8Array): ErrorKind => {
  if (status === 401 || status === 403) {
    const message = `The provider refused the credential of the integration (HTTP ${status}).`;
    return { code: 1102, message, isTransient: false };
  }
  if (status < 400) {
    const message = `The provider's answer is malformed (HTTP ${status}).`;
    return { code: 1105, message, isTransient: false };
  }
  const said = statement(body);
  const message = `HTTP ${status}: ${said === '' ? 'no explanation' : said}`;
  const isTransient = status === 408 || status === 429 || status >= 500;
  return { code: codeOf(status, body, isTransient), message, isTransient };
};

const codeOf = (status: number, body: Uint8Array, isTransient: boolean): ModelErrorCode => {
  if (status === 404) return 1103;
  if (status === 429) return 1104;
  if (isTransient) return 1105;
  const text = textOf(body);
  return refusedRequests.find(([pattern]) => pattern.test(text))?.[1] ?? 1105;
};

/** Refusals that providers tell by a code or a sentence only, all with HTTP 400, 413 or 422. */
const refusedRequests: readonly (readonly [RegExp, ModelErrorCode])[] = [
  [/context_length_exceeded|maximum context length|context window/i, 1111],
  [/(?:prompt|input) is too long|too many (?:input )?tokens|maximum number of tokens/i, 1111],
  [/content_filter|content_policy_violation|content management policy/i, 1110],
  [/model_not_found|invalid_model|model identifier is invalid|invalid model/i, 1103],
];

/** Sentence in the body of an error: its `message`, where the provider's interface has one. */
const statement = (body: Uint8Array): string => {
  const text = textOf(body);
  const value = jsonOf(text);
  if (value === undefined) return text.startsWith('<') ? 'the answer is a page, not JSON' : text;
  const top: JsonObject = objectOf(Array.isArray(value) ? value[0] : value);
  const inner = objectOf(ownMember<Json>(top, 'error'));
  const said = [inner['message'], top['message'], top['Message'], top['error'], top['detail']];
  return said.find((one): one is string => typeof one === 'string') ?? '';
};

/** Bytes of an error's body that are looked at. */
const examinedBytes = 16_384;
const textOf = (body: Uint8Array): string =>
  new TextDecoder().decode(body.subarray(0, examinedBytes)).trim();

/** Pause of a `Retry-After` in seconds or as a date; null: none, or malformed. */
const retryAfterMs = (sent: string | null, now: number): number | null => {
  if (sent === null) return null;
  const ms = /^\s*\d+(\.\d+)?\s*$/.test(sent) ? Number(sent) * 1_000 : Date.parse(sent) - now;
  return Number.isFinite(ms) ? Math.max(0, Math.round(ms)) : null;
};
