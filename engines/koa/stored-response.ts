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
  /** Where neither of the others is it. */
  readonly body?: unknown;
  readonly json?: JsonChunks;
  readonly lines?: AsyncIterable<string | Uint8Array>;
  /** Of `lines`, where it is not the usual one of the operation. */
  readonly media?: Media;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
};

export const answerQuery = async (
  bound: CompiledRoute,
  asked: AuthorizedRequest,
  sent: RawRequest,
  services: HttpServices,
): Promise<HandledResponse> => {
  const { reads } = bound.route;
  const min = (minPositionOf(bound, sent) ?? null) as Position | null;
  const position =
    reads.length > 0
      ? await sent.seat.yieldWhileBehind(() =>
          services.freshness.waitUntilApplied(reads, min, {
            signal: asked.scope.signal,
            project: asked.project?.id ?? null,
            ...(asked.logHead !== null && { head: asked.logHead }),
          }),
        )
      : null;
  // What a handler asks ends by its signal; the answer does not wait for that.
  const answer = await raceAbort(asked.scope, () => runHandler(bound, asked, sent, services, null));
  const at = answer.position ?? position;
  return {
    status: bound.operation.status,
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

/** With an Idempotency-Key, once (contract 1.8). */
export const answerCommand = async (
  bound: CompiledRoute,
  asked: AuthorizedRequest,
  sent: RawRequest,
  services: HttpServices,
): Promise<HandledResponse> => {
  const key = idempotencyKeyOf(bound, sent);
  if (key === undefined || asked.principal === null || asked.fingerprint === null) {
    const answer = await runHandler(bound, asked, sent, services, null);
    const outcome = responseFrom({
      position: null,
      ...answer,
      body: answer.body,
      status: bound.operation.status,
    });
    return answer.cookie === undefined
      ? outcome
      : withHeader(outcome, 'Set-Cookie', setCookieHeaders(answer.cookie, asked.isSecure));
  }
  const scope = idempotencyScope(bound, asked, asked.principal, key);
  const { answer, replayed } = await services.idempotency.runOnce(
    { scope, fingerprint: asked.fingerprint },
    causeOf(asked, sent, services),
    (seed) => runForStorage(bound, asked, sent, services, seed),
  );
  const outcome = responseFrom(
    replayed ? await replayStored(bound, answer) : answer,
    sent.requestId,
  );
  return replayed ? withHeader(outcome, 'Idempotency-Replayed', 'true') : outcome;
};

/** A kept answer, with what was not kept of it because it is a record's. */
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
 * An answer and what of it may be stored. A refusal on state is an answer too: a retry must not
 * find another one.
 */
const runForStorage = async (
  bound: CompiledRoute,
  asked: AuthorizedRequest,
  sent: RawRequest,
  services: HttpServices,
  seed: string,
): Promise<IdempotentResult> => {
  const { operation, route } = bound;
  try {
    const given = await runHandler(bound, asked, sent, services, seed);
    const answer = { position: null, ...given, body: given.body, status: operation.status };
    const mayStay = route.replay === null ? given.body : route.replay.toStored(given.body);
    const body = withoutSecrets(operation.response, mayStay);
    return { answer, stored: { ...answer, body }, ...answerSubject(operation, asked.params, body) };
  } catch (error) {
    if (!(error instanceof Fault) || !isStorable(error)) throw error;
    const { status, body } = problemOf(error, sent.requestId);
    const answer = { status, body, position: null };
    return { answer, stored: answer, ...answerSubject(operation, asked.params, null) };
  }
};

const responseFrom = (
  { status, body, position, etag }: StoredResponse,
  requestId?: string,
): HandledResponse => ({
  status,
  // A stored problem names the request that it is answered to now (contract 1.5).
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
