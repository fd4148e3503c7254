import { Fault } from '../../kernel/fault.js';
import type { Logger } from '../pino/logger.js';
import type { Metrics } from '../prometheus/metrics.js';
import { universalFaults } from './problem.js';
import type { CompiledRoute } from './compiled-routes.js';

/** Checks responses and faults against the declaration of their operation. */
export type ContractChecker = {
  readonly checkAnswer: (
    compiledRoute: CompiledRoute,
    answer: MeasuredBody,
    requestId: string,
  ) => void;
  readonly checkFault: (compiledRoute: CompiledRoute, fault: unknown, requestId: string) => void;
};

/** Response with its size; `body` is called only when it is compared. */
type MeasuredBody = { readonly bytes: number; readonly body: () => unknown };

/**
 * Longer responses are not compared with their schema in production: the cost outweighs the
 * benefit.
 */
const checkedBytesMax = 65_536;

/**
 * `strict`, for tests: throws, so that the caller gets a 500. Otherwise the response is sent as it
 * is, and the mismatch is logged (where, not what) and counted.
 */
export const openContractChecker = (
  strict: boolean,
  logger: Logger,
  metrics: Metrics,
): ContractChecker => {
  const found = (
    compiledRoute: CompiledRoute,
    requestId: string,
    what: string,
    cause: unknown,
  ): void => {
    if (strict)
      throw new Error(`${compiledRoute.operation.operationId} ${what}: ${JSON.stringify(cause)}`);
    metrics.undeclaredAnswer(compiledRoute.operation.operationId);
    const operation = compiledRoute.operation.operationId;
    logger.error({ request_id: requestId, operation, cause }, what);
  };
  return {
    checkAnswer: (compiledRoute, { bytes, body }, requestId) => {
      if (!strict && bytes > checkedBytesMax) return;
      const places = schemaMismatches(compiledRoute, body());
      if (places.length === 0) return;
      found(compiledRoute, requestId, 'answers what its schema does not promise', places);
    },
    checkFault: (compiledRoute, fault, requestId) => {
      if (!(fault instanceof Fault) || universalFaults.has(fault.code)) return;
      if (compiledRoute.operation.faults.includes(fault.code)) return;
      found(compiledRoute, requestId, 'answers a fault that it does not declare', fault.code);
    },
  };
};

/**
 * Mismatches of a response with its schema. A schema that cannot be compared is one, too, not an
 * error: the operation has taken effect.
 */
const schemaMismatches = (compiledRoute: CompiledRoute, body: unknown): readonly string[] => {
  try {
    return compiledRoute.answer(body).map(({ loc, type }) => `${loc.join('.')}: ${type}`);
  } catch (error) {
    return [String(error)];
  }
};
