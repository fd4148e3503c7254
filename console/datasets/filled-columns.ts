import type { Dataset } from '../../clients/typescript/src/generated/datasets-types.js';
import { columnRoles, type ColumnRoleName } from './mapping.js';

/** A column of a dataset, and the column of records that fills it; null: its cells stay empty. */
export type FilledColumn = {
  readonly name: string;
  readonly source: string | null;
  /** Title of its role; null: it has none. */
  readonly role: string | null;
};

type Mapping = Dataset['column_mapping'];

/** Columns that the service fills by itself, with the ids of the record (contract 5.11). */
const idColumns: ReadonlySet<string> = new Set(['trace_id', 'span_id']);
/** Columns of a dataset that has none yet. */
const firstColumns = ['input', 'output'];

/** Columns of a role; without a mapping the column that is named after it (contract 4.7). */
const columnsOf = (mapping: Mapping, role: ColumnRoleName): readonly string[] =>
  mapping === null ? [role] : (mapping[role]?.columns ?? []);

/**
 * Proposes what fills the columns of a dataset: the input by its role, the expected output by the
 * output of the record (by its reference where another column is for outputs), metadata and true
 * values by their names, else the column of the same name. `known`: ids of the records' columns.
 */
export const filledColumns = (
  { column_names, column_mapping: mapping }: Pick<Dataset, 'column_names' | 'column_mapping'>,
  known: ReadonlySet<string>,
): readonly FilledColumn[] => {
  const names = column_names.length > 0 ? column_names : firstColumns;
  const hasOutputs = columnsOf(mapping, 'generated_output').some((name) => names.includes(name));
  const byRole: Readonly<Record<ColumnRoleName, string | null>> = {
    input: 'input',
    output: hasOutputs ? 'dataset_output' : 'output',
    generated_output: 'output',
    metadata: null,
  };
  return names
    .filter((name) => !idColumns.has(name))
    .map((name) => {
      const role = columnRoles.find((one) => columnsOf(mapping, one.role).includes(name));
      const isFirst = role !== undefined && columnsOf(mapping, role.role)[0] === name;
      const metric = Object.entries(mapping?.mgt ?? {}).find(([, truth]) =>
        truth?.columns.includes(name),
      );
      const candidates = [
        isFirst ? byRole[role.role] : null,
        metric === undefined ? null : `metrics/${metric[0]}`,
        ...(role?.role === 'metadata' ? [`user_metadata/${name}`] : []),
        name,
        `user_metadata/${name}`,
        `metrics/${name}`,
      ];
      const source = candidates.find((id) => id !== null && known.has(id)) ?? null;
      return { name, source, role: role?.title ?? null };
    });
};

/** The columns with one more, named after what fills it: `metrics/reward` makes `reward`. */
export const withColumn = (
  columns: readonly FilledColumn[],
  source: string,
): readonly FilledColumn[] => {
  const bare = source.slice(source.indexOf('/') + 1);
  const taken = new Set([...columns.map(({ name }) => name), ...idColumns]);
  let name = bare;
  for (let number = 2; taken.has(name); number += 1) name = `${bare} ${number}`;
  return [...columns, { name, source, role: null }];
};
