import { useMemo } from 'preact/hooks';
import { useQuery } from '../client/queries.js';
import { ContentView } from './content-view.js';
import { readSpan, type OutlineSpan } from './questions.js';
import type { SpanTree } from './tree.js';
import type { TraceIds } from './use-trace.js';

/** The answer to a tool call that a span of the trace recorded. */
export const CallAnswer = (props: {
  readonly ids: TraceIds;
  readonly tree: SpanTree<OutlineSpan>;
  readonly callId: string;
  readonly onOpen: (row: number) => void;
}) => {
  const { ids, tree, callId } = props;
  const row = useMemo(
    () => tree.rows.findIndex(({ span }) => span.tool_call_id === callId),
    [tree, callId],
  );
  const span = tree.rows[row]?.span;
  const whole = useQuery({
    key: ['spans', 'one', ids.projectId, ids.traceId, span?.id],
    ask: (operations, signal) => readSpan(operations, ids, span?.id ?? '', signal),
    isEnabled: span !== undefined,
    freshMs: 30_000,
  });
  if (span === undefined) return <span class="note">no answer recorded</span>;
  const isError = (span.status_code ?? 0) >= 400;
  return (
    <div class="tool-answer">
      <button type="button" class="button plain" onClick={() => props.onOpen(row)}>
        ← {span.type} {isError && <span class="bad">⚠ {span.status_code}</span>}
      </button>
      <ContentView label="answer" value={whole.value?.output ?? null} />
    </div>
  );
};
