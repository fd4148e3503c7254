import type { Column } from '../../clients/typescript/src/generated/traces-types.js';
import type { FilterTree } from '../language/filter-tree.js';
import { textForm } from '../../kernel/records/text-form.js';
import type { Json } from '../../kernel/schema-types.js';
import type { Population } from '../../kernel/records/record.js';
import { cellValue, type ExploredRecord } from './cell-text.js';
import { valueTerm } from './facet-edits.js';

/** Texts of searches are cut there. */
const cutAt = 1_000;

/** Conditions about the value of one cell; those that no filter can say are null. */
export type CellConditions = {
  readonly only: FilterTree | null;
  readonly not: FilterTree | null;
  /** Condition on traces that some span has this value in the same column. */
  readonly anySpan: FilterTree | null;
  /** Text of the value, for copying. */
  readonly text: string;
};

export const cellConditions = (
  record: ExploredRecord,
  column: Column,
  population: Population,
  spanColumns: readonly Column[],
): CellConditions => {
  const { value } = cellValue(record, column);
  const text = textForm((value ?? null) as Json) ?? '';
  const only = column.category === 'annotation' ? null : onlyTerm(column, value, text);
  const isOfSpans = spanColumns.some(({ id }) => id === column.id);
  return {
    only,
    not: only === null ? null : { not: only },
    anySpan: population === 'trace' && isOfSpans && only !== null ? { any_span: only } : null,
    text,
  };
};

const onlyTerm = (column: Column, value: unknown, text: string): FilterTree | null => {
  if (column.filter_type !== 'text') return valueTerm(column, value);
  if (text.length < cutAt) return valueTerm(column, text);
  const start = text.slice(0, cutAt);
  return { filter: { type: 'text', name: column.id, operator: 'starts_with', value: start } };
};
