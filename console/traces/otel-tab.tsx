import { useQuery } from '../client/queries.js';
import { JsonTree } from '../parts/json-tree.js';
import { EmptyNotice, FaultNotice, Skeleton } from '../parts/notice.js';
import { RecordedValue } from '../parts/recorded-text.js';
import type { AnyRecord } from './record-facts.js';

/** Data sent by OpenTelemetry: resource, scope and span with every attribute and event. */
export const OtelTab = (props: { readonly projectId: string; readonly record: AnyRecord }) => {
  const { projectId, record } = props;
  const isTrace = record.type === 'trace';
  const otel = useQuery({
    key: ['spans', 'otel', projectId, record.trace_id, record.id],
    ask: async (operations, signal) => {
      const place = { project_id: projectId, otel: true };
      const answer = isTrace
        ? await operations.traces.get({ ...place, trace_id: record.id }, { signal })
        : await operations.spans.get({ ...place, span_id: record.id }, { signal });
      return answer.otel ?? [];
    },
    freshMs: 60_000,
  });
  if (otel.isLoading) return <Skeleton />;
  const resources = otel.value ?? [];
  return (
    <>
      <FaultNotice fault={otel.fault} onRetry={otel.refetch} />
      {otel.value !== undefined && resources.length === 0 && (
        <EmptyNotice title="Not sent by OpenTelemetry">
          <p>This record came over another route; JSON shows all of it.</p>
        </EmptyNotice>
      )}
      {resources.length > 0 && (
        <JsonTree
          value={resources}
          text={(text) => <RecordedValue text={text} />}
          openLevels={12}
        />
      )}
    </>
  );
};
