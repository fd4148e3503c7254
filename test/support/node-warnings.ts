import { setImmediate as turn } from 'node:timers/promises';

/** The names of the warnings that Node gave meanwhile. */
export const warningsDuring = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
  const names: string[] = [];
  const hear = ({ name }: Error): void => void names.push(name);
  process.on('warning', hear);
  try {
    await work();
    // They are given in a later turn.
    await turn();
  } finally {
    process.off('warning', hear);
  }
  return names;
};
