import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useKeys } from '../client/keys.js';
import { useQuery } from '../client/queries.js';
import { Button } from '../parts/button.js';
import { readSpansWithText, type OutlineSpan } from './questions.js';
import type { SpanTree } from './tree.js';
import { rowsNamed } from './tree-search.js';
import type { TraceIds } from './use-trace.js';

type Props = {
  readonly ids: TraceIds;
  readonly tree: SpanTree<OutlineSpan>;
  readonly selected: number;
  readonly onSelect: (row: number) => void;
  readonly onClose: () => void;
};

/** Finds spans of a trace by name, kind, model, input and output; Enter goes to the next one. */
export const FindBar = ({ ids, tree, selected, onSelect, onClose }: Props) => {
  const [text, setText] = useState('');
  const input = useRef<HTMLInputElement>(null);
  // Before the next key comes: it belongs to the field.
  useLayoutEffect(() => input.current?.focus(), []);
  useKeys([{ keys: 'Escape', what: 'End of finding', run: onClose }], []);
  const texts = useQuery({
    key: ['spans', 'find', ids.projectId, ids.traceId, text],
    ask: (operations, signal) => readSpansWithText(operations, ids, text, signal),
    isEnabled: text !== '',
    freshMs: 30_000,
  });
  const found = useMemo(
    () => rowsNamed(tree, text, texts.value ?? new Set()),
    [tree, text, texts.value],
  );
  const next = found.find((row) => row > selected) ?? found[0];
  return (
    <form
      class="find-bar"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        if (next !== undefined) onSelect(next);
      }}
    >
      <input
        ref={input}
        class="cell-input"
        type="search"
        aria-label="Find in this trace"
        placeholder="name, kind, model, input, output"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <span class="note" role="status">
        {text !== '' && `${found.length} found${texts.isFetching ? ' so far' : ''}`}
      </span>
      <Button onClick={onClose}>Close</Button>
    </form>
  );
};
