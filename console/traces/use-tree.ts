import { useMemo, useState } from 'preact/hooks';
import { useKeys } from '../client/keys.js';
import type { OutlineSpan } from './questions.js';
import { nextError, unfoldAbove, visibleRows } from './tree-walk.js';
import type { SpanTree } from './tree.js';

/** A tree of which some spans are folded and one is selected; -1 is the trace above all. */
export type OpenTree = {
  readonly tree: SpanTree<OutlineSpan>;
  readonly visible: readonly number[];
  readonly folded: ReadonlySet<string>;
  readonly selected: number;
  /** Unfolds what hides the row. */
  readonly select: (row: number) => void;
  readonly setFold: (row: number, isFolded: boolean) => void;
};

/** Folding of a tree; `onSelect` gets the id of the selected span, empty for the trace. */
export const useOpenTree = (
  tree: SpanTree<OutlineSpan>,
  selectedId: string,
  onSelect: (id: string) => void,
): OpenTree => {
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const selected = tree.rowOf.get(selectedId) ?? -1;
  const visible = useMemo(() => visibleRows(tree, folded), [tree, folded]);
  return {
    tree,
    visible,
    folded,
    selected,
    select: (row) => {
      const isHidden = row >= 0 && !visible.includes(row);
      if (isHidden) setFolded((current) => unfoldAbove(tree, current, row));
      onSelect(tree.rows[row]?.span.id ?? '');
    },
    setFold: (row, isFolded) => {
      const { span, end } = tree.rows[row] ?? { span: { id: '' }, end: 0 };
      setFolded((current) => {
        const next = new Set(current);
        if (isFolded) next.add(span.id);
        else next.delete(span.id);
        return next;
      });
      if (isFolded && selected > row && selected < end) onSelect(span.id);
    },
  };
};

/** The keys of an open tree. */
export const useTreeKeys = (open: OpenTree): void => {
  const { tree, visible, folded, selected, select, setFold } = open;
  const step = (by: number): void => {
    const at = selected < 0 ? -1 : visible.indexOf(selected);
    const next = Math.min(visible.length - 1, at + by);
    select(visible[next] ?? -1);
  };
  const foldOrLeave = (): void => {
    const row = tree.rows[selected];
    if (row === undefined) return;
    const isOpen = row.end > selected + 1 && !folded.has(row.span.id);
    if (isOpen) setFold(selected, true);
    else select(row.parent);
  };
  const unfoldOrEnter = (): void => {
    const row = tree.rows[selected];
    if (row === undefined) return step(1);
    if (folded.has(row.span.id)) setFold(selected, false);
    else if (row.end > selected + 1) select(selected + 1);
  };
  const toError = (): void => {
    const row = nextError(tree, selected);
    if (row !== null) select(row);
  };
  useKeys(
    [
      { keys: 'j', what: 'Next span', run: () => step(1) },
      { keys: 'k', what: 'Span before', run: () => step(-1) },
      { keys: 'h', what: 'Fold, or to the parent', run: foldOrLeave },
      { keys: 'l', what: 'Unfold, or to the first child', run: unfoldOrEnter },
      { keys: 'ArrowDown', what: 'Next span', run: () => step(1) },
      { keys: 'ArrowUp', what: 'Span before', run: () => step(-1) },
      { keys: 'ArrowLeft', what: 'Fold, or to the parent', run: foldOrLeave },
      { keys: 'ArrowRight', what: 'Unfold, or to the first child', run: unfoldOrEnter },
      { keys: '!', what: 'Next error', run: toError },
    ],
    [tree, visible, folded, selected],
  );
};
