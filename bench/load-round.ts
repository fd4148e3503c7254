import type { ServiceProcess } from '../test/support/service-process.js';
import { runLoad, waitForPosition, type BenchTarget } from './bench-context.js';
import { spansPerRequest } from './bodies.js';
import type { LoadPlan } from './load.js';
import { countProcessorTime, type ProcessorTimes } from './thread-times.js';

/** Result of one load, from its first request until reads show all of it. */
export type LoadRound = {
  /** Spans a second that were acknowledged. */
  readonly accepted: number;
  /** Spans a second until reads show all of them. */
  readonly visible: number;
  readonly requestP95Ms: number;
  /** Processor time of the service, a span; null where it cannot be read. */
  readonly processor: ProcessorTimes | null;
  /** Processor time of the load generator, a span. */
  readonly generatorMicroseconds: number;
};

/** Sends requests of 200 spans as fast as they are answered, and waits until reads show them. */
export const measureLoad = async (
  service: ServiceProcess,
  place: BenchTarget,
  load: Pick<LoadPlan, 'shape' | 'seed' | 'from' | 'requests' | 'connections'>,
): Promise<LoadRound> => {
  const spans = load.requests * spansPerRequest;
  const processorTime = countProcessorTime(service.pid);
  const done = await runLoad(service, place, { ...load, requestsPerSecond: null });
  const answered = performance.now();
  await waitForPosition(service, place, done.position);
  const waited = (performance.now() - answered) / 1_000;
  return {
    accepted: spans / done.seconds,
    visible: spans / (done.seconds + waited),
    requestP95Ms: done.latency.p95,
    processor: processorTime(spans),
    generatorMicroseconds: (done.processorMs * 1_000) / spans,
  };
};
