import type { OtelSpansReceived } from '../../events/traces.js';
import type { EventReader, StreamName } from '../../kernel/ports.js';

type Part = OtelSpansReceived['parts'][number];

/**
 * What exporters sent of a trace, in the order in which it came, or of one span of it: texts of
 * `ResourceSpans` in OTLP/JSON, each of one resource and scope (contract 5.12, rule 7). None for a
 * trace that came otherwise. Read from the log, a portion of the stream at a time.
 */
export const otelReceivedIn =
  (log: EventReader) =>
  async (trace: StreamName, span: string | null): Promise<readonly string[]> => {
    const texts: string[] = [];
    for await (const events of log.portions(trace, { types: ['OtelSpansReceived'] })) {
      for (const { data } of events) {
        for (const part of (data as OtelSpansReceived).parts) {
          const spans = part.spans.filter(({ id }) => span === null || id === span);
          if (spans.length > 0) texts.push(JSON.stringify(resourceSpans({ ...part, spans })));
        }
      }
    }
    return texts;
  };

/** As it was sent: the schema of a resource or scope stands beside it. */
const resourceSpans = ({ resource, scope, spans }: Part): object => {
  const { schemaUrl: ofResource, ...sentResource } = resource ?? {};
  const { schemaUrl: ofScope, ...sentScope } = scope ?? {};
  return {
    ...(resource !== undefined && { resource: sentResource }),
    scopeSpans: [
      {
        ...(scope !== undefined && { scope: sentScope }),
        spans: spans.map(({ sent }) => sent),
        ...(ofScope !== undefined && { schemaUrl: ofScope }),
      },
    ],
    ...(ofResource !== undefined && { schemaUrl: ofResource }),
  };
};
