import { hash } from 'node:crypto';
import type { Document } from 'mongodb';
import {
  nameKinds,
  namesAdmitted,
  namesOf,
  type KnownNames,
  type NameKind,
} from '../../kernel/records/column-names.js';
import { populationOf } from '../../kernel/records/columns.js';
import type { RecordRow } from '../../kernel/records/record.js';
import { memberOf } from './names.js';
import type { StoredRow } from './record-rows.js';
import { bulkMs } from './record-search.js';
import type { StampedBatch } from './snapshots.js';

/**
 * A name of a project that is a column, beside its records. Hashed: it outlives the records that
 * had it, and goes with the project.
 */
type StoredName = {
  readonly project: string;
  readonly column: NameKind;
  readonly name: string;
};

/** What of a project's rows are columns, and the names that are from this batch on. */
type Admitted = {
  readonly isColumn: (kind: NameKind, name: string) => boolean;
  readonly added: readonly StoredName[];
};

/** By project. */
export const admitNames = async (
  batch: StampedBatch,
  rows: readonly RecordRow[],
): Promise<ReadonlyMap<string, Admitted>> => {
  const byProject = Map.groupBy(rows, ({ values }) => String(values['project_id']));
  const stored = await storedNames(batch, [...byProject.keys()]);
  return new Map(
    [...byProject].map(([project, some]) => {
      const known = knownNames(stored.get(project) ?? []);
      const names = namesAdmitted(known, some);
      const admitted = new Set(names.map(([kind, name]) => `${kind}/${name}`));
      const isColumn: Admitted['isColumn'] = (kind, name) =>
        admitted.has(`${kind}/${name}`) || known.has(kind, name);
      const added = names.map(([kind, name]) => ({ project, column: kind, name: hashed(name) }));
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
    .maxTimeMS(bulkMs);
  for await (const document of cursor) {
    const stored = document as StoredName;
    const known = found.get(stored.project);
    if (known === undefined) found.set(stored.project, [stored]);
    else known.push(stored);
  }
  return found;
};

const knownNames = (stored: readonly StoredName[]): KnownNames => {
  const of = (kind: NameKind): ReadonlySet<string> =>
    new Set(stored.filter(({ column }) => column === kind).map(({ name }) => name));
  const names = Object.fromEntries(nameKinds.map((kind) => [kind, of(kind)])) as Readonly<
    Record<NameKind, ReadonlySet<string>>
  >;
  // The same few names stand in all rows of a batch.
  const asked = new Map<string, string>();
  return {
    has: (kind, name) => {
      const hash = asked.get(name) ?? hashed(name);
      asked.set(name, hash);
      return names[kind].has(hash);
    },
    taken: Object.fromEntries(nameKinds.map((kind) => [kind, names[kind].size])) as Readonly<
      Record<NameKind, number>
    >,
  };
};

/** Half of it tells any two names apart. */
export const hashed = (name: string): string => hash('sha256', name, 'base64url').slice(0, 22);

/** An entry of user metadata: JSON keeps key and value apart. */
export const storedEntry = (key: string, value: string): string =>
  hashed(JSON.stringify([key, value]));

/** The documents of a row without the members that are no columns: those stay in its `rest`. */
export const onlyColumns = (
  row: RecordRow,
  documents: readonly Document[],
  { isColumn }: Admitted,
): readonly Document[] => {
  const beyond = Object.fromEntries(nameKinds.map((kind) => [kind, new Set<string>()])) as Readonly<
    Record<NameKind, Set<string>>
  >;
  let isAny = false;
  namesOf(row, (kind, name) => {
    if (isColumn(kind, name)) return;
    beyond[kind].add(memberOf(name));
    isAny = true;
  });
  if (!isAny) return documents;
  return documents
    .filter(({ metric }) => metric === undefined || !beyond.metrics.has(memberOf(String(metric))))
    .map((document) =>
      isRow(document)
        ? { ...document, ...narrowed(document, beyond), ...entriesApart(row, beyond) }
        : document,
    );
};

export const isRow = (document: Document): document is StoredRow & Document =>
  document['population'] !== undefined;

/**
 * What is looked up (see record-entries.ts) where it is no member. Nobody asks for those of spans.
 */
const entriesApart = (
  { kind, userMetadata }: RecordRow,
  beyond: Readonly<Record<NameKind, ReadonlySet<string>>>,
): Pick<StoredRow, 'entries'> => {
  if (populationOf(kind) === 'span') return {};
  const apart = Object.entries(userMetadata).filter(([key]) =>
    beyond.user_metadata.has(memberOf(key)),
  );
  return apart.length === 0
    ? {}
    : { entries: apart.map(([key, value]) => storedEntry(key, value)) };
};

const narrowed = (
  { metrics, notes, foldedNotes, errors }: StoredRow,
  beyond: Readonly<Record<NameKind, ReadonlySet<string>>>,
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
