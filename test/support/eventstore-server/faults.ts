import { setTimeout as pause } from 'node:timers/promises';
import { status, type ServerErrorResponse } from '@grpc/grpc-js';
import { statusWithException } from './grpc-messages.js';

export type Method = 'append' | 'read' | 'subscribe' | 'delete';
/**
 * Kinds of faults. `lost-answer` and `silent-after` happen after the events are durable; the others
 * store no event. `silent`: no answer, ever.
 */
export type InjectedFault =
  | { readonly kind: 'unavailable' | 'deadline' | 'timeout' | 'unknown' | 'lost-answer' }
  | { readonly kind: 'silent' | 'silent-after' | 'access-denied' }
  | { readonly kind: 'slow'; readonly milliseconds: number }
  | { readonly kind: 'held'; readonly until: () => Promise<unknown> }
  | { readonly kind: 'not-leader'; readonly host: string; readonly port: number };

/** Fault injection: each fault is used up by the next calls of its method. */
export const openFaults = () => {
  let rate: {
    readonly method: Method;
    readonly every: number;
    readonly kinds: readonly InjectedFault[];
  } = { method: 'append', every: Infinity, kinds: [] };
  let calls = 0;
  const planned: { readonly method: Method; readonly fault: InjectedFault; times: number }[] = [];
  return {
    plan: (method: Method, fault: InjectedFault, times = 1): void => {
      planned.push({ method, fault, times });
    },
    /** Every n-th call of the method fails, with these kinds in rotation. */
    often: (method: Method, every: number, kinds: readonly InjectedFault[]): void => {
      rate = { method, every, kinds };
    },
    clear: (): void => void planned.splice(0),
    next: (method: Method): InjectedFault | null => {
      const found = planned.find((plan) => plan.method === method);
      if (found === undefined) {
        if (method !== rate.method) return null;
        calls += 1;
        const turn = calls / rate.every;
        return Number.isInteger(turn) ? (rate.kinds[turn % rate.kinds.length] ?? null) : null;
      }
      found.times -= 1;
      if (found.times === 0) planned.splice(planned.indexOf(found), 1);
      return found.fault;
    },
  };
};
export type Faults = ReturnType<typeof openFaults>;

/** Error that the caller gets instead of an answer; null to continue normally. */
export const refusalOf = (fault: InjectedFault | null): ServerErrorResponse | null => {
  switch (fault?.kind) {
    case 'unavailable':
    case 'lost-answer':
      return statusWithException(status.UNAVAILABLE, 'Server Is Not Ready');
    case 'deadline':
      return statusWithException(status.DEADLINE_EXCEEDED, 'Deadline Exceeded');
    case 'timeout':
      return statusWithException(status.ABORTED, 'Operation timed out');
    case 'unknown':
      return statusWithException(status.UNKNOWN, 'Unexpected error');
    case 'access-denied':
      return statusWithException(status.PERMISSION_DENIED, 'Access Denied', {
        exception: 'access-denied',
      });
    case 'not-leader':
      return statusWithException(status.NOT_FOUND, 'Leader info available', {
        exception: 'not-leader',
        'leader-endpoint-host': fault.host,
        'leader-endpoint-port': String(fault.port),
      });
    case 'silent':
    case 'silent-after':
    case 'slow':
    case 'held':
    case undefined:
      return null;
  }
};
export const isSilent = (fault: InjectedFault | null): boolean => fault?.kind === 'silent';
export const isAfterWrite = (fault: InjectedFault | null): boolean =>
  fault?.kind === 'lost-answer' || fault?.kind === 'silent-after';
export const delayOf = async (fault: InjectedFault | null): Promise<void> => {
  if (fault?.kind === 'slow') await pause(fault.milliseconds);
  if (fault?.kind === 'held') await fault.until();
};
