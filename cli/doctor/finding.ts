import { asStarted } from '../program-name.js';

/** A row of the report: the check, its result, and the step to take. */
export type Finding = {
  readonly check: string;
  readonly state: 'good' | 'warning' | 'bad';
  readonly found: string;
  readonly to_do: string;
};

export const good = (check: string, found: string): Finding => stated('good', check, found, '');
export const warning = (check: string, found: string, toDo: string): Finding =>
  stated('warning', check, found, toDo);
export const bad = (check: string, found: string, toDo: string): Finding =>
  stated('bad', check, found, toDo);

const stated = (state: Finding['state'], check: string, found: string, toDo: string): Finding => ({
  check,
  state,
  found: asStarted(found),
  to_do: asStarted(toDo),
});
