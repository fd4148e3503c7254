import type { ContentCell, Scalar } from './dataset-content.js';
import { textForm } from './records/text-form.js';

/** Columns of a role; `flatten` spreads cells that are objects, later columns win. */
type ColumnRole = { readonly columns: readonly string[]; readonly flatten: boolean };
/** Columns by role (contract 4.7); null: the role has no column. */
type RoleMapping = {
  readonly input: ColumnRole | null;
  readonly output: ColumnRole | null;
  readonly generated_output: ColumnRole | null;
  readonly metadata: ColumnRole | null;
};
type Cells = Readonly<Record<string, ContentCell>>;

/** The row by role (contract 4.7, rule 4); texts as columns of records show them. */
type RowByRole = {
  readonly input: string | null;
  readonly reference: string | null;
  readonly generated: string | null;
  readonly metadata: Readonly<Record<string, Scalar>>;
};

/** Mapping of a dataset without one: columns named after a role. */
const defaultMapping: RoleMapping = {
  input: { columns: ['input'], flatten: false },
  output: { columns: ['output'], flatten: false },
  generated_output: { columns: ['generated_output'], flatten: false },
  metadata: { columns: ['metadata'], flatten: true },
};

/** Reads the cells of a row, by column, by their roles. */
export const rowByRole = (mapping: RoleMapping | null, cells: Cells): RowByRole => {
  const roles = mapping ?? defaultMapping;
  return {
    input: textOf(valueOf(roles.input, cells)),
    reference: textOf(valueOf(roles.output, cells)),
    generated: textOf(valueOf(roles.generated_output, cells)),
    metadata: metadataOf(roles.metadata, cells),
  };
};

type Value = ContentCell | Cells;

const valueOf = (role: ColumnRole | null, cells: Cells): Value => {
  const [first, ...others] = role?.columns ?? [];
  if (role === null || first === undefined) return null;
  return others.length === 0 ? (cells[first] ?? null) : membersOf(role, cells);
};

const membersOf = ({ columns, flatten }: ColumnRole, cells: Cells): Cells =>
  Object.fromEntries(
    columns.flatMap((name): readonly (readonly [string, ContentCell])[] => {
      const cell = cells[name] ?? null;
      return flatten && typeof cell === 'object' && cell !== null
        ? Object.entries(cell)
        : [[name, cell]];
    }),
  );

const textOf = (value: Value): string | null =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : textForm(value);

/** Metadata by name, as in records; an object cell becomes compact JSON. */
const metadataOf = (role: ColumnRole | null, cells: Cells): Readonly<Record<string, Scalar>> =>
  Object.fromEntries(
    Object.entries(role === null ? {} : membersOf(role, cells)).flatMap(([name, cell]) =>
      cell === null ? [] : [[name, typeof cell === 'object' ? JSON.stringify(cell) : cell]],
    ),
  );
