import type { Answer, Cause, NoteHeader, Request } from '../../contract/operation.js';
import type { Principal, VisibleProject } from '../../contract/roles.js';
import { networkPrefix } from '../../kernel/network-prefix.js';
import type { Position } from '../../kernel/ports.js';
import { withQueryContext } from '../node/query-context.js';
import type { RequestScope } from './request-scope.js';
import type { ByteReservation, QuotaOwner } from './byte-budget.js';
import type { Authentication } from './authentication.js';
import type { ValidatedRequest, RawRequest } from './validate-request.js';
import { encodeColumn } from './ignored-members.js';
import { withRejectedItems } from './partial-ingest.js';
import { noteByHeader } from './answer-notes.js';
import type { YieldSlot } from './quota-semaphore.js';
import type { HttpServices } from './services.js';
import type { CompiledRoute } from './compiled-routes.js';

/** A request that is let in: who asks what, of which project. */
export type AuthorizedRequest = ValidatedRequest &
  Authentication & {
    readonly project: VisibleProject | null;
    /** Where the log's head was when the request came, for reads. */
    readonly logHead: Promise<Position> | null;
    readonly scope: RequestScope;
    /** The bytes of its answer. */
    readonly answerBytes: ByteReservation;
  };

/** Whose bytes and work it is. */
export const quotaOwnerOf = ({ principal, sender }: Authentication): QuotaOwner =>
  principal === null
    ? { name: networkPrefix(sender.address), person: null }
    : { name: principal.key?.id ?? principal.userId, person: principal.userId };

/**
 * What the handler answers, within the time and the quota of its route. `idempotent`: from what the
 * ids that it makes follow, so that a repeat makes the same; null = they are random.
 */
export const runHandler = async (
  bound: CompiledRoute,
  asked: AuthorizedRequest,
  sent: RawRequest,
  services: HttpServices,
  idempotent: string | null,
): Promise<Answer<unknown>> => {
  const { signal, startDeadline } = asked.scope;
  const { kind } = bound.route.operation;
  startDeadline(services.answerWithinMs(bound.route), kind === 'w' ? 'write' : 'read');
  let aside: YieldSlot = (wait) => wait();
  const request = handlerRequest(asked, sent, services, idempotent, (wait) => aside(wait));
  const who = asked.principal?.userId ?? '';
  const work = (stepAside: YieldSlot) => {
    aside = stepAside;
    return withQueryContext({ signal, tenant: who }, () =>
      services.askers.track(() => bound.route.handle(request as never)),
    );
  };
  try {
    const quota = services.quotaOf(bound.route);
    const { notes = {}, ...answer } = await (quota === null
      ? work(aside)
      : services.load[quota].run(quotaOwnerOf(asked), signal, work));
    for (const [header, names] of Object.entries(notes)) {
      sent.note(noteByHeader[header as NoteHeader], names.map(encodeColumn));
    }
    return answer;
  } catch (error) {
    services.watch.checkFault(bound, error, sent.requestId);
    throw withRejectedItems(error, asked.partial);
  }
};

/** As the handler sees it. */
const handlerRequest = (
  asked: AuthorizedRequest,
  sent: RawRequest,
  services: HttpServices,
  idempotent: string | null,
  aside: YieldSlot,
): Request<unknown, unknown, unknown> => {
  const { params, query, body, partial, files, headers, misspeltHeaders } = asked;
  const { ifMatch, isStrict } = asked;
  const { project, sender, answerBytes } = asked;
  const { signal } = asked.scope;
  const { ids } = services;
  const seed = idempotent ?? ids.next('Seed');
  let minted = 0;
  return {
    params,
    query,
    body,
    partial,
    files,
    headers,
    misspeltHeaders,
    ifMatch,
    isStrict,
    get principal(): Principal {
      if (asked.principal === null) throw new Error('nobody is asked who they are here');
      return asked.principal;
    },
    project,
    sender,
    cause: {
      ...causeOf(asked, sent, services),
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
          await aside(() => answerBytes.reserveWhenFree(bytes, signal));
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
