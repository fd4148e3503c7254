import { byCodePoint } from '../code-points.js';
import { registryMetricByName } from './columns.js';
import type { RecordRow } from './record.js';

/**
 * Names that tenants choose: metrics outside the registry, keys of user metadata, and metrics with
 * an evaluation error.
 */
export const columnNameKinds = ['metrics', 'user_metadata', 'errors'] as const;
export type ColumnNameKind = (typeof columnNameKinds)[number];

/**
 * Names of each kind in one project that filters, sorts, aggregates and listings know; what comes
 * later is stored and answered with its record only (contract 1.11). Nobody chooses among more
 * columns by hand, and each costs memory wherever columns are listed.
 */
export const columnNamesMax = 1_000;

/** The names in a row; of its metrics, only those outside the registry. */
export const forEachColumnName = (
  { metrics, userMetadata, errors }: RecordRow,
  add: (kind: ColumnNameKind, name: string, at: string) => void,
): void => {
  for (const [name, { first }] of Object.entries(metrics)) {
    if (!registryMetricByName.has(name)) add('metrics', name, first?.at ?? '');
  }
  for (const key of Object.keys(userMetadata)) add('user_metadata', key, '');
  for (const metric of Object.keys(errors)) add('errors', metric, '');
};

/** Of one project, as of a batch. */
export type ColumnNameRegistry = {
  readonly has: (kind: ColumnNameKind, name: string) => boolean;
  /** Places that are taken, at most `columnNamesMax`. */
  readonly counts: Readonly<Record<ColumnNameKind, number>>;
};

/**
 * Names in these rows of one project that become columns, in the order in which they came: metrics
 * by their first value in the log, others by the order of the rows. So a rebuild chooses the same
 * ones, except for names whose records have gone since, and for keys that came in one batch with
 * the last that had room.
 */
export const admitColumnNames = (
  known: ColumnNameRegistry,
  rows: readonly RecordRow[],
): readonly (readonly [ColumnNameKind, string])[] => {
  const found = Object.fromEntries(columnNameKinds.map((kind) => [kind, new Map()])) as Readonly<
    Record<ColumnNameKind, Map<string, string>>
  >;
  for (const row of rows) {
    forEachColumnName(row, (kind, name, at) => {
      const before = found[kind].get(name);
      // A roll-up says nothing about when its metric came: the row below it does.
      if (before !== undefined && (at === '' || (before !== '' && before <= at))) return;
      if (before !== undefined || !known.has(kind, name)) found[kind].set(name, at);
    });
  }
  return columnNameKinds.flatMap((kind) =>
    [...found[kind]]
      .sort(([, one], [, other]) => byCodePoint(one, other))
      .slice(0, Math.max(0, columnNamesMax - known.counts[kind]))
      .map(([name]) => [kind, name] as const),
  );
};
