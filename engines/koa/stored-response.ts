import type { Answer, Media } from '../../contract/operation.js';
import type { StoredResponse, IdempotentResult } from '../../contract/request-ports.js';
import type { Principal } from '../../contract/roles.js';
import { withoutSecrets } from '../../contract/secrets.js';
import { answerSubject } from '../../contract/answer-subject.js';
import { raceAbort } from '../../kernel/query-context.js';
import { Fault } from '../../kernel/fault.js';
import type { JsonChunks } from '../../kernel/json-chunks.js';
import type { Position } from '../../kernel/ports.js';
import { setCookieHeaders } from './refresh-cookie.js';
import { idempotencyKeyOf, minPositionOf, type RawRequest } from './validate-request.js';
import { causeOf, runHandler, type AuthorizedRequest } from './run-handler.js';
import { isStorable, problemOf } from './problem.js';
import type { HttpServices } from './services.js';
import type { CompiledRoute } from './compiled-routes.js';

export type HandledResponse = {
  readonly status: number;
  /** Absent when one of the others is set. */
  readonly body?: unknown;
  readonly json?: JsonChunks;
  readonly lines?: AsyncIterable<string | Uint8Array>;
  /** Media type of `lines`, when it differs from the operation's. */
  readonly media?: Media;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
};

/**
 * Answers a query (CQRS read side), once its read models are folded far enough (read-your-writes).
 */
export const answerQuery = async (
  compiledRoute: CompiledRoute,
  authorized: AuthorizedRequest,
  sent: RawRequest,
  services: HttpServices,
): Promise<HandledResponse> => {
  const { reads } = compiledRoute.route;
  const min = (minPositionOf(compiledRoute, sent) ?? null) as Position | null;
  const position =
    reads.length > 0
      ? await sent.slot.yieldWhileBehind(() =>
          services.freshness.waitUntilApplied(reads, min, {
            signal: authorized.scope.signal,
            project: authorized.project?.id ?? null,
            onBehind: (seconds) => sent.setHeader('X-Projection-Behind', String(seconds)),
            ...(authorized.logHead !== null && { head: authorized.logHead }),
          }),
        )
      : null;
  // Queries of the handler end by its signal; the response does not wait for that.
  const answer = await raceAbort(authorized.scope, () =>
    runHandler(compiledRoute, authorized, sent, services, null),
  );
  const at = answer.position ?? position;
  return {
    status: compiledRoute.operation.status,
    ...contentOf(answer),
    headers: {
      ...(at !== null && { 'X-Projection-Position': at }),
      ...etagHeader(answer.etag),
    },
  };
};

const contentOf = (
  answer: Answer<unknown>,
): Pick<HandledResponse, 'body' | 'json' | 'lines' | 'media'> => {
  if (answer.lines !== undefined) {
    const { lines, media } = answer;
    return { lines, ...(media !== undefined && { media }) };
  }
  return answer.json === undefined ? { body: answer.body } : { json: answer.json };
};

/** Strong, as contract 1.9 has it. */
const etagHeader = (etag: string | undefined): Readonly<Record<string, string>> =>
  etag === undefined ? {} : { ETag: `"${etag}"` };

/** Answers a command; with an Idempotency-Key, it runs once (contract 1.8). */
export const answerCommand = async (
  compiledRoute: CompiledRoute,
  authorized: AuthorizedRequest,
  sent: RawRequest,
  services: HttpServices,
): Promise<HandledResponse> => {
  const key = idempotencyKeyOf(compiledRoute, sent);
  if (key === undefined || authorized.principal === null || authorized.fingerprint === null) {
    const answer = await runHandler(compiledRoute, authorized, sent, services, null);
    const outcome = responseFrom({
      position: null,
      ...answer,
      body: answer.body,
      status: compiledRoute.operation.status,
    });
    return answer.cookie === undefined
      ? outcome
      : withHeader(outcome, 'Set-Cookie', setCookieHeaders(answer.cookie, authorized.isSecure));
  }
  const scope = idempotencyScope(compiledRoute, authorized, authorized.principal, key);
  const { answer, replayed } = await services.idempotency.runOnce(
    { scope, fingerprint: authorized.fingerprint },
    causeOf(authorized, sent, services),
    (seed) => runForStorage(compiledRoute, authorized, sent, services, seed),
  );
  const outcome = responseFrom(
    replayed ? await replayStored(compiledRoute, answer) : answer,
    sent.requestId,
  );
  return replayed ? withHeader(outcome, 'Idempotency-Replayed', 'true') : outcome;
};

/**
 * Idempotency replay: returns the stored response; record content, which is not stored, is read
 * again.
 */
const replayStored = async (
  { operation, route: { replay } }: CompiledRoute,
  answer: StoredResponse,
): Promise<StoredResponse> =>
  replay === null || answer.status !== operation.status
    ? answer
    : { ...answer, body: await replay.restore(answer.body) };

const withHeader = (
  outcome: HandledResponse,
  name: string,
  value: string | readonly string[],
): HandledResponse => ({
  ...outcome,
  headers: { ...outcome.headers, [name]: value },
});

/**
 * Runs a command and returns its response with the part that may be stored. A refusal based on
 * state is stored too: a retry must not get another one.
 */
const runForStorage = async (
  compiledRoute: CompiledRoute,
  authorized: AuthorizedRequest,
  sent: RawRequest,
  services: HttpServices,
  seed: string,
): Promise<IdempotentResult> => {
  const { operation, route } = compiledRoute;
  try {
    const answered = await runHandler(compiledRoute, authorized, sent, services, seed);
    const answer = { position: null, ...answered, body: answered.body, status: operation.status };
    const storable = route.replay === null ? answered.body : route.replay.toStored(answered.body);
    const body = withoutSecrets(operation.response, storable);
    return {
      answer,
      stored: { ...answer, body },
      ...answerSubject(operation, authorized.params, body),
    };
  } catch (error) {
    if (!(error instanceof Fault) || !isStorable(error)) throw error;
    const { status, body } = problemOf(error, sent.requestId);
    const answer = { status, body, position: null };
    return { answer, stored: answer, ...answerSubject(operation, authorized.params, null) };
  }
};

const responseFrom = (
  { status, body, position, etag }: StoredResponse,
  requestId?: string,
): HandledResponse => ({
  status,
  // A stored problem carries the id of the current request (contract 1.5).
  body:
    status < 300 || requestId === undefined ? body : { ...(body as object), request_id: requestId },
  headers: { ...(position !== null && { 'X-Log-Position': position }), ...etagHeader(etag) },
});

/** Principal, method, path template and path values (contract 1.8), with the key. */
const idempotencyScope = (
  { operation }: CompiledRoute,
  { params }: AuthorizedRequest,
  principal: Principal,
  key: string,
) =>
  JSON.stringify([
    principal.key?.id ?? principal.userId,
    operation.method,
    operation.path,
    params,
    key,
  ]);
