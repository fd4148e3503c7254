import { standardColumns } from './columns.js';
import type { ColumnValue, MetricCell, RecordRow } from './record.js';

export type MetricEntry = readonly [name: string, cell: MetricCell];
/** Values by index of the standard column (contract 3.3). */
export type ColumnValues = readonly (ColumnValue | undefined)[];

/**
 * Record as engines with columns take it: a `RecordRow` whose values and metrics are lists. Valid
 * until the next record of its trace, which may reuse the object.
 */
export type RecordCells = Omit<RecordRow, 'values' | 'metrics'> & {
  readonly values: ColumnValues;
  readonly metrics: readonly MetricEntry[];
};

/** The cells of a row. */
export const cellsOfRow = ({ values, metrics, ...rest }: RecordRow): RecordCells => ({
  ...rest,
  values: standardColumns.map(({ id }) => values[id]),
  metrics: Object.entries(metrics),
});

/** The row of cells, which keeps nothing of the list of values. */
export const rowOfCells = ({ values, metrics, ...rest }: RecordCells): RecordRow => ({
  ...rest,
  values: namedValues(values),
  metrics: Object.fromEntries(metrics),
});

/** Values by column id, without absent ones. */
export const namedValues = (values: ColumnValues): Record<string, ColumnValue> => {
  const named: Record<string, ColumnValue> = {};
  for (const [index, { id }] of standardColumns.entries()) {
    const value = values[index];
    if (value !== undefined && value !== null) named[id] = value;
  }
  return named;
};
