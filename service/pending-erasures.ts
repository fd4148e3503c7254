import type { Metrics } from '../engines/prometheus/metrics.js';
import type { Clock } from '../kernel/ports.js';
import type { PendingErasure } from '../projections/projector.js';
import type { HealthProbe } from '../engines/node/health-probe.js';
import type { WorkersStatus } from './workers.js';

/** Deletions whose content is still in the log, and files that still hold such content. */
type PendingErasures = {
  readonly where: PendingErasure['where'];
  /** Number of deletions for the log; 1 for a file. */
  readonly count: number;
  /** Time of the oldest. */
  readonly since: PendingErasure['since'];
};

type Needs = {
  readonly working: Pick<WorkersStatus, 'pendingErasures'> | null;
  readonly files: Pick<HealthProbe<readonly PendingErasure[]>, 'lastResult'>;
};

/**
 * Pending erasures that this process knows: those of the log with the role worker, those of files
 * where they are folded.
 */
export const pendingErasures = ({ working, files }: Needs): readonly PendingErasures[] => {
  const requestedAt = [...(working?.pendingErasures() ?? [])].sort();
  const [since] = requestedAt;
  return [
    ...(since === undefined ? [] : [{ where: 'log' as const, count: requestedAt.length, since }]),
    ...(files.lastResult() ?? []).map((file) => ({ ...file, count: 1 })),
  ];
};

export const registerErasureGauge = (
  metrics: Metrics,
  clock: Clock,
  pending: () => readonly PendingErasures[],
): void =>
  metrics.beforeScrape(async () => {
    const now = Date.parse(clock.now());
    // Absolute: a deletion by a clock that was ahead must not keep the alert silent.
    const age = (since: string): number => Math.abs(now - Date.parse(since)) / 1_000;
    metrics.operating.erasures(
      pending().map(({ where, count, since }) => ({ where, count, seconds: age(since) })),
    );
  });
