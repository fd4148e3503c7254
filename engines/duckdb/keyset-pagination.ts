import type { DuckDBValue } from '@duckdb/node-api';
import { parseJsonText } from '../../kernel/json-text.js';
import type { SortOrder } from '../../kernel/documents.js';
import type { RecordSource } from './record-source.js';
import { bigintConstant, bindText, uuidConstant } from './sql.js';

/**
 * Cursor of keyset pagination: the last row's sort value, as text of its type, and its
 * tie-breakers.
 */
type KeysetPosition = {
  readonly type: string;
  readonly value: string | null;
  readonly created: string;
  readonly id: string;
};

/** Sort expression; null: tie-breakers only. */
type KeysetOrder = {
  readonly by: string | null;
  readonly sort: SortOrder | null;
  readonly source: RecordSource;
};

/**
 * Keyset pagination: the SELECT columns of a row's cursor, and the condition for the rows after
 * one.
 */
export const keysetSql = (after: string | null, { by, sort, source }: KeysetOrder) => ({
  places:
    `, typeof(${by ?? 'NULL'}), CAST(${by ?? 'NULL'} AS VARCHAR),` +
    ' CAST(r.created_at AS VARCHAR), CAST(r.id AS VARCHAR)',
  condition:
    after === null
      ? ''
      : ` AND (${afterKeyset(parseJsonText(after) as KeysetPosition, by, sort, source)})`,
});

export const keysetToken = ([, , type, value, created, id]: readonly DuckDBValue[]): string =>
  JSON.stringify({
    type: String(type),
    value: value === null ? null : String(value),
    created: String(created),
    id: String(id),
  } satisfies KeysetPosition);

/**
 * Condition for the rows after a cursor. Missing values sort last in both directions (contract
 * 3.8).
 */
const afterKeyset = (
  { type, value, created, id }: KeysetPosition,
  by: string | null,
  sort: SortOrder | null,
  { parameters }: RecordSource,
): string => {
  const at = bigintConstant(BigInt(created));
  const ties = `(r.created_at < ${at} OR (r.created_at = ${at} AND r.id < ${uuidConstant(id)}))`;
  if (by === null) return ties;
  if (value === null) return `${by} IS NULL AND ${ties}`;
  if (!types.has(type)) throw new TypeError(`unsupported sort type: ${type}`);
  const bound = `CAST(${bindText(parameters, value)} AS ${type})`;
  const sign = sort?.ascending === true ? '>' : '<';
  return `${by} ${sign} ${bound} OR ${by} IS NULL OR (${by} = ${bound} AND ${ties})`;
};
const types = new Set(['VARCHAR', 'DOUBLE', 'BIGINT', 'INTEGER', 'HUGEINT', 'BOOLEAN', 'UUID']);
