import { useState } from 'preact/hooks';
import { useSurroundings } from '../client/context.js';
import { Instant } from '../client/instants.js';
import { useKeys } from '../client/keys.js';
import { useView } from '../client/view.js';
import { Button } from '../parts/button.js';
import { CopyId } from '../parts/copy-id.js';
import { PageHeading } from '../parts/heading.js';
import { BehindNotice, EmptyNotice, FaultNotice, Skeleton } from '../parts/notice.js';
import { printCount } from '../parts/numbers.js';
import type { PageProps } from '../parts/page.js';
import { markedText } from '../parts/text-pieces.js';
import { BackToList, ListWalk } from './list-walk.js';
import { RunWalk } from './neighbours.js';
import { recordFigures, type TraceRecord } from './record-facts.js';
import { spansMax } from './questions.js';
import { traceCodec } from './state.js';
import type { TraceCommand } from './trace-dialogs.js';
import { TraceView } from './trace-view.js';
import { useOutline, useTraceRecord, type TraceIds } from './use-trace.js';

/** One trace: its spans as tree and waterfall, and what the selected one says. */
export const Page = ({ params }: PageProps) => {
  const ids = { projectId: params['project_id'] ?? '', traceId: params['trace_id'] ?? '' };
  const record = useTraceRecord(ids);
  const outline = useOutline(ids, record.value ?? null);
  const trace = record.value;
  const [command, setCommand] = useState<TraceCommand | null>(null);
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
      <TraceHeading ids={ids} trace={trace ?? null} onCommand={setCommand} />
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
        <TraceView
          ids={ids}
          trace={trace}
          tree={outline.tree}
          command={command}
          onCommand={setCommand}
        />
      )}
    </>
  );
};

const TraceHeading = (props: {
  readonly ids: TraceIds;
  readonly trace: TraceRecord | null;
  readonly onCommand: (command: TraceCommand) => void;
}) => {
  const { ids, trace } = props;
  const { clipboard, navigation } = useSurroundings();
  const [view] = useView(traceCodec);
  useHeadingKeys(trace?.id, props.onCommand);
  const walk = view.from === 'traces' && <ListWalk {...ids} view={view} />;
  if (trace === null) return <PageHeading title="Trace">{walk}</PageHeading>;
  return (
    <PageHeading title={trace.name === '' ? 'Trace' : markedText(trace.name)}>
      <BackToList projectId={ids.projectId} view={view} />
      {walk}
      {view.from !== 'traces' && <RunWalk projectId={ids.projectId} trace={trace} />}
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
      <span class="heading-commands">
        {headingCommands.map(({ command, key, text, label }) => (
          <Button
            key={command}
            look="plain"
            label={label}
            {...(key !== null && { title: key })}
            onClick={() => props.onCommand(command)}
          >
            {text}
          </Button>
        ))}
      </span>
    </PageHeading>
  );
};

const headingCommands = [
  { command: 'rate', key: 'r', text: 'Rate', label: 'Rate the trace' },
  { command: 'dataset', key: 'd', text: 'Dataset', label: 'Add to dataset' },
  { command: 'curl', key: null, text: 'curl', label: 'The same by curl' },
] as const;

const useHeadingKeys = (
  traceId: string | undefined,
  onCommand: (command: TraceCommand) => void,
): void => {
  const { navigation } = useSurroundings();
  useKeys(
    [
      {
        keys: 'a',
        what: 'History of the trace',
        run: () => {
          if (traceId !== undefined) navigation.go(`/history/trace/${traceId}`);
        },
      },
      { keys: 'r', what: 'Rate the trace', run: () => onCommand('rate') },
      { keys: 'd', what: 'Add to a dataset', run: () => onCommand('dataset') },
    ],
    [traceId],
  );
};
