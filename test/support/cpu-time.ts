/**
 * Milliseconds of processor time that this process took since: waiting for a turn does not count.
 */
export const cpuTime = (): (() => number) => {
  const began = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1_000;
  };
};
