import { setImmediate as turn } from 'node:timers/promises';

/** The names of the warnings that Node emits during `work`. */
export const warningsDuring = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
  const names: string[] = [];
  const hear = ({ name }: Error): void => void names.push(name);
  process.on('warning', hear);
  try {
    await work();
    // Warnings are emitted in a later turn.
    await turn();
  } finally {
    process.off('warning', hear);
  }
  return names;
};
