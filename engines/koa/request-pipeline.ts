import { authorize } from '../../contract/authorize.js';
import type { VisibleProject } from '../../contract/roles.js';
import { throwIfAborted } from '../../kernel/query-context.js';
import type { RequestScope } from './request-scope.js';
import type { ByteReservation } from './byte-budget.js';
import { checkOrigin, authenticateRequest, type Authentication } from './authentication.js';
import { validateRequest, type ValidatedRequest, type RawRequest } from './validate-request.js';
import { quotaOwnerOf, type AuthorizedRequest } from './run-handler.js';
import { answerQuery, answerCommand, type HandledResponse } from './stored-response.js';
import type { HttpServices } from './services.js';
import type { CompiledRoute } from './compiled-routes.js';

/**
 * One request in the order of contract 1.5, and what its answer holds. Throws Fault for everything
 * but a 2xx and a stored answer.
 */
export const processRequest = async (
  bound: CompiledRoute,
  sent: RawRequest,
  services: HttpServices,
): Promise<{ readonly outcome: HandledResponse; readonly told: ByteReservation }> => {
  const asker = services.askers.open(sent.message.socket);
  let isFlowing = false;
  try {
    const entry = await authenticateRequest(bound.operation, sent.message, services);
    const owner = quotaOwnerOf(entry);
    if (owner.person !== null) {
      services.authenticated(sent.message);
      sent.seat.assignCaller(owner);
    }
    // What came is in memory until the answer is there, files and all.
    const coming = services.load.openBodyBudget(owner, asker.signal);
    const told = services.load.answerBudget.open(owner);
    try {
      const given = await validateRequest(bound, sent, entry.sender, coming);
      checkOrigin(bound.operation, sent.message);
      const head = logHeadFor(bound, services);
      const project = await authorizedProject(bound, entry, given, services);
      const asked: AuthorizedRequest = {
        ...given,
        ...entry,
        project,
        logHead: head,
        scope: asker,
        answerBytes: told,
      };
      const answer = bound.operation.kind === 'r' ? answerQuery : answerCommand;
      const outcome = await answer(bound, asked, sent, services);
      if (outcome.lines === undefined) return { outcome, told };
      isFlowing = true;
      const partMs = services.answerWithinMs(bound.route);
      return streamedResult({ ...outcome, lines: outcome.lines }, told, asker, partMs);
    } catch (error) {
      told.release();
      throw error;
    } finally {
      coming.release();
    }
  } finally {
    if (!isFlowing) asker.end();
  }
};

/** What is still asked for while it is sent: somebody waits until the client has all of it. */
const streamedResult = (
  outcome: HandledResponse & Required<Pick<HandledResponse, 'lines'>>,
  told: ByteReservation,
  asker: RequestScope,
  partMs: number,
) => {
  asker.clearDeadline();
  const release = (): void => {
    asker.end();
    told.release();
  };
  return {
    outcome: { ...outcome, lines: withPartDeadline(outcome.lines, asker, partMs) },
    told: { ...told, release },
  };
};

/** Each part within the time of an answer, of which the one before being sent is none. */
async function* withPartDeadline<T>(
  parts: AsyncIterable<T>,
  asker: RequestScope,
  partMs: number,
): AsyncGenerator<T> {
  asker.startDeadline(partMs);
  for await (const part of parts) {
    throwIfAborted(asker);
    asker.clearDeadline();
    yield part;
    throwIfAborted(asker);
    asker.startDeadline(partMs);
  }
  asker.clearDeadline();
}

/** What a read will wait for, asked while its project is looked up; null where nothing is read. */
const logHeadFor = (
  { operation, route }: CompiledRoute,
  { freshness }: HttpServices,
): AuthorizedRequest['logHead'] => {
  if (operation.kind !== 'r' || route.reads.length === 0) return null;
  const head = freshness.head();
  // It has failed to nobody when the project is out of sight.
  head.catch(() => null);
  return head;
};

/** Whose operation it is, once it is known that its caller may; null where nobody is asked. */
const authorizedProject = async (
  { operation }: CompiledRoute,
  { principal }: Authentication,
  { params }: ValidatedRequest,
  { authorizer }: HttpServices,
): Promise<VisibleProject | null> =>
  principal === null ? null : authorize(operation, principal, params, authorizer);
