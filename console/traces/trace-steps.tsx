import { useState } from 'preact/hooks';
import { useSurroundings } from '../client/context.js';
import { useQuery } from '../client/queries.js';
import { FaultNotice } from '../parts/notice.js';
import { RecordedWord } from '../parts/recorded-text.js';
import { readOutline, type OutlineSpan } from './questions.js';

/** Steps that are named; a longer trace is read on its own page. */
const stepsMax = 100;

/** The steps of a trace, with links into its own page. */
export const TraceSteps = (place: { readonly projectId: string; readonly traceId: string }) => {
  const { navigation } = useSurroundings();
  const [partial, setPartial] = useState<readonly OutlineSpan[]>([]);
  const outline = useQuery({
    key: ['spans', 'outline', place.projectId, place.traceId],
    ask: (operations, signal) => readOutline(operations, place, signal, setPartial),
    freshMs: 30_000,
  });
  const spans = outline.value ?? partial;
  const path = `/p/${place.projectId}/traces/${place.traceId}`;
  return (
    <>
      <FaultNotice fault={outline.fault} onRetry={outline.refetch} />
      {outline.value?.length === 0 && <p class="muted">No steps were recorded.</p>}
      <ol class="turn-steps">
        {spans.slice(0, stepsMax).map((span) => (
          <li key={span.id}>
            <span class="tree-kind" data-kind={span.type}>
              {span.type}
            </span>{' '}
            <a href={navigation.href(path, `sel=${span.id}`)}>
              <RecordedWord text={span.name === '' ? (span.model ?? span.type) : span.name} />
            </a>
            {(span.status_code ?? 0) >= 400 && <span class="bad"> ⚠ {span.status_code}</span>}
          </li>
        ))}
      </ol>
      {spans.length > stepsMax && (
        <a href={navigation.href(path)}>{spans.length - stepsMax} more in the trace</a>
      )}
    </>
  );
};
