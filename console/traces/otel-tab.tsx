import { useSurroundings } from '../client/context.js';
import { useQuery } from '../client/queries.js';
import { printFilter } from '../language/print-filter.js';
import { JsonTree } from '../parts/json-tree.js';
import { EmptyNotice, FaultNotice, Skeleton } from '../parts/notice.js';
import { RecordedValue } from '../parts/recorded-text.js';
import { scopeCodec } from '../parts/record-scope.js';
import { attributeFilter } from './otel-attributes.js';
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
          action={(value) => <OnlyThis projectId={projectId} record={record} value={value} />}
        />
      )}
    </>
  );
};

/** Leads from an attribute to the records that have the same value. */
const OnlyThis = (props: {
  readonly projectId: string;
  readonly record: AnyRecord;
  readonly value: object;
}) => {
  const { navigation } = useSurroundings();
  const found = attributeFilter(props.value, props.record);
  if (found === null) return null;
  const view = scopeCodec.write({ t: 'all', f: printFilter(found.tree, null), run: '' });
  const { key } = props.value as { readonly key: string };
  return (
    <a
      class="only-this"
      href={navigation.href(`/p/${props.projectId}/${found.kind}`, view)}
      aria-label={`Only ${key} of this value`}
    >
      only this
    </a>
  );
};
