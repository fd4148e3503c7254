import type { Metrics } from '../engines/prometheus/metrics.js';
import { start, type EventLog } from '../kernel/ports.js';
import type { Sandbox } from '../kernel/sandbox.js';
import { historyCollection } from '../projections/history/collection.js';
import type { ProjectionStatus } from '../projections/operate.js';
import { distance } from '../projections/progress.js';
import type { Pulse } from './pulse.js';

/** What is known is told once a question takes longer. */
const scrapeMs = 1_000;

/** What is asked of the log and of the projections before each scrape. */
export const measureReadModels = (
  metrics: Metrics,
  log: Pick<EventLog, 'health'>,
  status: Pulse<readonly ProjectionStatus[]>,
): void =>
  metrics.beforeScrape(async () => {
    metrics.operating.log(log.health().writable);
    await status.look(scrapeMs);
    const all = status.known() ?? [];
    for (const { name, lag_events, lag_seconds, parked } of all) {
      metrics.lag(name, lag_events, lag_seconds);
      metrics.parked(name, parked);
      if (name === historyCollection.name) metrics.operating.historyLag(lag_events);
    }
    metrics.operating.rebuilds(
      all.flatMap(({ name, building }) => {
        if (building === null) return [];
        const { position, head, eta_seconds: etaSeconds } = building;
        const whole = distance(start, head);
        const ratio = whole === 0 ? 0 : Math.min(1, distance(start, position) / whole);
        return [{ projection: name, ratio, etaSeconds }];
      }),
    );
  });

export const measureSandbox = (metrics: Metrics, sandbox: Pick<Sandbox, 'state'>): void =>
  metrics.beforeScrape(async () => {
    const { mode } = sandbox.state();
    metrics.operating.sandbox(mode !== 'starting' && mode !== 'off');
  });
