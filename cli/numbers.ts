import { Fault } from '../kernel/fault.js';

/** What follows an option; throws Fault `invalid` with its name for anything but such a number. */
export const wholeNumber = (option: string, text: string, least: number): number => {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least) return value;
  throw new Fault('invalid', `${option} takes a whole number of at least ${least}, not '${text}'`);
};
