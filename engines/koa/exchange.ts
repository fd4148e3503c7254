import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Freshness, Gate, Idempotency, StoredAnswer, Worked } from '../../contract/gate.js';
import {
  takesIdempotencyKey,
  type Answer,
  type Cause,
  type Request,
  type Route,
} from '../../contract/operation.js';
import type { Principal, ProjectInSight } from '../../contract/roles.js';
import { withoutSecrets } from '../../contract/secrets.js';
import { projectSpokenOf } from '../../contract/spoken-of.js';
import { whileAsked } from '../../kernel/asking.js';
import { Fault, invalid, type Complaint } from '../../kernel/fault.js';
import { networkOf } from '../../kernel/networks.js';
import type { JsonPieces } from '../../kernel/json-pieces.js';
import type { Clock, Ids, Position } from '../../kernel/ports.js';
import { during } from '../node/asking.js';
import type { Asker, Askers } from './askers.js';
import { authorize } from '../../contract/authorize.js';
import { arrived } from './arrived.js';
import type { Coming } from './body.js';
import type { Held, Owner } from './budget.js';
import { cookieLines } from './cookie.js';
import { checkOrigin, cookieComplaints, entered, type Entry } from './entry.js';
import { ifMatchOf } from './if-match.js';
import type { Aside } from './lane.js';
import type { Load, Seat } from './load.js';
import type { Peer } from './peer.js';
import { isStored, problemOf } from './problem.js';
import type { Bound } from './table.js';
import type { Watch } from './watch.js';

export type Services = {
  readonly gate: Gate;
  readonly idempotency: Idempotency;
  readonly freshness: Freshness;
  readonly clock: Clock;
  readonly ids: Ids;
  /** In lower case. */
  readonly keyHeaders: readonly string[];
  readonly peerOf: (message: IncomingMessage) => Peer;
  readonly load: Load;
  readonly watch: Watch;
  readonly askers: Askers;
  /** How long the handler may take (contract 1.11). */
  readonly answerWithinMs: (route: Route) => number;
  /** Where its requests take so much memory that only a few are worked on at a time. */
  readonly laneOf: (route: Route) => 'large' | 'tables' | null;
};

export type Sent = {
  readonly message: IncomingMessage;
  readonly requestId: string;
  readonly seat: Seat;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, readonly string[]>>;
};

export type Exchanged = {
  readonly status: number;
  /** Where `json` is not it. */
  readonly body?: unknown;
  readonly json?: JsonPieces;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
};

/**
 * One request in the order of contract 1.5, and what its answer holds. Throws Fault for everything
 * but a 2xx and a stored answer.
 */
export const exchange = async (
  bound: Bound,
  sent: Sent,
  services: Services,
): Promise<{ readonly outcome: Exchanged; readonly told: Held }> => {
  const asker = services.askers.begin(sent.message.socket);
  try {
    const entry = await entered(bound.operation, sent.message, services);
    const owner = ownerOf(entry);
    if (owner.person !== null) sent.seat.callerIs(owner);
    // What came is in memory until the answer is there, files and all.
    const coming = services.load.coming(owner, asker.signal);
    const told = services.load.answers.open(owner);
    try {
      const come = { ...entry, asker, coming, told };
      return { outcome: await answered(bound, sent, services, come), told };
    } catch (error) {
      told.release();
      throw error;
    } finally {
      coming.release();
    }
  } finally {
    asker.end();
  }
};

const ownerOf = ({ principal, sender }: Entry): Owner =>
  principal === null
    ? { name: networkOf(sender.address), person: null }
    : { name: principal.key?.id ?? principal.userId, person: principal.userId };

type Come = Entry & { readonly asker: Asker; readonly coming: Coming; readonly told: Held };

