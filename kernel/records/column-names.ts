import { byCodePoint } from '../code-points.js';
import { registryMetricByName } from './columns.js';
import type { RecordRow } from './record.js';
import type { MetricEntry } from './record-cells.js';

/**
 * Names that tenants choose: metrics outside the registry, keys of user metadata, and metrics with
 * an evaluation error.
 */
export const columnNameKinds = ['metrics', 'user_metadata', 'errors'] as const;
export type ColumnNameKind = (typeof columnNameKinds)[number];

/**
 * Names of each kind per project that filters, sorts, aggregates and listings cover; later ones are
 * stored and returned with their record only (contract 1.11). More columns are not usable by hand,
 * and each costs memory wherever columns are listed.
 */
export const columnNamesMax = 1_000;

/** Takes a name; `at`: the metric's first value in the log, empty where that is unknown. */
export type AddColumnName = (kind: ColumnNameKind, name: string, at: string) => void;

/** Visits the names in a row; of its metrics, only those outside the registry. */
export const forEachColumnName = (
  { metrics, userMetadata, errors }: Pick<RecordRow, 'metrics' | 'userMetadata' | 'errors'>,
  add: AddColumnName,
): void => {
  forEachMetricName(Object.entries(metrics), add);
  for (const key of Object.keys(userMetadata)) add('user_metadata', key, '');
  for (const metric of Object.keys(errors)) add('errors', metric, '');
};

/** Visits the names of metrics outside the registry. */
export const forEachMetricName = (metrics: readonly MetricEntry[], add: AddColumnName): void => {
  for (const [name, { first }] of metrics) {
    if (!registryMetricByName.has(name)) add('metrics', name, first?.at ?? '');
  }
};

/** Column names of one project at the time of a batch. */
export type ColumnNameRegistry = {
  readonly has: (kind: ColumnNameKind, name: string) => boolean;
  /** Number of admitted names, at most `columnNamesMax`. */
  readonly counts: Readonly<Record<ColumnNameKind, number>>;
};

/**
 * New names of one project that become columns, in order of arrival: metrics by their first value
 * in the log, others by the order of `visit`, which visits the names of all new rows. A rebuild
 * thus admits the same ones, except for names whose records were deleted since, and for keys that
 * came in one batch with the last admitted one.
 */
export const admitColumnNames = (
  known: ColumnNameRegistry,
  visit: (add: AddColumnName) => void,
): readonly (readonly [ColumnNameKind, string])[] => {
  // Null: admitted before.
  const found = Object.fromEntries(columnNameKinds.map((kind) => [kind, new Map()])) as Readonly<
    Record<ColumnNameKind, Map<string, string | null>>
  >;
  visit((kind, name, at) => {
    const before = found[kind].get(name);
    if (before === undefined) found[kind].set(name, known.has(kind, name) ? null : at);
    // A roll-up has no arrival time of its metric: the row below it has.
    else if (before !== null && at !== '' && (before === '' || at < before))
      found[kind].set(name, at);
  });
  return columnNameKinds.flatMap((kind) =>
    [...found[kind]]
      .flatMap(([name, at]) => (at === null ? [] : [[name, at] as const]))
      .sort(([, one], [, other]) => byCodePoint(one, other))
      .slice(0, Math.max(0, columnNamesMax - known.counts[kind]))
      .map(([name]) => [kind, name] as const),
  );
};
