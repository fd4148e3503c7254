import {
  context,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
} from '@opentelemetry/api';
import type { Context, Span, SpanContext, Tracer } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { createHash, randomBytes } from 'node:crypto';
import { redactedReason } from '../../kernel/fault.js';
import { exportMark, type Tracing } from '../../kernel/tracing.js';

/** Requests of one batch of events whose traces get a span of its fold. */
const tracedRequestsMax = 100;

/**
 * Tracing by OpenTelemetry's SDK, which reads its own `OTEL_*` variables: endpoint, headers,
 * sampler, batches, resource. Spans are sent as OTLP protobuf over HTTP, from a queue of limited
 * size; a collector that is away costs spans and nothing else.
 */
export const openTracing = (version: string): Tracing => {
  const ids = openTraceIds();
  const exporter = new OTLPTraceExporter({
    headers: { traceparent: `00-${randomHex(16)}-${randomHex(8)}-00`, tracestate: exportMark },
  });
  const provider = new NodeTracerProvider({
    idGenerator: ids,
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'assay', 'service.version': version }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  provider.register();
  const tracer = provider.getTracer('assay', version);
  return {
    isOn: true,
    request: (requestId, work) => {
      const root = ids.withRequest(requestId, () =>
        tracer.startSpan('request', {
          kind: SpanKind.SERVER,
          root: true,
          attributes: { 'assay.request_id': requestId },
        }),
      );
      return runWithin(root, trace.setSpan(context.active(), root), () =>
        work({
          describe: (name, status, attributes) => {
            root.updateName(name);
            root.setAttributes({ ...attributes, 'http.response.status_code': status });
            if (status >= 500) root.setStatus({ code: SpanStatusCode.ERROR });
          },
        }),
      );
    },
    span: (name, work, parent) => {
      const within = parent === undefined ? context.active() : contextOf(parent);
      if (trace.getSpanContext(within) === undefined) return work();
      const span = tracer.startSpan(name, {}, within);
      return runWithin(span, trace.setSpan(within, span), work);
    },
    traceparent: () => {
      const active = trace.getSpanContext(context.active());
      return active === undefined || (active.traceFlags & TraceFlags.SAMPLED) === 0
        ? undefined
        : `00-${active.traceId}-${active.spanId}-01`;
    },
    addSpans: (name, requestIds, beganMs) => {
      let added = 0;
      for (const requestId of requestIds) {
        if ((added += 1) > tracedRequestsMax) return;
        const parent = requestContext(tracer, ids, requestId);
        tracer.startSpan(name, { startTime: beganMs }, parent).end();
      }
    },
    close: () => provider.shutdown().catch(() => undefined),
  };
};

const runWithin = async <T>(span: Span, within: Context, work: () => Promise<T>): Promise<T> => {
  try {
    return await context.with(within, work);
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR, message: redactedReason(error) });
    throw error;
  } finally {
    span.end();
  }
};

const contextOf = (traceparent: string): Context =>
  propagation.extract(context.active(), { traceparent });

/** Context of a request's root span in another thread, sampled as the root span was. */
const requestContext = (tracer: Tracer, ids: TraceIds, requestId: string): Context => {
  // The sampler decides by the trace id, so a root span that is never ended shows what it decided.
  const probe = ids.withRequest(requestId, () => tracer.startSpan('probe', { root: true }));
  const remote: SpanContext = { ...probe.spanContext(), isRemote: true };
  return trace.setSpanContext(context.active(), remote);
};

type TraceIds = ReturnType<typeof openTraceIds>;

/** OpenTelemetry's id generator; within `withRequest` the ids follow from the request id. */
const openTraceIds = () => {
  let requested: string | null = null;
  return {
    generateTraceId: () => (requested === null ? randomHex(16) : traceIdOf(requested)),
    generateSpanId: () => (requested === null ? randomHex(8) : traceIdOf(requested).slice(0, 16)),
    withRequest: <T>(requestId: string, start: () => T): T => {
      requested = requestId;
      try {
        return start();
      } finally {
        requested = null;
      }
    },
  };
};

const uuidForm = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** Trace id of a request: the digits of a UUID, else the first 16 bytes of the id's SHA-256. */
const traceIdOf = (requestId: string): string =>
  uuidForm.test(requestId)
    ? requestId.replaceAll('-', '')
    : createHash('sha256').update(requestId).digest('hex').slice(0, 32);

const randomHex = (bytes: number): string => randomBytes(bytes).toString('hex');
