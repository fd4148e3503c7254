import type { Answer, Cause, NoteHeader, Request } from '../../contract/operation.js';
import type { Principal, ProjectInSight } from '../../contract/roles.js';
import { networkOf } from '../../kernel/networks.js';
import type { Position } from '../../kernel/ports.js';
import { during } from '../node/asking.js';
import type { Asker } from './askers.js';
import type { Held, Owner } from './budget.js';
import type { Entry } from './entry.js';
import type { Given, Sent } from './given.js';
import { shownPath } from './ignored.js';
import { withRejected } from './items.js';
import { noteOf } from './notes.js';
import type { Aside } from './quota.js';
import type { Services } from './services.js';
import type { Bound } from './table.js';

/** A request that is let in: who asks what, of which project. */
export type Asked = Given &
  Entry & {
    readonly project: ProjectInSight | null;
    /** Where the log's head was when the request came, for reads. */
    readonly head: Promise<Position> | null;
    readonly asker: Asker;
    /** The bytes of its answer. */
    readonly told: Held;
  };

/** Whose bytes and work it is. */
export const ownerOf = ({ principal, sender }: Entry): Owner =>
  principal === null
    ? { name: networkOf(sender.address), person: null }
    : { name: principal.key?.id ?? principal.userId, person: principal.userId };

/**
 * What the handler answers, within the time and the quota of its route. `idempotent`: from what the
 * ids that it makes follow, so that a repeat makes the same; null = they are random.
 */
export const handled = async (
  bound: Bound,
  asked: Asked,
  sent: Sent,
  services: Services,
  idempotent: string | null,
): Promise<Answer<unknown>> => {
  const { signal, within } = asked.asker;
  const { kind } = bound.route.operation;
  within(services.answerWithinMs(bound.route), kind === 'w' ? 'write' : 'read');
  let aside: Aside = (wait) => wait();
  const request = requestOf(asked, sent, services, idempotent, (wait) => aside(wait));
  const who = asked.principal?.userId ?? '';
  const work = (stepAside: Aside) => {
    aside = stepAside;
    return during({ signal, who }, () =>
      services.askers.during(() => bound.route.handle(request as never)),
    );
  };
  try {
    const quota = services.quotaOf(bound.route);
    const { notes = {}, ...answer } = await (quota === null
      ? work(aside)
      : services.load[quota].during(ownerOf(asked), signal, work));
    for (const [header, names] of Object.entries(notes)) {
      sent.note(noteOf[header as NoteHeader], names.map(shownPath));
    }
    return answer;
  } catch (error) {
    services.watch.fault(bound, error, sent.requestId);
    throw withRejected(error, asked.partial);
  }
};

/** As the handler sees it. */
const requestOf = (
  asked: Asked,
  sent: Sent,
  services: Services,
  idempotent: string | null,
  aside: Aside,
): Request<unknown, unknown, unknown> => {
  const { params, query, body, partial, files, headers, misspeltHeaders } = asked;
  const { ifMatch, isStrict } = asked;
  const { project, sender, told } = asked;
  const { signal } = asked.asker;
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
    room: {
      of: async (bytes) => {
        if (!told.tries(bytes)) await aside(() => told.wait(bytes, signal));
      },
      upTo: told.upTo,
    },
  };
};

export const causeOf = (
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
  organizationId: principal?.organizationId ?? null,
});
