import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { ModelSeries } from '../../kernel/model-calls.js';
import { openModelSeries } from './model-series.js';
import { openOperatingSeries, type OperatingSeries } from './operating-series.js';
import { openSealSeries, type SealSeries } from './seal-series.js';

/** Metrics of the process, fed by any engine and shown at `/metrics`. */
export type Metrics = {
  readonly operating: OperatingSeries;
  readonly request: (operation: string, status: number, seconds: number) => void;
  readonly append: (seconds: number) => void;
  /** Backpressure: an append waited for its project's earlier events to be projected. */
  readonly backpressureWait: (seconds: number) => void;
  readonly lag: (projection: string, events: number, seconds: number) => void;
  readonly parkedStreams: (projection: string, streams: number) => void;
  /** Counts a poison event that an operator skipped. */
  readonly parkedSkip: (projection: string) => void;
  /**
   * Counts an incident of the record store and its outcome: see `Incident` of
   * kernel/records/records.ts.
   */
  readonly incident: (kind: string, did: string) => void;
  readonly loadShed: () => void;
  /** Counts a closed connection: its client was too slow, or there were too many. */
  readonly connectionCut: (why: 'slow' | 'crowded' | 'crumbs') => void;
  readonly undeclaredAnswer: (operation: string) => void;
  readonly models: ModelSeries;
  readonly seals: SealSeries;
  /**
   * Registers a callback before each scrape, for figures that must be fetched. A failure keeps the
   * previous ones.
   */
  readonly beforeScrape: (update: () => Promise<void>) => void;
  /** Prometheus text format. */
  readonly text: () => Promise<string>;
  readonly contentType: string;
};

/** Latency buckets: from one fsync of a good disk to a client's longest wait. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Opens a registry with factories of its series. */
const openRegistry = () => {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  return {
    registry,
    histogram: <L extends string>(name: string, help: string, ...labelNames: L[]) =>
      new Histogram({ name, help, labelNames, buckets, registers }),
    gauge: (name: string, help: string) =>
      new Gauge({ name, help, labelNames: ['projection'], registers }),
    counter: <L extends string>(name: string, help: string, ...labelNames: L[]) =>
      new Counter({ name, help, labelNames, registers }),
  };
};

export const openMetrics = (): Metrics => {
  const { registry, histogram, gauge, counter } = openRegistry();
  const requests = histogram(
    'assay_request_seconds',
    'Request latency, by operation and status.',
    'operation',
    'status',
  );
  const appends = histogram('assay_append_seconds', 'Time until an append to the log is durable.');
  const pauses = histogram(
    'assay_pause_seconds',
    'Backpressure: time that appends waited for earlier events of their project.',
  );
  const lagEvents = gauge('assay_projection_lag_events', 'Lag: events not projected yet.');
  const lagSeconds = gauge(
    'assay_projection_lag_seconds',
    'Lag: age of the oldest unprojected event.',
  );
  const parked = gauge('assay_projection_parked_streams', 'Streams parked by a poison event.');
  const skips = counter(
    'assay_parked_skips_total',
    'Poison events that operators skipped through this process.',
    'projection',
  );
  const incidents = counter(
    'assay_records_failures_total',
    'Failures of the record store, by kind and outcome.',
    'kind',
    'did',
  );
  const shed = counter('assay_shed_requests_total', 'Requests refused by load shedding.');
  const cuts = counter(
    'assay_cut_connections_total',
    'Connections closed: slow clients, or too many connections.',
    'why',
  );
  const mismatches = counter(
    'assay_undeclared_answers_total',
    'Responses and faults that the operation does not declare.',
    'operation',
  );
  const updates: (() => Promise<void>)[] = [];
  return {
    operating: openOperatingSeries(registry),
    request: (operation, status, seconds) =>
      requests.observe({ operation, status: String(status) }, seconds),
    append: (seconds) => appends.observe(seconds),
    backpressureWait: (seconds) => pauses.observe(seconds),
    lag: (projection, events, seconds) => {
      lagEvents.set({ projection }, events);
      lagSeconds.set({ projection }, seconds);
    },
    parkedStreams: (projection, streams) => parked.set({ projection }, streams),
    parkedSkip: (projection) => skips.inc({ projection }),
    incident: (kind, did) => incidents.inc({ kind, did }),
    loadShed: () => shed.inc(),
    connectionCut: (why) => cuts.inc({ why }),
    undeclaredAnswer: (operation) => mismatches.inc({ operation }),
    models: openModelSeries(registry),
    seals: openSealSeries(registry),
    beforeScrape: (update) => void updates.push(update),
    text: async () => {
      await Promise.allSettled(updates.map((update) => update()));
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
};
