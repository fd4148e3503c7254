import { authorize } from '../../contract/authorize.js';
import type { VisibleProject } from '../../contract/roles.js';
import { throwIfAborted } from '../../kernel/query-context.js';
import type { RequestScope } from './request-scope.js';
import type { ByteReservation } from '../../kernel/byte-budget.js';
import { checkOrigin, authenticateRequest, type Authentication } from './authentication.js';
import { validateRequest, type ValidatedRequest, type RawRequest } from './validate-request.js';
import { quotaOwnerOf, type AuthorizedRequest } from './run-handler.js';
import { answerQuery, answerCommand, type HandledResponse } from './stored-response.js';
import type { HttpServices } from './services.js';
import type { CompiledRoute } from './compiled-routes.js';

/**
 * Processes one request in the order of contract 1.5; returns its outcome, with the reservation of
 * its response. Throws Fault for everything but a 2xx and a stored response.
 */
export const processRequest = async (
  compiledRoute: CompiledRoute,
  sent: RawRequest,
  services: HttpServices,
): Promise<{ readonly outcome: HandledResponse; readonly answerBytes: ByteReservation }> => {
  const scope = services.requestScopes.open(sent.message.socket);
  let isStreaming = false;
  try {
    const authentication = await authenticateRequest(
      compiledRoute.operation,
      sent.message,
      services,
    );
    const owner = quotaOwnerOf(authentication);
    if (owner.person !== null) {
      services.authenticated(sent.message);
      sent.slot.assignCaller(owner);
    }
    // The received body is in memory until the response is ready, files included.
    const budget = services.load.openBodyBudget(owner, scope.signal);
    const answerBytes = services.load.answerBudget.open(owner);
    try {
      const validated = await validateRequest(compiledRoute, sent, authentication.sender, budget);
      checkOrigin(compiledRoute.operation, sent.message);
      const logHead = logHeadFor(compiledRoute, services);
      const project = await authorizedProject(compiledRoute, authentication, validated, services);
      const authorized: AuthorizedRequest = {
        ...validated,
        ...authentication,
        project,
        logHead,
        scope,
        answerBytes,
      };
      const answer = compiledRoute.operation.kind === 'r' ? answerQuery : answerCommand;
      const outcome = await answer(compiledRoute, authorized, sent, services);
      if (outcome.lines === undefined) return { outcome, answerBytes };
      isStreaming = true;
      const partMs = services.answerWithinMs(compiledRoute.route);
      return streamedResult({ ...outcome, lines: outcome.lines }, answerBytes, scope, partMs);
    } catch (error) {
      answerBytes.release();
      throw error;
    } finally {
      budget.release();
    }
  } finally {
    if (!isStreaming) scope.end();
  }
};

/**
 * Keeps the request scope open while lines are sent: their reads end when the client has received
 * all of it.
 */
const streamedResult = (
  outcome: HandledResponse & Required<Pick<HandledResponse, 'lines'>>,
  answerBytes: ByteReservation,
  scope: RequestScope,
  partMs: number,
) => {
  scope.clearDeadline();
  const release = (): void => {
    scope.end();
    answerBytes.release();
  };
  return {
    outcome: { ...outcome, lines: withPartDeadline(outcome.lines, scope, partMs) },
    answerBytes: { ...answerBytes, release },
  };
};

/** Applies the response deadline to each part; sending the previous part does not count. */
async function* withPartDeadline<T>(
  parts: AsyncIterable<T>,
  scope: RequestScope,
  partMs: number,
): AsyncGenerator<T> {
  scope.startDeadline(partMs);
  for await (const part of parts) {
    throwIfAborted(scope);
    scope.clearDeadline();
    yield part;
    throwIfAborted(scope);
    scope.startDeadline(partMs);
  }
  scope.clearDeadline();
}

/**
 * Position that a read will wait for, requested while its project is looked up; null for an
 * operation that reads nothing.
 */
const logHeadFor = (
  { operation, route }: CompiledRoute,
  { freshness }: HttpServices,
): AuthorizedRequest['logHead'] => {
  if (operation.kind !== 'r' || route.reads.length === 0) return null;
  const head = freshness.head();
  // An unused rejection must not end the process: the project may be invisible.
  head.catch(() => null);
  return head;
};

/** Project of the operation, once its caller is authorized; null without authentication. */
const authorizedProject = async (
  { operation }: CompiledRoute,
  { principal }: Authentication,
  { params }: ValidatedRequest,
  { authorizer }: HttpServices,
): Promise<VisibleProject | null> =>
  principal === null ? null : authorize(operation, principal, params, authorizer);
