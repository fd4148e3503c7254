import type { OtelSpansReceived } from '../../events/traces.js';
import { utf8ByteLength } from '../../kernel/code-points.js';
import type { EventReader, StreamName } from '../../kernel/ports.js';

type Part = OtelSpansReceived['parts'][number];

/** Spans of a trace, or one of them, as OTLP exporters sent them; other records are excluded. */
type ReceivedOtelSpans = {
  /** Total bytes of the texts. */
  readonly weigh: (trace: StreamName, span: string | null) => Promise<number>;
  /**
   * `ResourceSpans` texts in OTLP/JSON, each of one resource and scope, in order of arrival
   * (contract 5.12, rule 7).
   */
  readonly texts: (trace: StreamName, span: string | null) => Promise<readonly string[]>;
};

/** Reads them from the log, a portion of the stream at a time. */
export const receivedOtelSpansIn = (log: EventReader): ReceivedOtelSpans => {
  const read = async function* read(trace: StreamName, span: string | null) {
    for await (const events of log.portions(trace, { types: ['OtelSpansReceived'] })) {
      for (const { data } of events) {
        for (const part of (data as OtelSpansReceived).parts) {
          const spans = part.spans.filter(({ id }) => span === null || id === span);
          if (spans.length > 0) yield JSON.stringify(resourceSpans({ ...part, spans }));
        }
      }
    }
  };
  return {
    weigh: async (trace, span) => {
      let bytes = 0;
      for await (const text of read(trace, span)) bytes += utf8ByteLength(text);
      return bytes;
    },
    texts: (trace, span) => Array.fromAsync(read(trace, span)),
  };
};

/** Restores the sent form: the schema URL of a resource or scope stands beside it. */
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
