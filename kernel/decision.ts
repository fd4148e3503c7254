import type { FaultCode, FaultDetails } from './fault.js';

/** Event sourcing: folds a stream's events into the state that a decision needs. Pure. */
export type Fold<S, E> = {
  readonly initial: S;
  readonly evolve: (state: S, event: E) => S;
};

export type Rejection = {
  readonly rejected: FaultCode;
  readonly detail: string;
  readonly details?: FaultDetails;
};

/**
 * Events to append, or a rejection. An empty list means "already so", which makes a decision
 * idempotent.
 */
export type Decision<E> = readonly E[] | Rejection;
export type Decide<S, E> = (state: S) => Decision<E>;

export const reject = (rejected: FaultCode, detail: string, details?: FaultDetails): Rejection => ({
  rejected,
  detail,
  ...(details !== undefined && { details }),
});

export const isRejection = <E>(decision: Decision<E>): decision is Rejection =>
  'rejected' in decision;

/** Ends an exhaustive `switch`: a new event type fails to compile here. */
export const unreachable = (value: never): never => {
  throw new TypeError(`not expected here: ${JSON.stringify(value)}`);
};
