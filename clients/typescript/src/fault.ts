/** One entry of a 422: location in the request, message, and kind (contract 1.4). */
export type Complaint = {
  readonly loc: readonly string[];
  readonly msg: string;
  readonly type: string;
};

/** Error codes of the service (contract 1.5); `invalid_request` is a 422. */
export const serviceFaultCodes = [
  'malformed_request',
  'unauthenticated',
  'invalid_credentials',
  'token_expired',
  'ambiguous_credentials',
  'forbidden',
  'not_found',
  'method_not_allowed',
  'already_exists',
  'conflict',
  'idempotency_in_progress',
  'precondition_failed',
  'payload_too_large',
  'unsupported_media_type',
  'invalid_request',
  'too_many_requests',
  'internal_error',
  'unavailable',
  'read_model_behind',
  'read_model_filling',
  'log_damaged',
] as const;
export type ServiceFaultCode = (typeof serviceFaultCodes)[number];

/**
 * Error codes of calls. Beyond the service's own: `unreachable`, no answer came or it broke off;
 * `timeout`, it took too long; `aborted`, by the caller's signal; `unreadable`, the answer does not
 * follow the contract, or comes from something before the service.
 */
export type AssayFaultCode =
  ServiceFaultCode | 'unreachable' | 'timeout' | 'aborted' | 'unreadable';

type FaultFacts = {
  readonly code: AssayFaultCode;
  readonly status?: number;
  readonly complaints?: readonly Complaint[];
  readonly requestId?: string | null;
  readonly retryAfterMs?: number | null;
  readonly cause?: unknown;
};

/** The one error that calls reject with. `message` is the service's sentence. */
export class AssayFault extends Error {
  readonly code: AssayFaultCode;
  /** Status of the answer; null when none came. */
  readonly status: number | null;
  /** Errors by location in the request; empty unless `invalid_request`. */
  readonly complaints: readonly Complaint[];
  /** Finds the request in the service's log; null when no answer came. */
  readonly requestId: string | null;
  /** Wait that the service requested (`Retry-After`); null without one. */
  readonly retryAfterMs: number | null;
  /** Number of tries. */
  tries = 1;

  constructor(message: string, facts: FaultFacts) {
    super(message, { cause: facts.cause });
    this.name = 'AssayFault';
    this.code = facts.code;
    this.status = facts.status ?? null;
    this.complaints = facts.complaints ?? [];
    this.requestId = facts.requestId ?? null;
    this.retryAfterMs = facts.retryAfterMs ?? null;
  }
}

/**
 * True for an AssayFault with one of these codes (any if none are given), from any copy of this
 * package.
 */
export const isFault = (error: unknown, ...codes: readonly AssayFaultCode[]): error is AssayFault =>
  error instanceof Error &&
  error.name === 'AssayFault' &&
  (codes.length === 0 || codes.includes((error as AssayFault).code));

/** The fault of an answer other than 2xx. Never throws, whatever the body is. */
export const faultOf = (status: number, headers: Headers, text: string): AssayFault => {
  const body = parsed(text);
  const requestId = headers.get('X-Request-Id');
  const retryAfterMs = retryAfter(headers.get('Retry-After'));
  if (status === 422 && Array.isArray(body['detail'])) {
    const complaints = body['detail'] as readonly Complaint[];
    const said = complaints.slice(0, complaintsShownMax).map(sentence).join('; ');
    const message = `The request is not valid: ${said}`;
    return new AssayFault(message, {
      code: 'invalid_request',
      status,
      complaints,
      requestId,
      retryAfterMs,
    });
  }
  const { code, detail } = body;
  const message = typeof detail === 'string' ? detail : `The answer has status ${status}`;
  return new AssayFault(message, {
    code: isCode(code) ? code : 'unreadable',
    status,
    requestId,
    retryAfterMs,
  });
};

/** Fault of a request that cannot be sent, worded like the service's. */
export const invalidInput = (loc: readonly string[], msg: string): AssayFault => {
  const complaint = { loc, msg, type: 'missing' };
  const message = `The request is not valid: ${sentence(complaint)}`;
  return new AssayFault(message, { code: 'invalid_request', complaints: [complaint] });
};

const complaintsShownMax = 3;
const sentence = ({ loc, msg }: Complaint): string => `${loc.join('.')}: ${msg}`;

const parsed = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  } catch {
    return {};
  }
};

const isCode = (code: unknown): code is ServiceFaultCode =>
  typeof code === 'string' && (serviceFaultCodes as readonly string[]).includes(code);

/** Parses seconds or an HTTP date; null when it is neither. */
const retryAfter = (value: string | null): number | null => {
  if (value === null) return null;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000;
  const until = Date.parse(value);
  return Number.isNaN(until) ? null : Math.max(0, until - Date.now());
};
