import type {
  ColumnValue,
  MetricCell,
  MetricError,
  MetricValue,
  RecordKind,
  RecordRow,
} from '../../kernel/records/record.js';
import type { SpanOutline } from '../../kernel/records/outlines.js';
import type { StreamName } from '../../kernel/ports.js';
import type { Json } from '../../kernel/schema-types.js';

/** Mutable row while its group is folded. Only the fold that made or copied it writes to it. */
export type RowBuilder = {
  readonly group: StreamName;
  readonly ordinal: number;
  readonly kind: RecordKind;
  readonly values: Record<string, ColumnValue>;
  readonly metrics: Record<string, MetricCell>;
  userMetadata: Readonly<Record<string, string>>;
  readonly errors: Record<string, MetricError>;
  annotators: readonly string[];
  spanCount: number;
  readonly body: Record<string, Json>;
  /**
   * Set on a stored span that no event names: the row then holds only its place in the tree and its
   * numbers, as stored.
   */
  readonly outline?: SpanOutline;
};

/** Builder of a span that needs only its place in the tree and its numbers. */
export const builderFromOutline = (outline: SpanOutline, group: StreamName): RowBuilder => {
  const metrics: Record<string, MetricCell> = {};
  for (const [name, value, method] of outline.numbers) {
    setMember(metrics, name, { value, rolledUp: false, ...(method !== undefined && { method }) });
  }
  if (outline.elapsed !== undefined) putElapsed(metrics, outline.elapsed);
  return {
    group,
    ordinal: outline.ordinal,
    kind: outline.kind,
    values: {
      id: outline.id,
      created_at: outline.at,
      parent_id: outline.parent,
      has_children: outline.hasChildren,
    },
    metrics,
    userMetadata: {},
    errors: {},
    annotators: [],
    spanCount: 0,
    body: outline.sent === undefined ? {} : { parent_id: outline.sent },
    outline,
  };
};

export const builderFromRow = (row: RecordRow): RowBuilder => ({
  ...row,
  values: { ...row.values },
  metrics: { ...row.metrics },
  errors: { ...row.errors },
  body: { ...row.body },
});

/**
 * Sets an own member. Metric names come from clients: `__proto__` must become an own member like
 * any other name.
 */
export const setMember = <T>(members: Record<string, T>, name: string, value: T): void => {
  if (name === '__proto__') {
    Object.defineProperty(members, name, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  } else members[name] = value;
};

/** Own number of the record; null if it has none. */
export const ownNumber = (cell: MetricCell | undefined): number | null =>
  cell !== undefined && !cell.rolledUp && typeof cell.value === 'number' ? cell.value : null;

/** Sets the elapsed time of a record that sent no `duration_ns`; undefined: unknown. */
export const putElapsed = (
  metrics: Record<string, MetricCell>,
  elapsed: number | undefined,
): void => {
  if (elapsed === undefined) removeMember(metrics, 'duration_ns');
  else setMember(metrics, 'duration_ns', { value: elapsed, rolledUp: true });
};

/** Own members only: a metric may be called `constructor`. */
export const ownMember = <T>(members: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(members, name) ? members[name] : undefined;

/** Removes a member if present: the check costs less than deleting an absent one. */
export const removeMember = (members: Record<string, unknown>, name: string): void => {
  if (Object.hasOwn(members, name)) Reflect.deleteProperty(members, name);
};

/** Changes one entry of a map in the body; undefined removes it, and an empty map is left out. */
export const setInBody = (
  builder: RowBuilder,
  map: 'metrics' | 'messages' | 'scorer_values',
  name: string,
  value: MetricValue | undefined,
): void => {
  const members: Record<string, MetricValue> = {
    ...(builder.body[map] as Record<string, MetricValue> | undefined),
  };
  if (value === undefined) removeMember(members, name);
  else setMember(members, name, value);
  if (Object.keys(members).length === 0) removeMember(builder.body, map);
  else builder.body[map] = members;
};

/** Clears overlap metrics so that they are recomputed: a text changed, or a client withdrew one. */
export const clearOverlap = ({ metrics, errors, body }: RowBuilder): void => {
  for (const name of computedOverlaps(body)) removeMember(metrics, name);
  for (const name of overlapErrors(body)) removeMember(errors, name);
  removeMember(body, 'overlap');
  removeMember(body, 'overlap_errors');
};

export const computedOverlaps = (body: RowBuilder['body']): readonly string[] =>
  (body['overlap'] ?? []) as readonly string[];

/** Overlap metrics with an error because their texts are too long (contract 3.5). */
export const overlapErrors = (body: RowBuilder['body']): readonly string[] =>
  (body['overlap_errors'] ?? []) as readonly string[];

/** Drops the computed value of an overlap metric that a client sent; the other one stays. */
export const dropOverlap = ({ metrics, errors, body }: RowBuilder, name: string): void => {
  const computed = computedOverlaps(body);
  if (computed.includes(name)) {
    removeMember(metrics, name);
    body['overlap'] = computed.filter((one) => one !== name);
  }
  const failed = overlapErrors(body);
  if (!failed.includes(name)) return;
  removeMember(errors, name);
  if (failed.length === 1) removeMember(body, 'overlap_errors');
  else body['overlap_errors'] = failed.filter((one) => one !== name);
};
