/** Milliseconds of processor time of this process since the call, without waiting. */
export const cpuTime = (): (() => number) => {
  const began = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1_000;
  };
};
