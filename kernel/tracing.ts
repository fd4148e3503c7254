import { mapMethods, type AsyncMethod } from './map-methods.js';

/**
 * Distributed tracing of the service itself: spans of requests, appends, folds and reads. The trace
 * id of a request follows from its request id, so that threads and processes which fold its events
 * continue the same trace without a new member in the log.
 */
export type Tracing = {
  readonly isOn: boolean;
  /** Runs `work` within the root span of a request. */
  readonly request: <T>(requestId: string, work: (span: RequestSpan) => Promise<T>) => Promise<T>;
  /**
   * Runs `work` within a child of the span at hand or of `parent` (a W3C traceparent). Without
   * either there is no span.
   */
  readonly span: <T>(name: string, work: () => Promise<T>, parent?: string) => Promise<T>;
  /** W3C traceparent of the span at hand; undefined outside of one, or where it is not sampled. */
  readonly traceparent: () => string | undefined;
  /** Adds a span from `beganMs` (of the epoch) until now to the trace of each of these requests. */
  readonly addSpans: (name: string, requestIds: Iterable<string>, beganMs: number) => void;
  /** Exports the spans that are still in memory. */
  readonly close: () => Promise<void>;
};

type RequestSpan = {
  /** `status`: of HTTP; an error from 500 on. */
  readonly describe: (name: string, status: number, attributes: SpanAttributes) => void;
};
type SpanAttributes = Readonly<Record<string, string | number>>;

/** Value of `tracestate` in requests that export spans of a service: they are not traced. */
export const exportMark = 'assay=export';

/** Tracing that is off: runs the work and records nothing. */
export const noTracing: Tracing = {
  isOn: false,
  request: (_requestId, work) => work({ describe: () => undefined }),
  span: (_name, work) => work(),
  traceparent: () => undefined,
  addSpans: () => undefined,
  close: async () => undefined,
};

/**
 * The port with a span around each call of `methods`, named `<name>.<method>`; the port itself
 * where tracing is off. A call that carries a traceparent in a QueryContext is a child of that
 * span.
 */
export const tracedPort = <T extends object>(
  tracing: Tracing,
  name: string,
  port: T,
  methods: readonly AsyncMethod<T>[],
): T =>
  tracing.isOn
    ? mapMethods(port, methods, (call, { name: method, values }) =>
        tracing.span(
          `${name}.${method}`,
          call,
          values.map(traceparentOf).find((parent) => parent !== undefined),
        ),
      )
    : port;

const traceparentOf = (value: unknown): string | undefined =>
  typeof value === 'object' &&
  value !== null &&
  'traceparent' in value &&
  typeof value.traceparent === 'string'
    ? value.traceparent
    : undefined;
