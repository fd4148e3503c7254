import type { Json } from './schema-types.js';

/**
 * Foreseen failures, in the words of decisions; the HTTP status and the `code` member of contract
 * 1.5 belong to engines/koa/problem.ts.
 */
export type FaultCode =
  | 'malformed'
  | 'unauthenticated'
  | 'invalid-credentials'
  | 'token-expired'
  | 'ambiguous-credentials'
  | 'forbidden'
  | 'not-found'
  | 'method-not-allowed'
  | 'already-exists'
  | 'conflict'
  | 'idempotency-in-progress'
  | 'precondition-failed'
  | 'too-large'
  | 'unsupported-media-type'
  | 'invalid'
  | 'too-many'
  | 'unavailable'
  | 'log-damaged'
  | 'read-model-behind'
  | 'read-model-filling';

/** One entry of the 422 body (contract 1.4). */
export type Complaint = {
  readonly loc: readonly string[];
  readonly msg: string;
  readonly type: string;
};

export type FaultDetails = {
  /** The entries of a 422; required exactly when the code is `validationFault`. */
  readonly complaints?: readonly Complaint[];
  readonly retryAfterSeconds?: number;
  /** Extra members of the problem document (contract 1.5). */
  readonly members?: Readonly<Record<string, Json>>;
  /** Logged with the request id, never sent to the caller. */
  readonly cause?: unknown;
};

/** Error class of all foreseen failures: `detail` is for the caller, `cause` for the log. */
export class Fault extends Error {
  readonly code: FaultCode;
  readonly complaints: readonly Complaint[];
  readonly retryAfterSeconds: number | null;
  readonly members: Readonly<Record<string, Json>>;

  constructor(code: FaultCode, detail: string, details: FaultDetails = {}) {
    super(detail, { cause: details.cause });
    this.name = 'Fault';
    this.code = code;
    this.complaints = details.complaints ?? [];
    this.retryAfterSeconds = details.retryAfterSeconds ?? null;
    this.members = details.members ?? {};
  }
}

/** Complaint about one place of a request; `sentence` follows `Value error, ` (contract 1.4). */
export const valueComplaint = (loc: readonly string[], sentence: string): Complaint => {
  const msg = `Value error, ${sentence}`;
  return { loc, msg, type: 'value_error' };
};

/**
 * Complaint about a place that the operation does not read (contract 1.4). `meant`: the known name
 * that is near; the name itself when the operation knows it elsewhere only.
 */
export const extraForbidden = (loc: readonly string[], meant: string | null = null): Complaint => {
  const hint =
    meant === loc.at(-1) ? `, \`${meant}\` does not belong here` : `, did you mean \`${meant}\`?`;
  const msg = `Extra inputs are not permitted${meant === null ? '' : hint}`;
  return { loc, msg, type: 'extra_forbidden' };
};

/** Fault 422 about one place of the request. */
export const valueFault = (loc: readonly string[], sentence: string): Fault =>
  validationFault([valueComplaint(loc, sentence)]);

export const validationFault = (complaints: readonly Complaint[]): Fault =>
  new Fault('invalid', 'The request is not valid', { complaints });

/**
 * Failure reason for operators: its message and those of its causes, without quoted values, which
 * may be a tenant's.
 */
export const redactedReason = (error: unknown): string => {
  const reasons: string[] = [];
  for (let at = error; at !== undefined && at !== null && reasons.length < causesMax;) {
    reasons.push(withoutQuotes(messageOf(at)));
    at = at instanceof Error ? at.cause : null;
  }
  return reasons.join(': ').slice(0, reasonCharactersMax);
};
const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
const causesMax = 4;
const reasonCharactersMax = 500;

const withoutQuotes = (message: string): string =>
  message
    .replace(/(Original error: )"/g, '$1')
    .replace(/(["'`])[^]*?(?:\1|$)/g, '…')
    .replace(/\s*Possible solutions:[^]*$/, '')
    .replace(/\s+/g, ' ')
    .trim();

/** Count with its noun: `1 event`, `2 events`. */
export const pluralize = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;
