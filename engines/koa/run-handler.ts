import type { Answer, Cause, NoteHeader, Request } from '../../contract/operation.js';
import type { Principal, VisibleProject } from '../../contract/roles.js';
import type { YieldSlot } from '../../kernel/limiter.js';
import { networkPrefix } from '../../kernel/network-prefix.js';
import type { Position } from '../../kernel/ports.js';
import { withQueryContext, type RequestScope } from './request-scope.js';
import { limitKeysOf } from './load-shedding.js';
import type { ByteReservation, QuotaOwner } from '../../kernel/byte-budget.js';
import type { Authentication } from './authentication.js';
import type { ValidatedRequest, RawRequest } from './validate-request.js';
import { encodeColumn } from './ignored-members.js';
import { withRejectedItems } from './partial-ingest.js';
import { noteByHeader } from './answer-notes.js';
import type { HttpServices } from './services.js';
import type { CompiledRoute } from './compiled-routes.js';

/** Authorized request: its caller, project and validated input. */
export type AuthorizedRequest = ValidatedRequest &
  Authentication & {
    readonly project: VisibleProject | null;
    /** Position of the log's head when the request arrived, for reads (read-your-writes). */
    readonly logHead: Promise<Position> | null;
    readonly scope: RequestScope;
    /** Memory reserved for its response. */
    readonly answerBytes: ByteReservation;
  };

/** Owner to whom the request's bytes and work are charged. */
export const quotaOwnerOf = ({ principal, sender }: Authentication): QuotaOwner =>
  principal === null
    ? { name: networkPrefix(sender.address), person: null }
    : { name: principal.key?.id ?? principal.userId, person: principal.userId };

/**
 * Runs the handler, within the deadline and the quota of its route. `idempotent`: seed of the ids
 * that it makes, so that a repeat makes the same ones; null: they are random.
 */
export const runHandler = async (
  compiledRoute: CompiledRoute,
  authorized: AuthorizedRequest,
  sent: RawRequest,
  services: HttpServices,
  idempotent: string | null,
): Promise<Answer<unknown>> => {
  const { signal, startDeadline } = authorized.scope;
  const { kind } = compiledRoute.route.operation;
  startDeadline(services.answerWithinMs(compiledRoute.route), kind === 'w' ? 'write' : 'read');
  let yieldSlot: YieldSlot = (wait) => wait();
  const request = handlerRequest(authorized, sent, services, idempotent, (wait) => yieldSlot(wait));
  const tenant = authorized.principal?.userId ?? '';
  const work = (yieldOwn: YieldSlot) => {
    yieldSlot = yieldOwn;
    return withQueryContext({ signal, tenant }, () =>
      services.requestScopes.track(() => compiledRoute.route.handle(request as never)),
    );
  };
  try {
    const quota = services.quotaOf(compiledRoute.route);
    const { notes = {}, ...answer } = await (quota === null
      ? work(yieldSlot)
      : services.load[quota].run(limitKeysOf(quotaOwnerOf(authorized)), { signal }, work));
    for (const [header, names] of Object.entries(notes)) {
      sent.addNote(noteByHeader[header as NoteHeader], names.map(encodeColumn));
    }
    return answer;
  } catch (error) {
    services.watch.checkFault(compiledRoute, error, sent.requestId);
    throw withRejectedItems(error, authorized.partial);
  }
};

/** Request as the handler sees it. */
const handlerRequest = (
  authorized: AuthorizedRequest,
  sent: RawRequest,
  services: HttpServices,
  idempotent: string | null,
  yieldSlot: YieldSlot,
): Request<unknown, unknown, unknown> => {
  const { params, query, body, partial, itemBytes, files, headers, misspeltHeaders } = authorized;
  const { ifMatch, isStrict } = authorized;
  const { project, sender, answerBytes } = authorized;
  const { signal } = authorized.scope;
  const { ids } = services;
  const seed = idempotent ?? ids.next('Seed');
  let minted = 0;
  return {
    params,
    query,
    body,
    partial,
    itemBytes,
    files,
    headers,
    misspeltHeaders,
    ifMatch,
    isStrict,
    get principal(): Principal {
      if (authorized.principal === null) throw new Error('this operation has no authentication');
      return authorized.principal;
    },
    project,
    sender,
    cause: {
      ...causeOf(authorized, sent, services),
      eventId: (stream, revision) => ids.derive('EventId', seed, stream, String(revision)),
    },
    mint: (name) => {
      minted += 1;
      return idempotent === null ? ids.next(name) : ids.derive(name, seed, String(minted));
    },
    signal,
    memory: {
      reserve: async (bytes) => {
        if (!answerBytes.tryReserve(bytes))
          await yieldSlot(() => answerBytes.reserveWhenFree(bytes, signal));
      },
      reserveUpTo: answerBytes.reserveUpTo,
    },
  };
};

export const causeOf = (
  { principal, project }: AuthorizedRequest,
  { requestId }: RawRequest,
  { clock }: HttpServices,
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
  organizationId: principal?.organizationId ?? null,
});
