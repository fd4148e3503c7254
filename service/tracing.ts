import { descriptionVersion } from '../contract/service.js';
import type { Metadata, QueryContext } from '../kernel/ports.js';
import { noTracing, type Tracing } from '../kernel/tracing.js';
import type { ReadModel } from '../projections/read-model.js';

/** Tracing of this thread; OpenTelemetry is loaded only where it is on. */
export const openServiceTracing = async (isTraced: boolean): Promise<Tracing> => {
  if (!isTraced) return noTracing;
  const { openTracing } = await import('../engines/opentelemetry/tracing.js');
  return openTracing(descriptionVersion);
};

/** `current` with the traceparent of the span at hand, so that other threads continue the trace. */
export const withTraceparent =
  (tracing: Tracing, current: () => QueryContext): (() => QueryContext) =>
  () => {
    const traceparent = tracing.traceparent();
    return traceparent === undefined ? current() : { ...current(), traceparent };
  };

/**
 * The read model with a span in the trace of each request whose events a batch has: from the fold's
 * beginning until the batch and its checkpoint are stored.
 */
export const tracedReadModel = (tracing: Tracing, readModel: ReadModel): ReadModel => {
  if (!tracing.isOn) return readModel;
  const types = readModel.eventTypes === undefined ? null : new Set(readModel.eventTypes);
  return {
    ...readModel,
    fold: async (events, applied, erased) => {
      const beganMs = Date.now();
      const folded = await readModel.fold(events, applied, erased);
      const own = events.filter(
        ({ type, metadata }) => (types === null || types.has(type)) && isOfRequest(metadata),
      );
      const requests = new Set(own.map(({ metadata }) => metadata.request_id));
      return {
        ...folded,
        apply: async (checkpoint) => {
          await folded.apply(checkpoint);
          tracing.addSpans(`fold ${readModel.name}`, requests, beganMs);
        },
      };
    },
  };
};

/** False for what the service does of its own accord: no request has a span for it. */
const isOfRequest = ({ actor, causation_id }: Metadata): boolean =>
  actor.type !== 'service' || causation_id !== null;
