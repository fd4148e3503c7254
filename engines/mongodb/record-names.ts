import { hash } from 'node:crypto';
import type { Document } from 'mongodb';
import {
  columnNameKinds,
  admitColumnNames,
  forEachColumnName,
  type ColumnNameRegistry,
  type ColumnNameKind,
} from '../../kernel/records/column-names.js';
import { populationOf } from '../../kernel/records/columns.js';
import type { RecordRow } from '../../kernel/records/record.js';
import { encodeMember } from './member-names.js';
import type { StoredRow } from './record-encoding.js';
import { bulkTimeoutMs } from './record-search.js';
import type { StampedBatch } from './mvcc-model.js';

/**
 * Name of a project's column, stored beside its records. Hashed: it outlives the records that had
 * it, and is deleted with the project.
 */
type StoredName = {
  readonly project: string;
  readonly column: ColumnNameKind;
  readonly name: string;
};

/** Columns of a project, and the names admitted by this batch. */
type AdmittedNames = {
  readonly isColumn: (kind: ColumnNameKind, name: string) => boolean;
  readonly added: readonly StoredName[];
};

/** Admits new column names, by project. */
export const admitNames = async (
  batch: StampedBatch,
  rows: readonly RecordRow[],
): Promise<ReadonlyMap<string, AdmittedNames>> => {
  const byProject = Map.groupBy(rows, ({ values }) => String(values['project_id']));
  const stored = await storedNames(batch, [...byProject.keys()]);
  return new Map(
    [...byProject].map(([project, some]) => {
      const known = knownNames(stored.get(project) ?? []);
      const names = admitColumnNames(known, (add) => {
        for (const row of some) forEachColumnName(row, add);
      });
      const admitted = new Set(names.map(([kind, name]) => `${kind}/${name}`));
      const isColumn: AdmittedNames['isColumn'] = (kind, name) =>
        admitted.has(`${kind}/${name}`) || known.has(kind, name);
      const added = names.map(([kind, name]) => ({ project, column: kind, name: nameHash(name) }));
      return [project, { isColumn, added }] as const;
    }),
  );
};

const storedNames = async (
  { rows, visible }: StampedBatch,
  projects: readonly string[],
): Promise<ReadonlyMap<string, readonly StoredName[]>> => {
  const found = new Map<string, StoredName[]>();
  if (projects.length === 0) return found;
  const cursor = rows
    .find({ project: { $in: [...projects] }, column: { $exists: true }, ...visible })
    .project({ _id: 0, project: 1, column: 1, name: 1 })
    .hint('column')
    .maxTimeMS(bulkTimeoutMs);
  for await (const document of cursor) {
    const stored = document as StoredName;
    const known = found.get(stored.project);
    if (known === undefined) found.set(stored.project, [stored]);
    else known.push(stored);
  }
  return found;
};

const knownNames = (stored: readonly StoredName[]): ColumnNameRegistry => {
  const of = (kind: ColumnNameKind): ReadonlySet<string> =>
    new Set(stored.filter(({ column }) => column === kind).map(({ name }) => name));
  const names = Object.fromEntries(columnNameKinds.map((kind) => [kind, of(kind)])) as Readonly<
    Record<ColumnNameKind, ReadonlySet<string>>
  >;
  // A batch repeats the same few names in all rows.
  const hashes = new Map<string, string>();
  return {
    has: (kind, name) => {
      const hash = hashes.get(name) ?? nameHash(name);
      hashes.set(name, hash);
      return names[kind].has(hash);
    },
    counts: Object.fromEntries(columnNameKinds.map((kind) => [kind, names[kind].size])) as Readonly<
      Record<ColumnNameKind, number>
    >,
  };
};

/** Half a SHA-256, free of collisions in practice. */
export const nameHash = (name: string): string => hash('sha256', name, 'base64url').slice(0, 22);

/** Hash of an entry of user metadata; JSON keeps key and value apart. */
export const entryHash = (key: string, value: string): string =>
  nameHash(JSON.stringify([key, value]));

/** Documents of a row without the members that are not columns: those stay in its `rest`. */
export const withoutExtraNames = (
  row: RecordRow,
  documents: readonly Document[],
  { isColumn }: AdmittedNames,
): readonly Document[] => {
  const beyond = Object.fromEntries(
    columnNameKinds.map((kind) => [kind, new Set<string>()]),
  ) as Readonly<Record<ColumnNameKind, Set<string>>>;
  let isAny = false;
  forEachColumnName(row, (kind, name) => {
    if (isColumn(kind, name)) return;
    beyond[kind].add(encodeMember(name));
    isAny = true;
  });
  if (!isAny) return documents;
  return documents
    .filter(
      ({ metric }) => metric === undefined || !beyond.metrics.has(encodeMember(String(metric))),
    )
    .map((document) =>
      isStoredRow(document)
        ? {
            ...document,
            ...withoutMembers(document, beyond),
            ...entriesOutsideColumns(row, beyond),
          }
        : document,
    );
};

export const isStoredRow = (document: Document): document is StoredRow & Document =>
  document['population'] !== undefined;

/**
 * Hashes of entries to look up (see record-entries.ts) that are not members; none for spans, which
 * are not looked up.
 */
const entriesOutsideColumns = (
  { kind, userMetadata }: RecordRow,
  beyond: Readonly<Record<ColumnNameKind, ReadonlySet<string>>>,
): Pick<StoredRow, 'entries'> => {
  if (populationOf(kind) === 'span') return {};
  const apart = Object.entries(userMetadata).filter(([key]) =>
    beyond.user_metadata.has(encodeMember(key)),
  );
  return apart.length === 0 ? {} : { entries: apart.map(([key, value]) => entryHash(key, value)) };
};

const withoutMembers = (
  { metrics, notes, foldedNotes, errors }: StoredRow,
  beyond: Readonly<Record<ColumnNameKind, ReadonlySet<string>>>,
): Partial<StoredRow> => ({
  metrics: without(metrics, beyond.metrics),
  notes: without(notes, beyond.user_metadata),
  foldedNotes: without(foldedNotes, beyond.user_metadata),
  ...(errors !== undefined && { errors: without(errors, beyond.errors) }),
});

const without = <V>(
  members: Readonly<Record<string, V>>,
  gone: ReadonlySet<string>,
): Readonly<Record<string, V>> =>
  Object.fromEntries(Object.entries(members).filter(([name]) => !gone.has(name)));
