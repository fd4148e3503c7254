import { cpus } from 'node:os';

const idleMs = (): number => cpus().reduce((sum, { times }) => sum + times.idle, 0);

/**
 * Milliseconds since the call, without those in which no processor of the machine was idle: for
 * time limits that a busy machine does not extend.
 */
export const idleAwareClock = (): (() => number) => {
  const [began, idle] = [performance.now(), idleMs()];
  return () => Math.min(performance.now() - began, idleMs() - idle);
};
