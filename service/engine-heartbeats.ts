import type { Clock, EventLog, Position } from '../kernel/ports.js';
import { openPositionClock, type PositionClock } from '../projections/position-clock.js';
import type { PendingErasure, ProjectionStatus, Projector } from '../projections/projector.js';
import {
  threadProbeTimeoutMs,
  withCircuitBreaker,
  startHealthProbe,
  probeTimeoutMs,
  type HealthProbe,
} from './health-probe.js';
import type { StartupContext } from './startup-context.js';

export type EngineHeartbeats = {
  readonly log: HealthProbe<Position>;
  readonly status: HealthProbe<readonly ProjectionStatus[]>;
  /** Files that hold content which was deleted. */
  readonly files: HealthProbe<readonly PendingErasure[]>;
  /** When the log was first seen where. */
  readonly positionClock: PositionClock;
  /** The log for whoever waits for an answer: given up once it is silent. */
  readonly guardedLog: EventLog;
  /** Aborts when nobody asks any more. */
  readonly signal: AbortSignal;
};

/** An append that is under way is waited for: whether it was written is found out there. */
const unguardedMethods = ['append', 'erase', 'waitForGrowth', 'health', 'close'] as const;

/** They beat until the service ends. */
export const startEngineHeartbeats = (
  { engines, disposers }: Pick<StartupContext, 'engines' | 'disposers'>,
  log: EventLog,
  clock: Clock,
  projector: Pick<Projector, 'status' | 'pendingErasures'>,
): EngineHeartbeats => {
  const stopped = new AbortController();
  disposers.begin('the pulses', () => stopped.abort());
  const { signal } = stopped;
  const times = openPositionClock();
  const isRemote = engines.names.eventLog === 'eventstoredb';
  const head = async (): Promise<Position> => {
    const position = await log.head();
    times.recordHead(position, clock.milliseconds());
    return position;
  };
  const patienceMs = isRemote ? probeTimeoutMs : threadProbeTimeoutMs;
  const pulse = startHealthProbe({ what: 'the log', clock, signal }, head, patienceMs);
  return {
    log: pulse,
    status: startHealthProbe(
      { what: 'the projector', clock, signal },
      () => projector.status(),
      threadProbeTimeoutMs,
    ),
    files: startHealthProbe(
      { what: 'the projector', clock, signal },
      () => projector.pendingErasures(),
      threadProbeTimeoutMs,
    ),
    positionClock: times,
    guardedLog: isRemote ? withCircuitBreaker(log, pulse, unguardedMethods) : log,
    signal,
  };
};
