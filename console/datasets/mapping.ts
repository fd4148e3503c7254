import type {
  Dataset,
  DatasetCell,
  DatasetColumnMappingInput,
} from '../../clients/typescript/src/generated/datasets-types.js';
import { rowByRole } from '../../kernel/dataset-roles.js';
import { cellText } from './cells.js';

/** Roles of columns (contract 4.7), with what an experiment has them for. */
export const columnRoles = [
  { role: 'input', title: 'Input', hint: 'what the application is given' },
  { role: 'output', title: 'Expected output', hint: 'the reference to compare with' },
  { role: 'generated_output', title: 'Generated output', hint: 'an output under test' },
  { role: 'metadata', title: 'Metadata', hint: 'named values beside the input' },
] as const;
export type ColumnRoleName = (typeof columnRoles)[number]['role'];

type RoleColumns = { readonly columns: readonly string[]; readonly flatten: boolean };

/** A mapping while it is edited: every role, and metrics in order. */
export type EditedMapping = {
  readonly roles: Readonly<Record<ColumnRoleName, RoleColumns>>;
  readonly metrics: readonly { readonly metric: string; readonly columns: readonly string[] }[];
};

const noColumns: RoleColumns = { columns: [], flatten: false };

export const editedMapping = (mapping: Dataset['column_mapping']): EditedMapping => ({
  roles: {
    input: mapping?.input ?? noColumns,
    output: mapping?.output ?? noColumns,
    generated_output: mapping?.generated_output ?? noColumns,
    metadata: mapping?.metadata ?? noColumns,
  },
  metrics: Object.entries(mapping?.mgt ?? {}).flatMap(([metric, role]) =>
    role === null ? [] : [{ metric, columns: role.columns }],
  ),
});

/** The mapping as PATCH takes it; roles and metrics without a column are left out. */
export const writtenMapping = ({ roles, metrics }: EditedMapping): DatasetColumnMappingInput => ({
  ...Object.fromEntries(Object.entries(roles).filter(([, { columns }]) => columns.length > 0)),
  ...(metrics.length > 0 && {
    mgt: Object.fromEntries(
      metrics.flatMap(({ metric, columns }) => (columns.length === 0 ? [] : [[metric, columns]])),
    ),
  }),
});

export const isSameMapping = (one: EditedMapping, other: EditedMapping): boolean =>
  JSON.stringify(writtenMapping(one)) === JSON.stringify(writtenMapping(other));

/** The mapping with a column put into, or taken out of, a role. */
export const withRoleColumn = (
  mapping: EditedMapping,
  role: ColumnRoleName,
  column: string,
): EditedMapping => {
  const { columns, flatten } = mapping.roles[role];
  const next = columns.includes(column)
    ? columns.filter((one) => one !== column)
    : [...columns, column];
  return { ...mapping, roles: { ...mapping.roles, [role]: { columns: next, flatten } } };
};

/** The mapping with the one column of a metric; null takes the metric out. */
export const withMetricColumn = (
  mapping: EditedMapping,
  metric: string,
  column: string | null,
): EditedMapping => {
  const others = mapping.metrics.filter((one) => one.metric !== metric);
  const metrics = column === null ? others : [...others, { metric, columns: [column] }];
  return { ...mapping, metrics };
};

/** Purpose of a column, in the words of the grid's head: `input`, `toxicity`; null: nothing. */
export const columnPurpose = (
  mapping: Dataset['column_mapping'],
  column: string,
): string | null => {
  if (mapping === null) return null;
  const { mgt, ...roles } = mapping;
  const purposes = [
    ...Object.entries(roles).flatMap(([role, value]) =>
      value?.columns.includes(column) === true ? [role.replaceAll('_', ' ')] : [],
    ),
    ...Object.entries(mgt ?? {}).flatMap(([metric, value]) =>
      value?.columns.includes(column) === true ? [`${metric} truth`] : [],
    ),
  ];
  return purposes.length === 0 ? null : purposes.join(', ');
};

/** A row as an experiment sees it: a text by the title of its role, those without a value null. */
export const rowOfExperiment = (
  mapping: EditedMapping | null,
  cells: Readonly<Record<string, DatasetCell>>,
): readonly { readonly title: string; readonly text: string | null }[] => {
  const row = rowByRole(mapping === null ? null : mapping.roles, cells);
  const metadata = Object.entries(row.metadata).map(([name, value]) => `${name}: ${value}`);
  return [
    { title: 'Input', text: row.input },
    { title: 'Expected output', text: row.reference },
    { title: 'Generated output', text: row.generated },
    { title: 'Metadata', text: metadata.join('\n') || null },
    ...(mapping?.metrics ?? []).map(({ metric, columns: [column = ''] }) => ({
      title: `True ${metric}`,
      text: cellText(cells[column] ?? null) || null,
    })),
  ];
};
