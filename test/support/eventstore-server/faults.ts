import { setTimeout as pause } from 'node:timers/promises';
import { status, type ServerErrorResponse } from '@grpc/grpc-js';
import { statusWithException } from './grpc-messages.js';

export type Method = 'append' | 'read' | 'subscribe' | 'delete';
/**
 * What goes wrong. `lost-answer` and `silent-after` happen after the events are durable; the others
 * leave nothing behind. `silent`: no answer, ever.
 */
export type InjectedFault =
  | { readonly kind: 'unavailable' | 'deadline' | 'timeout' | 'unknown' | 'lost-answer' }
  | { readonly kind: 'silent' | 'silent-after' | 'access-denied' }
  | { readonly kind: 'slow'; readonly milliseconds: number }
  | { readonly kind: 'held'; readonly until: () => Promise<unknown> }
  | { readonly kind: 'not-leader'; readonly host: string; readonly port: number };

/** Faults on command: each is used up by the next so many calls of its method. */
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
    /** From now on each so many-th call of the method, in turn with these. */
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

/** What the caller is told instead of an answer; null to go on as if nothing had happened. */
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
