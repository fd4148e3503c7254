import { cpus } from 'node:os';

const idleMs = (): number => cpus().reduce((sum, { times }) => sum + times.idle, 0);

/**
 * Milliseconds since, of which those do not count in which no processor of the machine was idle:
 * for a limit on how long something may wait, which a busy machine does not make longer.
 */
export const idleAwareClock = (): (() => number) => {
  const [began, idle] = [performance.now(), idleMs()];
  return () => Math.min(performance.now() - began, idleMs() - idle);
};
