import { parseJsonText } from '../kernel/json-text.js';
import { Fault } from '../kernel/fault.js';

/** A condition as the tools of `assay mcp` take it. */
type WhereCondition = {
  readonly column: string;
  readonly operator: string;
  readonly value?: unknown;
};

const conditionForm = /^\s*(\S+?)\s*(?:(==|!=|>=|<=|=|>|<)|\s([a-z_]+)(?=\s|$))\s*(.*?)\s*$/s;

/**
 * Parses `metrics/cost > 0.1`, `input contains refund`, `model one_of ["a","b"]`: a column, an
 * operator of contract 3.7 or its sign, and a value, as JSON if it parses, else as text. Throws
 * Fault `invalid`.
 */
export const parseCondition = (text: string): WhereCondition => {
  const [, column, sign, word, value = ''] = conditionForm.exec(text) ?? [];
  const operator = sign ?? word;
  if (column === undefined || operator === undefined) {
    throw new Fault(
      'invalid',
      `--where '${text}' is not COLUMN OPERATOR VALUE: --where 'metrics/cost > 0.1'`,
    );
  }
  return value === '' ? { column, operator } : { column, operator, value: parseValue(value) };
};

const parseValue = (text: string): unknown => {
  try {
    return parseJsonText(text);
  } catch {
    return text;
  }
};
