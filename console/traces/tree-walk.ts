import type { SpanTree, TreeSpan } from './tree.js';

type AnyTree = SpanTree<TreeSpan>;

/** Rows that are seen while the spans of these ids are folded, in order. */
export const visibleRows = ({ rows }: AnyTree, folded: ReadonlySet<string>): readonly number[] => {
  const visible: number[] = [];
  for (let row = 0; row < rows.length;) {
    const { span, end } = rows[row] ?? { span: { id: '' }, end: rows.length };
    visible.push(row);
    row = folded.has(span.id) ? end : row + 1;
  }
  return visible;
};

/** The folded spans without those that hide the row. */
export const unfoldAbove = (
  { rows }: AnyTree,
  folded: ReadonlySet<string>,
  row: number,
): ReadonlySet<string> => {
  const unfolded = new Set(folded);
  for (let at = rows[row]?.parent ?? -1; at >= 0; at = rows[at]?.parent ?? -1) {
    unfolded.delete(rows[at]?.span.id ?? '');
  }
  return unfolded;
};

/**
 * The next row with an error behind `row` (before it with `step` -1; -1 as `row`: the first, or the
 * last), around the end of the tree; null without errors. A span comes behind those below it, so
 * that the cause is reached before what it made fail.
 */
export const nextError = ({ rows }: AnyTree, row: number, step: 1 | -1 = 1): number | null => {
  const count = rows.length;
  // Rank of a row when each comes behind the rows below it.
  const rankOf = (at: number): number => (rows[at]?.end ?? 0) - 1 - (rows[at]?.depth ?? 0);
  const outside = step > 0 ? -1 : count;
  const current = row < 0 ? outside : rankOf(row);
  let nearest: number | null = null;
  let least = Infinity;
  rows.forEach(({ isError }, at) => {
    const distance = ((rankOf(at) - current) * step + count) % count || count;
    if (isError && distance < least) [nearest, least] = [at, distance];
  });
  return nearest;
};

/**
 * Rows of the critical path: from the end of the trace back, at each level the span that ended last
 * before the one after it began. Shortening any other span does not shorten the trace.
 */
export const criticalPath = ({ rows, lengthNs }: AnyTree): ReadonlySet<number> => {
  const children = new Map<number, number[]>();
  rows.forEach(({ parent }, row) => {
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [row]);
    else siblings.push(row);
  });
  const path = new Set<number>();
  const open: (readonly [parent: number, end: number])[] = [[-1, lengthNs]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [parent, end] = next;
    // A child that ends after its parent did not delay it.
    const ended = (children.get(parent) ?? [])
      .map((row) => ({ row, begin: rows[row]?.beginNs ?? 0, end: rows[row]?.endNs ?? 0 }))
      .filter(({ begin }) => begin <= end)
      .map((one) => ({ ...one, end: Math.min(one.end, end) }))
      .sort((one, other) => other.end - one.end || one.row - other.row);
    let until = end;
    for (const child of ended) {
      if (child.end > until) continue;
      path.add(child.row);
      open.push([child.row, child.end]);
      until = child.begin;
    }
  }
  return path;
};
