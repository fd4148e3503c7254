import { mapMethods } from '../kernel/map-methods.js';
import { eventReads, type Clock, type EventLog, type Position } from '../kernel/ports.js';
import { openPositionClock, type PositionClock } from '../projections/position-clock.js';
import type { PendingErasure, ProjectionStatus, Projector } from '../projections/projector.js';
import {
  threadProbeTimeoutMs,
  startHealthProbe,
  probeTimeoutMs,
  type HealthProbe,
} from '../engines/node/health-probe.js';
import type { StartupContext } from './startup-context.js';

export type EngineHeartbeats = {
  readonly log: HealthProbe<Position>;
  readonly status: HealthProbe<readonly ProjectionStatus[]>;
  /** Files that still hold deleted content. */
  readonly files: HealthProbe<readonly PendingErasure[]>;
  /** Times at which the log's head passed each position. */
  readonly positionClock: PositionClock;
  /** The log for requests: behind a circuit breaker when its engine is remote. */
  readonly guardedLog: EventLog;
  /** Aborts when the service ends. */
  readonly signal: AbortSignal;
};

/** Methods within the circuit breaker; a running append must learn whether it was written. */
const guardedMethods = [...eventReads, 'spaceReclaim'] as const;

/** Starts the heartbeats of the engines; they end with the service. */
export const startEngineHeartbeats = (
  { engines, disposers }: Pick<StartupContext, 'engines' | 'disposers'>,
  log: EventLog,
  clock: Clock,
  projector: Pick<Projector, 'status' | 'pendingErasures'>,
): EngineHeartbeats => {
  const stopped = new AbortController();
  disposers.begin('the heartbeats', () => stopped.abort());
  const { signal } = stopped;
  const positionClock = openPositionClock();
  const { isRemote } = engines.ports.eventLog;
  const head = async (): Promise<Position> => {
    const position = await log.head();
    positionClock.recordHead(position, clock.milliseconds());
    return position;
  };
  const timeoutMs = isRemote ? probeTimeoutMs : threadProbeTimeoutMs;
  const logProbe = startHealthProbe({ what: 'the log', clock, signal }, head, timeoutMs);
  return {
    log: logProbe,
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
    positionClock,
    guardedLog: isRemote ? mapMethods(log, guardedMethods, logProbe.runWhileUp, ['portions']) : log,
    signal,
  };
};
