import type { Answer, Media } from '../../contract/operation.js';
import type { StoredAnswer, Worked } from '../../contract/gate.js';
import type { Principal } from '../../contract/roles.js';
import { withoutSecrets } from '../../contract/secrets.js';
import { spokenOf } from '../../contract/spoken-of.js';
import { whileAsked } from '../../kernel/asking.js';
import { Fault } from '../../kernel/fault.js';
import type { JsonPieces } from '../../kernel/json-pieces.js';
import type { Position } from '../../kernel/ports.js';
import { cookieLines } from './cookie.js';
import { keyOf, minPositionOf, type Sent } from './given.js';
import { causeOf, handled, type Asked } from './handle.js';
import { isStored, problemOf } from './problem.js';
import type { Services } from './services.js';
import type { Bound } from './table.js';

export type Exchanged = {
  readonly status: number;
  /** Where neither of the others is it. */
  readonly body?: unknown;
  readonly json?: JsonPieces;
  readonly lines?: AsyncIterable<string | Uint8Array>;
  /** Of `lines`, where it is not the usual one of the operation. */
  readonly media?: Media;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
};

export const read = async (
  bound: Bound,
  asked: Asked,
  sent: Sent,
  services: Services,
): Promise<Exchanged> => {
  const { reads } = bound.route;
  const min = (minPositionOf(bound, sent) ?? null) as Position | null;
  const position =
    reads.length > 0
      ? await sent.seat.whileBehind(() =>
          services.freshness.reached(reads, min, {
            signal: asked.asker.signal,
            project: asked.project?.id ?? null,
            ...(asked.head !== null && { head: asked.head }),
          }),
        )
      : null;
  // What a handler asks ends by its signal; the answer does not wait for that.
  const answer = await whileAsked(asked.asker, () => handled(bound, asked, sent, services, null));
  const at = answer.position ?? position;
  return {
    status: bound.operation.status,
    ...toldOf(answer),
    headers: {
      ...(at !== null && { 'X-Projection-Position': at }),
      ...tagged(answer.etag),
    },
  };
};

const toldOf = (answer: Answer<unknown>): Pick<Exchanged, 'body' | 'json' | 'lines' | 'media'> => {
  if (answer.lines !== undefined) {
    const { lines, media } = answer;
    return { lines, ...(media !== undefined && { media }) };
  }
  return answer.json === undefined ? { body: answer.body } : { json: answer.json };
};

/** Strong, as contract 1.9 has it. */
const tagged = (etag: string | undefined): Readonly<Record<string, string>> =>
  etag === undefined ? {} : { ETag: `"${etag}"` };

/** With an Idempotency-Key, once (contract 1.8). */
export const write = async (
  bound: Bound,
  asked: Asked,
  sent: Sent,
  services: Services,
): Promise<Exchanged> => {
  const key = keyOf(bound, sent);
  if (key === undefined || asked.principal === null || asked.fingerprint === null) {
    const answer = await handled(bound, asked, sent, services, null);
    const outcome = written({
      position: null,
      ...answer,
      body: answer.body,
      status: bound.operation.status,
    });
    return answer.cookie === undefined
      ? outcome
      : withHeader(outcome, 'Set-Cookie', cookieLines(answer.cookie, asked.isSecure));
  }
  const scope = scopeOf(bound, asked, asked.principal, key);
  const { answer, replayed } = await services.idempotency.once(
    { scope, fingerprint: asked.fingerprint },
    causeOf(asked, sent, services),
    (seed) => kept(bound, asked, sent, services, seed),
  );
  const outcome = written(replayed ? await again(bound, answer) : answer, sent.requestId);
  return replayed ? withHeader(outcome, 'Idempotency-Replayed', 'true') : outcome;
};

/** A kept answer, with what was not kept of it because it is a record's. */
const again = async (
  { operation, route: { echo } }: Bound,
  answer: StoredAnswer,
): Promise<StoredAnswer> =>
  echo === null || answer.status !== operation.status
    ? answer
    : { ...answer, body: await echo.again(answer.body) };

const withHeader = (
  outcome: Exchanged,
  name: string,
  value: string | readonly string[],
): Exchanged => ({
  ...outcome,
  headers: { ...outcome.headers, [name]: value },
});

/**
 * An answer and what of it may be stored. A refusal on state is an answer too: a retry must not
 * find another one.
 */
const kept = async (
  bound: Bound,
  asked: Asked,
  sent: Sent,
  services: Services,
  seed: string,
): Promise<Worked> => {
  const { operation, route } = bound;
  try {
    const given = await handled(bound, asked, sent, services, seed);
    const answer = { position: null, ...given, body: given.body, status: operation.status };
    const mayStay = route.echo === null ? given.body : route.echo.kept(given.body);
    const body = withoutSecrets(operation.response, mayStay);
    return { answer, stored: { ...answer, body }, ...spokenOf(operation, asked.params, body) };
  } catch (error) {
    if (!(error instanceof Fault) || !isStored(error)) throw error;
    const { status, body } = problemOf(error, sent.requestId);
    const answer = { status, body, position: null };
    return { answer, stored: answer, ...spokenOf(operation, asked.params, null) };
  }
};

const written = (
  { status, body, position, etag }: StoredAnswer,
  requestId?: string,
): Exchanged => ({
  status,
  // A stored problem names the request that it is answered to now (contract 1.5).
  body:
    status < 300 || requestId === undefined ? body : { ...(body as object), request_id: requestId },
  headers: { ...(position !== null && { 'X-Log-Position': position }), ...tagged(etag) },
});

/** Principal, method, path template and path values (contract 1.8), with the key. */
const scopeOf = ({ operation }: Bound, { params }: Asked, principal: Principal, key: string) =>
  JSON.stringify([
    principal.key?.id ?? principal.userId,
    operation.method,
    operation.path,
    params,
    key,
  ]);
