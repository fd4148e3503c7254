import { Fault } from '../../kernel/fault.js';
import type { Logger } from '../pino/logger.js';
import type { Metrics } from '../prometheus/metrics.js';
import { universal } from './problem.js';
import type { Bound } from './table.js';

/** Holds handlers to what their operation declares. */
export type Watch = {
  readonly answer: (bound: Bound, told: Told, requestId: string) => void;
  readonly fault: (bound: Bound, fault: unknown, requestId: string) => void;
};

/** An answer that has so many bytes; `body` is read only where it is compared. */
type Told = { readonly bytes: number; readonly body: () => unknown };

/**
 * Longer answers are not compared with their schema in production: it would cost more than it
 * tells.
 */
const watchedBytesMax = 65_536;

/**
 * `strict`, for tests: throws, so that the caller gets a 500. Otherwise the answer goes out as it
 * is, and the mismatch is logged (where, not what) and counted.
 */
export const openWatch = (strict: boolean, logger: Logger, metrics: Metrics): Watch => {
  const found = (bound: Bound, requestId: string, what: string, cause: unknown): void => {
    if (strict) throw new Error(`${bound.operation.operationId} ${what}: ${JSON.stringify(cause)}`);
    metrics.mismatch(bound.operation.operationId);
    const operation = bound.operation.operationId;
    logger.error({ request_id: requestId, operation, cause }, what);
  };
  return {
    answer: (bound, { bytes, body }, requestId) => {
      if (!strict && bytes > watchedBytesMax) return;
      const places = mismatches(bound, body());
      if (places.length === 0) return;
      found(bound, requestId, 'answers what its schema does not promise', places);
    },
    fault: (bound, fault, requestId) => {
      if (!(fault instanceof Fault) || universal.has(fault.code)) return;
      if (bound.operation.faults.includes(fault.code)) return;
      found(bound, requestId, 'answers a fault that it does not declare', fault.code);
    },
  };
};

/** A schema that no answer can be compared with is one, too: what was done is done. */
const mismatches = (bound: Bound, body: unknown): readonly string[] => {
  try {
    return bound.answer(body).map(({ loc, type }) => `${loc.join('.')}: ${type}`);
  } catch (error) {
    return [String(error)];
  }
};
