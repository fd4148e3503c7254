import { listValue, LIST, VARCHAR, type DuckDBType, type DuckDBValue } from '@duckdb/node-api';
import { isUuid } from './schema.js';

/** Bound parameters of a statement: user texts are never part of the SQL. */
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

// Numbers and ids are constants in the statement, since only those reach the scan's zone maps.
// Their text is made here from checked values.

/** DOUBLE constant, cast from text: a bare decimal constant would be fixed-point and lose bits. */
export const doubleConstant = (value: number): string => `CAST('${value}' AS DOUBLE)`;
export const bigintConstant = (value: bigint): string => `CAST(${value} AS BIGINT)`;
/** Quoted text constant, where no parameter is possible: file names, values for an index. */
export const textConstant = (text: string): string => `'${text.replaceAll("'", "''")}'`;
export const uuidConstant = (text: string): string => {
  if (!isUuid(text)) throw new TypeError('not a canonical uuid');
  return `CAST('${text}' AS UUID)`;
};
export const integerList = (values: readonly number[]): string => {
  if (!values.every(Number.isSafeInteger)) throw new TypeError('not an integer');
  return values.join(', ');
};
