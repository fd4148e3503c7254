/**
 * Processor time of this thread in milliseconds, for measuring only: unlike a clock it stands still
 * while other processes have the processor.
 */
export const threadProcessorMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};
