import { Fault } from '../../kernel/fault.js';

/** Parses an option's whole number; throws Fault `invalid` naming the option. */
export const wholeNumber = (option: string, text: string, least: number): number => {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least) return value;
  throw new Fault('invalid', `${option} takes a whole number of at least ${least}, not '${text}'`);
};
