import { useSurroundings } from '../client/context.js';
import { Instant } from '../client/instants.js';
import { useKeys } from '../client/keys.js';
import { CopyId } from '../parts/copy-id.js';
import { PageHeading } from '../parts/heading.js';
import { BehindNotice, EmptyNotice, FaultNotice, Skeleton } from '../parts/notice.js';
import { printCount } from '../parts/numbers.js';
import type { PageProps } from '../parts/page.js';
import { markedText } from '../parts/text-pieces.js';
import { recordFigures, type TraceRecord } from './record-facts.js';
import { spansMax } from './questions.js';
import { TraceView } from './trace-view.js';
import { useOutline, useTraceRecord } from './use-trace.js';

/** One trace: its spans as tree and waterfall, and what the selected one says. */
export const Page = ({ params }: PageProps) => {
  const ids = { projectId: params['project_id'] ?? '', traceId: params['trace_id'] ?? '' };
  const record = useTraceRecord(ids);
  const outline = useOutline(ids, record.value ?? null);
  const trace = record.value;
  if (record.isLoading) {
    return (
      <>
        <PageHeading title="Trace" />
        <Skeleton />
      </>
    );
  }
  return (
    <>
      <TraceHeading trace={trace ?? null} />
      {outline.query.isLoading && outline.tree !== null && (
        <p class="note" role="status">
          {printCount(outline.tree.rows.length)} of {printCount(trace?.num_spans ?? 0)} spans so far
        </p>
      )}
      <FaultNotice fault={record.fault ?? outline.query.fault} onRetry={record.refetch} />
      <BehindNotice isBehind={record.isBehind || outline.query.isBehind} />
      {trace === null && (
        <EmptyNotice title="Not found, or not shared with you">
          <p>This project has no trace of this id; it may have been deleted.</p>
        </EmptyNotice>
      )}
      {trace != null && outline.tree === null && <Skeleton rows={12} />}
      {trace != null && outline.tree !== null && (
        <TraceView ids={ids} trace={trace} tree={outline.tree} />
      )}
    </>
  );
};

const TraceHeading = ({ trace }: { readonly trace: TraceRecord | null }) => {
  const { clipboard, navigation } = useSurroundings();
  const id = trace?.id;
  useKeys(
    [
      {
        keys: 'a',
        what: 'History of the trace',
        run: () => {
          if (id !== undefined) navigation.go(`/history/trace/${id}`);
        },
      },
    ],
    [id],
  );
  if (trace === null) return <PageHeading title="Trace" />;
  return (
    <PageHeading title={trace.name === '' ? 'Trace' : markedText(trace.name)}>
      <span class="muted">
        <Instant at={trace.created_at} />
      </span>
      <span class="muted">{recordFigures(trace).join(' · ')}</span>
      {!trace.is_complete && <span class="warn">goes on</span>}
      {(trace.num_spans ?? 0) > spansMax && (
        <span class="warn">the first {spansMax.toLocaleString('en')} spans</span>
      )}
      <CopyId id={trace.id} onCopy={clipboard.copy} />
      <a href={navigation.href(`/history/trace/${trace.id}`)}>History</a>
    </PageHeading>
  );
};
