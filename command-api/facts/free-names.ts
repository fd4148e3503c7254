import { codePointCount } from '../../kernel/code-points.js';
import { Fault } from '../../kernel/fault.js';

/** Limit of suffixes tried: each try is a read of the log. */
const suffixesMax = 1_000;
const nameMax = 255;

/** A wanted name; `suffixed`: as `name (1)`, `name (2)` … when it is taken. */
export type WantedName = { readonly name: string; readonly suffixed: boolean };

/**
 * Result of `attempt` with the first name for which it does not throw Fault `already-exists`.
 * Throws that of the last attempt.
 */
export const withFreeName = async <T>(
  wanted: WantedName,
  attempt: (name: string) => Promise<T>,
): Promise<T> => {
  const last = wanted.suffixed ? suffixesMax : 0;
  for (let suffix = 0; suffix < last; suffix += 1) {
    const result = await attempt(withSuffix(wanted.name, suffix)).catch(nullIfTaken);
    if (result !== null) return result;
  }
  return attempt(withSuffix(wanted.name, last));
};

/** Name as a body gives it (contract 4.7). */
export type NameGiven =
  string | { readonly value: string; readonly append_suffix_if_duplicate?: boolean };

export const wantedName = (given: NameGiven): WantedName => {
  if (typeof given === 'string') return { name: given, suffixed: false };
  return { name: given.value, suffixed: given.append_suffix_if_duplicate === true };
};

const nullIfTaken = (error: unknown): null => {
  if (error instanceof Fault && error.code === 'already-exists') return null;
  throw error;
};

/** Appends the suffix and truncates the name so that both fit. */
const withSuffix = (name: string, suffix: number): string => {
  if (suffix === 0) return name;
  const end = ` (${suffix})`;
  if (codePointCount(name) + end.length <= nameMax) return name + end;
  return (
    Array.from(name)
      .slice(0, nameMax - end.length)
      .join('') + end
  );
};
