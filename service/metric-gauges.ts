import type { Metrics } from '../engines/prometheus/metrics.js';
import { logStart, type EventLog } from '../kernel/ports.js';
import type { Sandbox } from '../kernel/sandbox.js';
import { historyCollection } from '../ledger/collection.js';
import type { ProjectionStatus } from '../projections/projector.js';
import { positionDistance } from '../projections/progress.js';
import type { HealthProbe } from '../engines/node/health-probe.js';

/** Time limit of a probe per scrape; after it the previous result is reported. */
const probeWaitMs = 1_000;

/** Gauges of the log and the projections, updated before each scrape. */
export const registerReadModelGauges = (
  metrics: Metrics,
  log: Pick<EventLog, 'health'>,
  status: HealthProbe<readonly ProjectionStatus[]>,
): void =>
  metrics.beforeScrape(async () => {
    metrics.operating.log(log.health().writable);
    await status.probeNow(probeWaitMs);
    const all = status.lastResult() ?? [];
    for (const { name, lag_events, lag_seconds, parked } of all) {
      metrics.lag(name, lag_events, lag_seconds);
      metrics.parkedStreams(name, parked);
      if (name === historyCollection.name) metrics.operating.historyLag(lag_events);
    }
    metrics.operating.rebuilds(
      all.flatMap(({ name, building }) => {
        if (building === null) return [];
        const { position, head, eta_seconds: etaSeconds } = building;
        const whole = positionDistance(logStart, head);
        const ratio = whole === 0 ? 0 : Math.min(1, positionDistance(logStart, position) / whole);
        return [{ projection: name, ratio, etaSeconds }];
      }),
    );
  });

export const registerSandboxGauge = (metrics: Metrics, sandbox: Pick<Sandbox, 'state'>): void =>
  metrics.beforeScrape(async () => {
    const { mode } = sandbox.state();
    metrics.operating.sandbox(mode !== 'starting' && mode !== 'off');
  });
