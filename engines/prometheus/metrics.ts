import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

/** What the process counts about itself; any engine may feed it, `/metrics` shows it. */
export type Metrics = {
  readonly request: (operation: string, status: number, seconds: number) => void;
  readonly append: (seconds: number) => void;
  /** Of appends that had to wait until what their project logged before is readable. */
  readonly pause: (seconds: number) => void;
  readonly lag: (projection: string, events: number, seconds: number) => void;
  readonly parked: (projection: string, streams: number) => void;
  /**
   * Of the store of the records, and what came of it: see `Incident` of kernel/records/records.ts.
   */
  readonly incident: (kind: string, did: string) => void;
  readonly shed: () => void;
  /** A connection was cut: its client was too slow, or there were too many. */
  readonly cut: (why: 'slow' | 'crowded' | 'crumbs') => void;
  readonly mismatch: (operation: string) => void;
  /**
   * Runs before each scrape; for figures that have to be asked for. A failure leaves the old
   * figures standing.
   */
  readonly beforeScrape: (ask: () => Promise<void>) => void;
  /** Prometheus text format. */
  readonly text: () => Promise<string>;
  readonly contentType: string;
};

/** From one fsync of a good disk to the limit of what a client waits. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export const openMetrics = (): Metrics => {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'assay_request_seconds',
    help: 'Time to answer, by operation and status.',
    labelNames: ['operation', 'status'],
    buckets,
    registers,
  });
  const appends = new Histogram({
    name: 'assay_append_seconds',
    help: 'Time until an append to the log was durable.',
    buckets,
    registers,
  });
  const pauses = new Histogram({
    name: 'assay_pause_seconds',
    help: 'Time that appends waited because their project logs faster than can be read.',
    buckets,
    registers,
  });
  const gauge = (name: string, help: string) =>
    new Gauge({ name, help, labelNames: ['projection'], registers });
  const lagEvents = gauge('assay_projection_lag_events', 'Events that are not folded yet.');
  const lagSeconds = gauge(
    'assay_projection_lag_seconds',
    'How long the oldest unfolded event is there.',
  );
  const parked = gauge('assay_projection_parked_streams', 'Streams that could not be folded.');
  const incidents = new Counter({
    name: 'assay_records_failures_total',
    help: 'Failures of the store of records, by kind and by what came of them.',
    labelNames: ['kind', 'did'],
    registers,
  });
  const shed = new Counter({
    name: 'assay_shed_requests_total',
    help: 'Requests refused because there was too much work.',
    registers,
  });
  const cuts = new Counter({
    name: 'assay_cut_connections_total',
    help: 'Connections cut: slow clients, or more connections than there may be.',
    labelNames: ['why'],
    registers,
  });
  const mismatches = new Counter({
    name: 'assay_undeclared_answers_total',
    help: 'Answers and faults that the operation does not declare.',
    labelNames: ['operation'],
    registers,
  });
  const asks: (() => Promise<void>)[] = [];
  return {
    request: (operation, status, seconds) =>
      requests.observe({ operation, status: String(status) }, seconds),
    append: (seconds) => appends.observe(seconds),
    pause: (seconds) => pauses.observe(seconds),
    lag: (projection, events, seconds) => {
      lagEvents.set({ projection }, events);
      lagSeconds.set({ projection }, seconds);
    },
    parked: (projection, streams) => parked.set({ projection }, streams),
    incident: (kind, did) => incidents.inc({ kind, did }),
    shed: () => shed.inc(),
    cut: (why) => cuts.inc({ why }),
    mismatch: (operation) => mismatches.inc({ operation }),
    beforeScrape: (ask) => void asks.push(ask),
    text: async () => {
      await Promise.allSettled(asks.map((ask) => ask()));
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
};
