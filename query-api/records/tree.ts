import type { JsonParts } from '../../kernel/json-chunks.js';
import type { RecordRow } from '../../kernel/records/record.js';
import { depthFirst, siblingOrder, treeLevelsMax } from '../../kernel/records/span-tree.js';

/**
 * The trace with its spans as a tree (contract 5.7). `rows` are all rows of its group, in any
 * order; null without the trace.
 */
export const traceTree = (rows: readonly RecordRow[]): JsonParts<RecordRow> | null => {
  const trace = rows.find(({ kind }) => kind === 'trace');
  return trace === undefined ? null : treeOf(trace, rows);
};

/** The span with its subtree; null when the group has no such span. */
export const spanTree = (
  rows: readonly RecordRow[],
  spanId: string,
): JsonParts<RecordRow> | null => {
  const span = rows.find((row) => row.kind !== 'trace' && row.values['id'] === spanId);
  return span === undefined ? null : treeOf(span, rows);
};

const treeOf = (root: RecordRow, rows: readonly RecordRow[]): JsonParts<RecordRow> => {
  const parts: JsonParts<RecordRow> = [];
  appendSubtree(root, childrenOf(rows), 1, parts);
  return parts;
};

type Children = (row: RecordRow) => readonly RecordRow[];

/** Children by effective parent: the read model sets `parent_id` to it and excludes cycles. */
const childrenOf = (rows: readonly RecordRow[]): Children => {
  const traceId = rows.find(({ kind }) => kind === 'trace')?.values['id'];
  const spans = rows.filter(({ kind }) => kind !== 'trace');
  const children = Map.groupBy(spans, ({ values }) => values['parent_id']);
  for (const siblings of children.values()) siblings.sort(bySteps);
  // A span may have the id of its trace: children of that id belong to the trace.
  return (row) =>
    row.kind !== 'trace' && row.values['id'] === traceId
      ? []
      : (children.get(row.values['id']) ?? []);
};

const appendSubtree = (
  row: RecordRow,
  children: Children,
  level: number,
  parts: JsonParts<RecordRow>,
): void => {
  const isLast = level === treeLevelsMax;
  const spans = isLast ? flatSpans(row, children) : children(row);
  parts.push(row, ',"spans":[');
  spans.forEach((span, at) => {
    if (at > 0) parts.push(',');
    if (isLast) parts.push(span, ',"spans":[]}');
    else appendSubtree(span, children, level + 1, parts);
  });
  parts.push(']}');
};

const flatSpans = (row: RecordRow, children: Children): readonly RecordRow[] =>
  [...depthFirst(row, children)].map(([span]) => span);

const bySteps = siblingOrder<RecordRow>({
  step: ({ values }) => values['step_number'],
  createdAt: ({ values }) => values['created_at'],
  ordinal: ({ ordinal }) => ordinal,
});
