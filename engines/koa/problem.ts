import { STATUS_CODES, type IncomingMessage } from 'node:http';
import { Fault, type FaultCode } from '../../kernel/fault.js';

/** Status and public code of each fault: the only table of statuses (contract 1.5). */
const problemTypes: Readonly<Record<Exclude<FaultCode, 'invalid'>, readonly [number, string]>> = {
  malformed: [400, 'malformed_request'],
  unauthenticated: [401, 'unauthenticated'],
  'invalid-credentials': [401, 'invalid_credentials'],
  'token-expired': [401, 'token_expired'],
  'ambiguous-credentials': [401, 'ambiguous_credentials'],
  forbidden: [403, 'forbidden'],
  'not-found': [404, 'not_found'],
  'method-not-allowed': [405, 'method_not_allowed'],
  'already-exists': [409, 'already_exists'],
  conflict: [409, 'conflict'],
  'idempotency-in-progress': [409, 'idempotency_in_progress'],
  'precondition-failed': [412, 'precondition_failed'],
  'too-large': [413, 'payload_too_large'],
  'unsupported-media-type': [415, 'unsupported_media_type'],
  'too-many': [429, 'too_many_requests'],
  unavailable: [503, 'unavailable'],
  'log-damaged': [503, 'log_damaged'],
  'read-model-behind': [503, 'read_model_behind'],
  'read-model-filling': [503, 'read_model_filling'],
};
const invalidStatus = 422;
const internalStatus = 500;
/** Client closed request: the status that access logs have for a connection closed too early. */
const closedStatus = 499;
/** Status of `/readyz` while the service cannot do its work. */
export const notReadyStatus = 503;

/** Default Retry-After seconds of faults that name when to retry (contract 1.6). */
const retryAfterSeconds: Readonly<Partial<Record<FaultCode, number>>> = {
  'idempotency-in-progress': 1,
  'too-many': 60,
  unavailable: 1,
  'read-model-behind': 1,
  'read-model-filling': 2,
};

export type Problem = {
  readonly status: number;
  readonly body: unknown;
  readonly retryAfter: number | null;
};

export const problemOf = (fault: Fault, requestId: string): Problem => {
  if (fault.code === 'invalid') {
    return { status: invalidStatus, body: { detail: fault.complaints }, retryAfter: null };
  }
  const [status, code] = problemTypes[fault.code];
  return {
    status,
    body: { ...problemBody(status, code, fault.message, requestId), ...fault.members },
    retryAfter: fault.retryAfterSeconds ?? retryAfterSeconds[fault.code] ?? null,
  };
};

/**
 * Problem of a request that failed: that of its fault or of a defect. Where the connection closed
 * before, it is 499, which no client receives: logs and metrics have it alone.
 */
export const failureOf = (error: unknown, request: IncomingMessage, requestId: string): Problem => {
  if (!(error instanceof Fault)) return internalProblem(requestId);
  return request.socket.destroyed ? closedProblem(requestId) : problemOf(error, requestId);
};

const closedProblem = (requestId: string): Problem => ({
  status: closedStatus,
  body: problemBody(closedStatus, 'client_closed_request', 'Client closed request', requestId),
  retryAfter: null,
});

/**
 * Problem of a defect, an error other than a Fault; its cause is in the log under the request id.
 */
export const internalProblem = (requestId: string): Problem => ({
  status: internalStatus,
  body: problemBody(internalStatus, 'internal_error', 'Internal error', requestId),
  retryAfter: null,
});

/** Status of input that Node rejects before there is a request, by error code. */
export const parseErrorStatus = (code: string | undefined): number => {
  if (code === 'HPE_HEADER_OVERFLOW') return 431;
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
};
/** A 431 has no body (contract 1.5). */
export const parseErrorBody = (status: number, requestId: string): string =>
  status === 431
    ? ''
    : JSON.stringify(
        problemBody(status, 'malformed_request', 'The request is not HTTP', requestId),
      );

const problemBody = (status: number, code: string, detail: string, requestId: string) => ({
  detail,
  type: `urn:assay:problem:${code}`,
  title: STATUS_CODES[status] ?? '',
  status,
  code,
  request_id: requestId,
});

const neverStored: ReadonlySet<FaultCode> = new Set<FaultCode>([
  'unauthenticated',
  'invalid-credentials',
  'token-expired',
  'ambiguous-credentials',
  'too-large',
  'unsupported-media-type',
  'invalid',
  'too-many',
  'unavailable',
  'log-damaged',
  'read-model-behind',
  'read-model-filling',
]);
/** True if a response is stored under its Idempotency-Key (contract 1.8, rule 4). */
export const isStorable = (fault: Fault): boolean => !neverStored.has(fault.code);

/**
 * Faults that any operation may return; a handler declares the others in its operation's `faults`.
 */
export const universalFaults: ReadonlySet<FaultCode> = new Set<FaultCode>([
  ...neverStored,
  'malformed',
  'method-not-allowed',
  'idempotency-in-progress',
]);

/** Challenge of contract 1.5, last paragraph. */
export const challengeOf = (authorization: string | undefined): string => {
  const scheme = authorization?.split(' ', 1)[0]?.toLowerCase();
  if (scheme === 'basic') return 'Basic realm="assay", charset="UTF-8"';
  return scheme === 'bearer'
    ? 'Bearer realm="assay", error="invalid_token"'
    : 'Bearer realm="assay"';
};
export const isUnauthenticated = (status: number): boolean => status === 401;
export const isClosed = (status: number): boolean => status === closedStatus;
