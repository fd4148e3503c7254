import type { RecordView } from '../../contract/record-reads.js';
import { byCodePoint } from '../../kernel/code-points.js';
import type { RecordRow } from '../../kernel/records.js';

/**
 * Deeper spans are shown beside each other under their ancestor at this level: late spans can be
 * chained without end, and whoever writes or reads the answer as JSON recurses.
 */
export const treeLevelsMax = 500;

type View = (row: RecordRow) => RecordView;

/**
 * The trace with its spans as a tree (contract 5.7). `rows` are all rows of its group, the trace
 * first or not.
 */
export const traceTree = (rows: readonly RecordRow[], view: View): RecordView | null => {
  const trace = rows.find(({ kind }) => kind === 'trace');
  return trace === undefined ? null : below(trace, childrenOf(rows), view, 1);
};

/** The span with the tree below it; null when the group has no such span. */
export const spanTree = (
  rows: readonly RecordRow[],
  spanId: string,
  view: View,
): RecordView | null => {
  const span = rows.find((row) => row.kind !== 'trace' && row.values['id'] === spanId);
  return span === undefined ? null : below(span, childrenOf(rows), view, 1);
};

/** `created_at`, then `id`. */
const byAge = (one: RecordRow, other: RecordRow): number =>
  byCodePoint(textOf(one, 'created_at'), textOf(other, 'created_at')) ||
  byCodePoint(textOf(one, 'id'), textOf(other, 'id'));

type Children = (row: RecordRow) => readonly RecordRow[];

/**
 * The read model names as `parent_id` the record that a span is shown under, and knows no circles.
 */
const childrenOf = (rows: readonly RecordRow[]): Children => {
  const traceId = rows.find(({ kind }) => kind === 'trace')?.values['id'];
  const children = new Map<unknown, RecordRow[]>();
  for (const row of rows) {
    if (row.kind === 'trace') continue;
    const parent = row.values['parent_id'];
    const siblings = children.get(parent) ?? [];
    siblings.push(row);
    children.set(parent, siblings);
  }
  for (const siblings of children.values()) siblings.sort(bySteps);
  // A span may have the id of its trace: what names that id is under the trace.
  return (row) =>
    row.kind !== 'trace' && row.values['id'] === traceId
      ? []
      : (children.get(row.values['id']) ?? []);
};

const below = (row: RecordRow, children: Children, view: View, level: number): RecordView => ({
  ...view(row),
  spans:
    level < treeLevelsMax
      ? children(row).map((child) => below(child, children, view, level + 1))
      : flattened(row, children).map((span) => ({ ...view(span), spans: [] })),
});

const flattened = (row: RecordRow, children: Children): readonly RecordRow[] => {
  const found: RecordRow[] = [];
  const open = [...children(row)].reverse();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    found.push(next);
    open.push(...[...children(next)].reverse());
  }
  return found;
};

/** By `step_number` (missing last), `created_at`, `id`. */
const bySteps = (one: RecordRow, other: RecordRow): number =>
  (stepOf(one) === stepOf(other) ? 0 : stepOf(one) - stepOf(other)) || byAge(one, other);

const stepOf = ({ values }: RecordRow): number =>
  typeof values['step_number'] === 'number' ? values['step_number'] : Infinity;

const textOf = ({ values }: RecordRow, column: string): string => {
  const value = values[column];
  return typeof value === 'string' ? value : '';
};
