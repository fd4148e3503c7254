import type { Config } from '../config.js';
import type { Engines } from '../engines/open.js';
import type { NotificationBus, Clock, EventLog, Position } from '../kernel/ports.js';
import type { Documents } from '../kernel/documents.js';
import { fillMessage, type FillMonitor } from '../projections/fill-monitor.js';
import type { ClockSkewMonitor } from '../engines/node/clock-skew.js';
import { pendingErasures } from './pending-erasures.js';
import type { ProjectionHost } from './projection-host.js';
import type { HealthProbe } from '../engines/node/health-probe.js';
import type { EngineHeartbeats } from './engine-heartbeats.js';
import type { UndeclaredProxies } from '../engines/koa/undeclared-proxies.js';
import type { WorkersStatus } from './workers.js';

type Needs = {
  readonly config: Config;
  readonly engines: Engines;
  readonly log: Pick<EventLog, 'health'>;
  readonly documents: Pick<Documents, 'durabilityWarning'>;
  readonly bus: Pick<NotificationBus, 'isConnected'>;
  readonly projectionHost: ProjectionHost;
  readonly filling: Pick<FillMonitor, 'allProgress'>;
  /** Null when this process is not a worker. */
  readonly working: WorkersStatus | null;
  readonly heartbeats: Pick<EngineHeartbeats, 'log' | 'status' | 'positionClock' | 'files'> & {
    /** Checkpoint of each read model, by name. */
    readonly models: HealthProbe<ReadonlyMap<string, Position>>;
  };
  readonly clock: Clock;
  readonly clockSkew: ClockSkewMonitor;
  readonly undeclaredProxies: UndeclaredProxies;
};

/** Limits /readyz to a second; after it the previous results are reported. */
const probeWaitMs = 700;

/**
 * `ready` exactly when this process can do what its roles promise: the log answers and takes
 * writes; the read models it serves answer, are whole and within the allowed lag; no projection
 * that it folds is stalled or filled from the log; no history that it seals contradicts itself. The
 * other members say what is wrong.
 */
export const checkReadiness = async (needs: Needs) => {
  const { config, engines, log, projectionHost, heartbeats } = needs;
  const plays = (role: Config['roles'][number]): boolean => config.roles.includes(role);
  const [clockWarnings] = await Promise.all([
    needs.clockSkew.warnings(probeWaitMs),
    ...[heartbeats.log, heartbeats.models, heartbeats.status, heartbeats.files].map(
      ({ probeNow }) => probeNow(probeWaitMs),
    ),
  ]);
  const health = log.health();
  const logError = heartbeats.log.lastError();
  const readModels = heartbeats.models.lastError();
  const statuses = heartbeats.status.lastResult();
  const trouble = projectionHost.lastError() ?? heartbeats.status.lastError();
  const lag = greatestLag(needs);
  const isLate = plays('query') && lag.seconds * 1_000 > config.lagMaxMs;
  const fillings = needs.filling.allProgress();
  const [first] = fillings;
  const isFilling = plays('query') && fillings.length > 0;
  const stalled =
    statuses === null ||
    statuses.some((projection) => projection.stalled !== null || projection.rebuilding !== null);
  const needsModels = plays('query') || plays('projections');
  const isImpaired =
    stalled || trouble !== null || (needsModels && readModels !== null) || isLate || isFilling;
  const refusals = needs.working?.sealing.refusals() ?? [];
  const ready = health.writable && logError === null && !isImpaired && refusals.length === 0;
  return {
    status: ready ? 'ready' : 'not_ready',
    roles: config.roles,
    log: { engine: engines.ports.eventLog.name, ...health, cause: health.cause ?? logError },
    read_models: {
      engine: engines.ports.documents.name,
      records: engines.ports.records.name,
      cause:
        readModels ??
        (first === undefined ? null : fillMessage(first)) ??
        (isLate ? lagExceededMessage(lag, config.lagMaxMs) : null),
      /** Read models being filled from the log, with progress: reads of them are 503 until then. */
      filling: fillings,
      caution: needs.documents.durabilityWarning(),
      behind_seconds: lag.seconds,
    },
    duty: projectionHost.projectorState(),
    trouble,
    projections: statuses ?? [],
    bus: { engine: engines.ports.bus.name, connected: needs.bus.isConnected() },
    /** Null when this process is not a worker. Without a sandbox only scorer tasks fail. */
    sandbox: needs.working?.sandbox.state() ?? null,
    /** Deleted content still on disk, and since when. */
    erasure: { pending: pendingErasures({ working: needs.working, files: heartbeats.files }) },
    /** Problems that operators should fix although the service works. */
    warnings: [...needs.undeclaredProxies.warnings(), ...clockWarnings],
    /** Histories that are no longer sealed, and why. */
    seals: { refused: refusals },
  };
};

type ReadModelLag = { readonly name: string; readonly seconds: number };

/** The read model with the greatest lag in time. */
const greatestLag = ({ heartbeats, clock }: Needs): ReadModelLag => {
  const now = clock.milliseconds();
  let furthest: ReadModelLag = { name: '', seconds: 0 };
  for (const [name, position] of heartbeats.models.lastResult() ?? []) {
    const seconds = Math.floor(
      (now - (heartbeats.positionClock.passedAt(position) ?? now)) / 1_000,
    );
    if (seconds > furthest.seconds) furthest = { name, seconds };
  }
  return furthest;
};

const lagExceededMessage = ({ name, seconds }: ReadModelLag, lagMaxMs: number): string =>
  `${name} is ${seconds} s behind the log, more than ASSAY_LAG_MAX (${lagMaxMs / 1_000} s)`;