const answered = async (
  bound: Bound,
  sent: Sent,
  services: Services,
  come: Come,
): Promise<Exchanged> => {
  const { principal } = come;
  const given = await validated(bound, sent, come);
  checkOrigin(bound.operation, sent.message);
  const project =
    principal === null
      ? null
      : await authorize(bound.operation, principal, given.params, services.gate);
  const asked: Asked = { ...given, ...come, project };
  return bound.operation.kind === 'r'
    ? read(bound, asked, sent, services)
    : write(bound, asked, sent, services);
};

type Given = Pick<Request<unknown, unknown, unknown>, 'query' | 'body' | 'files' | 'ifMatch'> & {
  readonly params: Readonly<Record<string, unknown>>;
  /** Of the request as it was sent; null without an Idempotency-Key. */
  readonly fingerprint: string | null;
};
type Asked = Given & Come & { readonly project: ProjectInSight | null };

const validated = async (bound: Bound, sent: Sent, { sender, coming }: Come): Promise<Given> => {
  const {
    body,
    files,
    complaints: misplaced,
    print,
  } = await sent.seat.whileSending(() => arrived(bound, sent.message, coming));
  const isKeyed = keyOf(bound, sent) !== undefined;
  const fingerprint = isKeyed && 'value' in body ? digest([sent.query, print]) : null;
  const ifMatch = ifMatchOf(bound.operation, sent.message.headers['if-match']);
  const params = bound.params(sent.params);
  const query = bound.query(sent.query);
  const guarded =
    'value' in body
      ? (bound.bodyFor(sent.params)?.(body.value) ?? ({ ok: true, value: body.value } as const))
      : ({ ok: false, complaints: [body.complaint] } as const);
  const headers = [...headerComplaints(bound, sent), ...cookieComplaints(bound.operation, sender)];
  if (!params.ok || !query.ok || !guarded.ok || headers.length + misplaced.length > 0) {
    throw refused([
      ...(params.ok ? [] : params.complaints),
      ...(query.ok ? [] : query.complaints),
      ...headers,
      ...misplaced,
      // What came as a file is not missing as well.
      ...(guarded.ok ? [] : guarded.complaints.filter((one) => !misplaced.some(isAt(one)))),
    ]);
  }
  const given = { params: params.value, query: query.value, body: guarded.value, files } as never;
  const complaints = bound.route.check(given);
  if (complaints.length > 0) throw refused(complaints);
  return { ...(given as Omit<Given, 'fingerprint' | 'ifMatch'>), fingerprint, ifMatch };
};

const isAt =
  ({ loc }: Complaint) =>
  (other: Complaint): boolean =>
    loc.join('/') === other.loc.join('/');

const refused = (complaints: readonly Complaint[]): Fault => invalid(complaints.slice(0, 100));

const positionForm = /^[0-9A-Za-z_-]{1,64}$/;
const keyForm = /^[!-~]{1,255}$/;

const keyOf = ({ operation }: Bound, { message }: Sent): string | undefined => {
  return takesIdempotencyKey(operation)
    ? (message.headers['idempotency-key'] as string | undefined)
    : undefined;
};
const minPositionOf = ({ operation }: Bound, { message }: Sent): string | undefined =>
  operation.kind === 'r' ? (message.headers['x-min-position'] as string | undefined) : undefined;

const headerComplaints = (bound: Bound, sent: Sent): readonly Complaint[] =>
  [
    { header: 'X-Min-Position', value: minPositionOf(bound, sent), form: positionForm },
    { header: 'Idempotency-Key', value: keyOf(bound, sent), form: keyForm },
  ].flatMap(({ header, value, form }) =>
    value === undefined || form.test(value)
      ? []
      : [
          {
            loc: ['header', header],
            msg: `String should match pattern '${form.source}'`,
            type: 'string_pattern_mismatch',
          },
        ],
  );

