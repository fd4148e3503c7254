import type { OtelSpansReceived } from '../../events/traces.js';
import type { OtelSpan } from '../../kernel/otel/span.js';
import { otelSpan, otelTraceId } from './otlp.js';

type Received = Pick<
  OtelSpansReceived,
  'project_id' | 'run_id' | 'trace_id' | 'session_id' | 'received_at'
> & {
  readonly trace: number;
  /** Ids of the spans and of their parents, which may be the trace. */
  readonly spans: readonly { readonly id: string; readonly parent_id: string }[];
  readonly hasRoot: boolean;
  readonly metrics: Readonly<Record<string, unknown>>;
};

/** Spans of a trace as an exporter sent them, with members that a root gives to its trace. */
export const receivedSpans = ({
  trace,
  spans,
  hasRoot,
  metrics,
  ...base
}: Received): OtelSpansReceived => ({
  ...base,
  run_kind: 'log_stream',
  otel_trace_id: otelTraceId(trace + 1),
  root: hasRoot ? (spans[0]?.id ?? null) : null,
  parts: [
    {
      spans: spans.map(({ id, parent_id: parent }, at) => ({
        id,
        parent_id: parent,
        sent: otelSpan({
          trace: trace + 1,
          id: at + 1,
          attributes: {
            'gen_ai.operation.name': at % 2 === 0 ? 'chat' : 'execute_tool',
            'gen_ai.usage.input_tokens': Object.keys(metrics).length,
            'output.value': 'the cat',
            'splunk_ao.dataset.output': 'the cat sat on the mat',
            'tag.tags': ['b', 'd'],
            'user.id': `u${at}`,
          },
        }) as OtelSpan,
      })),
    },
  ],
});
