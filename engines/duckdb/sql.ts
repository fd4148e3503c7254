import { listValue, LIST, VARCHAR, type DuckDBType, type DuckDBValue } from '@duckdb/node-api';
import { isUuid } from './schema.js';

/** Collects the texts of a statement: they are bound, never part of it. */
export type SqlParameters = {
  readonly values: DuckDBValue[];
  readonly types: DuckDBType[];
};
export const newParameters = (): SqlParameters => ({ values: [], types: [] });

export const bindText = (to: SqlParameters, text: string): string => {
  to.values.push(text);
  to.types.push(VARCHAR);
  return `$${to.values.length}`;
};

export const bindTexts = (to: SqlParameters, texts: readonly string[]): string => {
  to.values.push(listValue([...texts]));
  to.types.push(LIST(VARCHAR));
  return `$${to.values.length}`;
};

// Numbers and ids stand in the statement as constants, since only those reach the scan's zone maps.
// Their text is made here from checked values.

/** By way of text: a bare decimal constant would be a fixed-point number and lose bits. */
export const doubleConstant = (value: number): string => `CAST('${value}' AS DOUBLE)`;
export const bigintConstant = (value: bigint): string => `CAST(${value} AS BIGINT)`;
/** A text where no parameter can stand: a file's name, a value that an index is to find. */
export const textConstant = (text: string): string => `'${text.replaceAll("'", "''")}'`;
export const uuidConstant = (text: string): string => {
  if (!isUuid(text)) throw new TypeError('not a canonical uuid');
  return `CAST('${text}' AS UUID)`;
};
export const integerList = (values: readonly number[]): string => {
  if (!values.every(Number.isSafeInteger)) throw new TypeError('not an integer');
  return values.join(', ');
};
