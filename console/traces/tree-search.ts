import type { OutlineSpan } from './questions.js';
import type { SpanTree } from './tree.js';

/**
 * Rows whose name, kind or model contains the text, in any case, and those of the given ids, in
 * order; none for an empty text.
 */
export const rowsNamed = (
  { rows }: SpanTree<OutlineSpan>,
  text: string,
  ids: ReadonlySet<string>,
): readonly number[] => {
  if (text === '') return [];
  const wanted = text.toLowerCase();
  const isNamed = (one: string | null | undefined): boolean =>
    one?.toLowerCase().includes(wanted) === true;
  return rows.flatMap(({ span }, row) => {
    const isFound = ids.has(span.id) || [span.name, span.type, span.model].some(isNamed);
    return isFound ? [row] : [];
  });
};