const read = async (
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
          }),
        )
      : null;
  // What a handler asks ends by its signal; the answer does not wait for that.
  const answer = await whileAsked(asked.asker, () => handled(bound, asked, sent, services, null));
  const at = answer.position ?? position;
  return {
    status: bound.operation.status,
    ...(answer.json === undefined ? { body: answer.body } : { json: answer.json }),
    headers: {
      ...(at !== null && { 'X-Projection-Position': at }),
      ...tagged(answer.etag),
    },
  };
};

/** Strong, as contract 1.9 has it. */
const tagged = (etag: string | undefined): Readonly<Record<string, string>> =>
  etag === undefined ? {} : { ETag: `"${etag}"` };

const write = async (
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
  const outcome = written(answer, sent.requestId);
  return replayed ? withHeader(outcome, 'Idempotency-Replayed', 'true') : outcome;
};

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
  const { operation } = bound;
  try {
    const given = await handled(bound, asked, sent, services, seed);
    const answer = { position: null, ...given, body: given.body, status: operation.status };
    const body = withoutSecrets(operation.response, given.body);
    const project = projectSpokenOf(operation, asked.params, body);
    return { answer, stored: { ...answer, body }, project };
  } catch (error) {
    if (!(error instanceof Fault) || !isStored(error)) throw error;
    const { status, body } = problemOf(error, sent.requestId);
    const answer = { status, body, position: null };
    return { answer, stored: answer, project: projectSpokenOf(operation, asked.params, null) };
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

const handled = async (
  bound: Bound,
  asked: Asked,
  sent: Sent,
  services: Services,
  idempotent: string | null,
): Promise<Answer<unknown>> => {
  const { ids, answerWithinMs } = services;
  const { signal, within } = asked.asker;
  within(answerWithinMs(bound.route));
  const seed = idempotent ?? ids.next('Seed');
  let minted = 0;
  const request: Request<unknown, unknown, unknown> = {
    params: asked.params,
    query: asked.query,
    body: asked.body,
    files: asked.files,
    ifMatch: asked.ifMatch,
    get principal(): Principal {
      if (asked.principal === null) throw new Error('nobody is asked who they are here');
      return asked.principal;
    },
    project: asked.project,
    sender: asked.sender,
    cause: {
      ...causeOf(asked, sent, services),
      eventId: (stream, revision) => ids.derive('EventId', seed, stream, String(revision)),
    },
    mint: (name) => {
      minted += 1;
      return idempotent === null ? ids.next(name) : ids.derive(name, seed, String(minted));
    },
    signal,
    room: {
      of: async (bytes) => {
        if (!asked.told.tries(bytes)) await aside(() => asked.told.wait(bytes, signal));
      },
      upTo: asked.told.upTo,
    },
  };
  let aside: Aside = (wait) => wait();
  const who = asked.principal?.userId ?? '';
  const work = (stepAside: Aside) => {
    aside = stepAside;
    return during({ signal, who }, () =>
      services.askers.during(() => bound.route.handle(request as never)),
    );
  };
  try {
    const lane = services.laneOf(bound.route);
    if (lane === null) return await work(aside);
    return await services.load[lane](ownerOf(asked), signal, work);
  } catch (error) {
    services.watch.fault(bound, error, sent.requestId);
    throw error;
  }
};

const causeOf = (
  { principal, project }: Asked,
  { requestId }: Sent,
  { clock }: Services,
): Omit<Cause, 'eventId'> => ({
  actor:
    principal === null
      ? { type: 'service', id: 'assay', role: 'public' }
      : {
          type: principal.key === null ? 'user' : 'api_key',
          id: principal.key?.id ?? principal.userId,
          role: project?.role ?? principal.organizationRole,
        },
  requestId,
  correlationId: requestId,
  causationId: null,
  at: clock.now(),
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

const digest = (value: unknown): string =>
  createHash('sha256').update(canonicalJson(value)).digest('hex');

/**
 * Members in one order, so that equal objects have equal texts. Nesting was bounded when the body
 * was read.
 */
const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_member, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([left], [right]) => (left < right ? -1 : 1)))
      : one,
  );
