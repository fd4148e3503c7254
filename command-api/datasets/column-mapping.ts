import type { ColumnMappingInput } from '../../contract/datasets.js';
import type { StoredMapping } from '../../events/datasets.js';
import { type Complaint, valueComplaint } from '../../kernel/fault.js';

const roles = ['input', 'output', 'generated_output', 'metadata'] as const;
type Role = NonNullable<StoredMapping['input']>;
type RoleGiven = ColumnMappingInput['input'];

/** Contract 1.11. */
const mappingBytesMax = 65_536;
/** Longest name of a metric (contract 1.11). */
const metricNameMax = 128;

/**
 * The mapping in its long form; a role left out, null or without columns becomes null (contract
 * 4.7, rule 3), and so does `mgt` without a role.
 */
export const mappingOf = (given: ColumnMappingInput): StoredMapping => ({
  ...(Object.fromEntries(roles.map((role) => [role, roleOf(given[role])])) as Record<
    (typeof roles)[number],
    Role | null
  >),
  mgt: given.mgt == null ? null : withColumns(Object.entries(given.mgt)),
});

const roleOf = (given: RoleGiven): Role | null => {
  if (given == null) return null;
  const { columns, flatten = false } = 'columns' in given ? given : { columns: given };
  return columns.length === 0 ? null : { columns: [...columns], flatten };
};

const withColumns = (entries: readonly (readonly [string, RoleGiven])[]): StoredMapping['mgt'] => {
  const roles = entries.flatMap(([metric, given]) => {
    const role = roleOf(given);
    return role === null ? [] : [[metric, role] as const];
  });
  return roles.length === 0 ? null : Object.fromEntries(roles);
};

const complaint = (loc: readonly string[], sentence: string): Complaint =>
  valueComplaint(['body', 'column_mapping', ...loc], sentence);

/** Complaints about a mapping that need no dataset. */
export const mappingComplaints = (
  given: ColumnMappingInput | null | undefined,
): readonly Complaint[] => {
  if (given == null) return [];
  if (new TextEncoder().encode(JSON.stringify(given)).length > mappingBytesMax) {
    return [complaint([], `column_mapping has at most ${mappingBytesMax} bytes`)];
  }
  return Object.keys(given.mgt ?? {})
    .filter((metric) => metric === '' || metric.length > metricNameMax)
    .map((metric) =>
      complaint(['mgt', metric], `the name of a metric has 1 to ${metricNameMax} characters`),
    );
};

/** Each column that the mapping names and the dataset lacks (contract 4.7, rule 3). */
export const unknownColumns = (
  given: ColumnMappingInput,
  columns: ReadonlySet<string>,
): readonly Complaint[] => {
  const inRole = (place: readonly string[], role: RoleGiven): readonly Complaint[] => {
    if (role == null) return [];
    const [names, below] =
      'columns' in role ? [role.columns, [...place, 'columns']] : [role, place];
    return names.flatMap((name, index) =>
      columns.has(name)
        ? []
        : [complaint([...below, String(index)], `the dataset has no column '${name}'`)],
    );
  };
  return [
    ...roles.flatMap((role) => inRole([role], given[role])),
    ...Object.entries(given.mgt ?? {}).flatMap(([metric, role]) => inRole(['mgt', metric], role)),
  ];
};

/**
 * The mapping after columns were renamed or removed (contract 7, 5.11): it follows names, drops
 * removed columns, and a role left without columns becomes null.
 */
export const mappingAfterChanges = (
  mapping: StoredMapping,
  renamed: ReadonlyMap<string, string | null>,
  columns: ReadonlySet<string>,
): StoredMapping => {
  const follow = (role: Role | null | undefined): Role | null => {
    if (role == null) return null;
    const names = role.columns
      .map((name) => renamed.get(name) ?? name)
      .filter((name) => columns.has(name));
    return names.length === 0 ? null : { ...role, columns: names };
  };
  return mappingOf({
    input: follow(mapping.input),
    output: follow(mapping.output),
    generated_output: follow(mapping.generated_output),
    metadata: follow(mapping.metadata),
    mgt:
      mapping.mgt &&
      Object.fromEntries(
        Object.entries(mapping.mgt).flatMap(([metric, role]) => {
          const after = follow(role);
          return after === null ? [] : [[metric, after]];
        }),
      ),
  });
};

export const sameMapping = (one: StoredMapping | null, other: StoredMapping | null): boolean =>
  JSON.stringify(one && mappingOf(one)) === JSON.stringify(other && mappingOf(other));
