import { setTimeout as pause } from 'node:timers/promises';
import { status, type ServerErrorResponse } from '@grpc/grpc-js';
import { failure } from './wire.js';

export type Method = 'append' | 'read' | 'subscribe' | 'delete';
/**
 * What goes wrong. `lost-answer` and `silent-after` happen after the events are durable; the others
 * leave nothing behind. `silent`: no answer, ever.
 */
export type Fault =
  | { readonly kind: 'unavailable' | 'deadline' | 'timeout' | 'unknown' | 'lost-answer' }
  | { readonly kind: 'silent' | 'silent-after' | 'access-denied' }
  | { readonly kind: 'slow'; readonly milliseconds: number }
  | { readonly kind: 'held'; readonly until: () => Promise<unknown> }
  | { readonly kind: 'not-leader'; readonly host: string; readonly port: number };

/** Faults on command: each is used up by the next so many calls of its method. */
export const openFaults = () => {
  let rate: { readonly method: Method; readonly every: number; readonly kinds: readonly Fault[] } =
    { method: 'append', every: Infinity, kinds: [] };
  let calls = 0;
  const planned: { readonly method: Method; readonly fault: Fault; times: number }[] = [];
  return {
    plan: (method: Method, fault: Fault, times = 1): void => {
      planned.push({ method, fault, times });
    },
    /** From now on each so many-th call of the method, in turn with these. */
    often: (method: Method, every: number, kinds: readonly Fault[]): void => {
      rate = { method, every, kinds };
    },
    clear: (): void => void planned.splice(0),
    next: (method: Method): Fault | null => {
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
export const refusalOf = (fault: Fault | null): ServerErrorResponse | null => {
  switch (fault?.kind) {
    case 'unavailable':
    case 'lost-answer':
      return failure(status.UNAVAILABLE, 'Server Is Not Ready');
    case 'deadline':
      return failure(status.DEADLINE_EXCEEDED, 'Deadline Exceeded');
    case 'timeout':
      return failure(status.ABORTED, 'Operation timed out');
    case 'unknown':
      return failure(status.UNKNOWN, 'Unexpected error');
    case 'access-denied':
      return failure(status.PERMISSION_DENIED, 'Access Denied', { exception: 'access-denied' });
    case 'not-leader':
      return failure(status.NOT_FOUND, 'Leader info available', {
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
export const isSilent = (fault: Fault | null): boolean => fault?.kind === 'silent';
export const isAfterwards = (fault: Fault | null): boolean =>
  fault?.kind === 'lost-answer' || fault?.kind === 'silent-after';
export const slowness = async (fault: Fault | null): Promise<void> => {
  if (fault?.kind === 'slow') await pause(fault.milliseconds);
  if (fault?.kind === 'held') await fault.until();
};
