import type { Config } from '../config.js';
import type { Engines } from '../engines/open.js';
import type { NotificationBus, Clock, EventLog, Position } from '../kernel/ports.js';
import type { Documents } from '../kernel/documents.js';
import { fillMessage, type FillMonitor } from '../projections/fill-monitor.js';
import type { ClockSkewMonitor } from './clock-skew.js';
import { pendingErasures } from './pending-erasures.js';
import type { ProjectionHost } from './projection-host.js';
import type { HealthProbe } from './health-probe.js';
import type { EngineHeartbeats } from './engine-heartbeats.js';
import type { UndeclaredProxies } from './undeclared-proxies.js';
import type { WorkersStatus } from './workers.js';

type Needs = {
  readonly config: Config;
  readonly engines: Engines;
  readonly log: Pick<EventLog, 'health'>;
  readonly documents: Pick<Documents, 'durabilityWarning'>;
  readonly bus: Pick<NotificationBus, 'isConnected'>;
  readonly projecting: ProjectionHost;
  readonly filling: Pick<FillMonitor, 'allProgress'>;
  /** Null: this process is no worker. */
  readonly working: WorkersStatus | null;
  readonly heartbeats: Pick<EngineHeartbeats, 'log' | 'status' | 'positionClock' | 'files'> & {
    /** How far each read model is, by name. */
    readonly models: HealthProbe<ReadonlyMap<string, Position>>;
  };
  readonly clock: Clock;
  readonly clockSkew: ClockSkewMonitor;
  readonly undeclaredProxies: UndeclaredProxies;
};

/** Whoever asks is answered within a second, from what is known where nothing newer comes. */
const probeWaitMs = 700;

/**
 * `ready` exactly when this process can do what its roles promise: the log answers and takes
 * writes, the read models that it serves answer, are whole and not too far behind, no projection
 * that it folds stands still or is filled from the log, and no history that it seals contradicts
 * itself. The rest says what is wrong.
 */
export const checkReadiness = async (needs: Needs) => {
  const { config, engines, log, projecting, heartbeats } = needs;
  const plays = (role: Config['roles'][number]): boolean => config.roles.includes(role);
  const [clockWarnings] = await Promise.all([
    needs.clockSkew.warnings(probeWaitMs),
    ...[heartbeats.log, heartbeats.models, heartbeats.status, heartbeats.files].map(
      ({ probeNow }) => probeNow(probeWaitMs),
    ),
  ]);
  const health = log.health();
  const reached = heartbeats.log.lastError();
  const readModels = heartbeats.models.lastError();
  const statuses = heartbeats.status.lastResult();
  const trouble = projecting.trouble() ?? heartbeats.status.lastError();
  const behind = greatestLag(needs);
  const isLate = plays('query') && behind.seconds * 1_000 > config.lagMaxMs;
  const fillings = needs.filling.allProgress();
  const [first] = fillings;
  const isFilling = plays('query') && fillings.length > 0;
  const stalled =
    statuses === null || statuses.some((one) => one.stalled !== null || one.rebuilding !== null);
  const needsModels = plays('query') || plays('projections');
  const lame =
    stalled || trouble !== null || (needsModels && readModels !== null) || isLate || isFilling;
  const refusals = needs.working?.sealing.refusals() ?? [];
  const ready = health.writable && reached === null && !lame && refusals.length === 0;
  return {
    status: ready ? 'ready' : 'not_ready',
    roles: config.roles,
    log: { engine: engines.names.eventLog, ...health, cause: health.cause ?? reached },
    read_models: {
      engine: engines.names.documents,
      records: engines.names.records,
      cause:
        readModels ??
        (first === undefined ? null : fillMessage(first)) ??
        (isLate ? lagExceededMessage(behind, config.lagMaxMs) : null),
      /** What is filled from the log, and how far that is: read from it is 503 until then. */
      filling: fillings,
      caution: needs.documents.durabilityWarning(),
      behind_seconds: behind.seconds,
    },
    duty: projecting.duty(),
    trouble,
    projections: statuses ?? [],
    bus: { engine: engines.names.bus, connected: needs.bus.isConnected() },
    /**
     * Null: this process is no worker. Without a sandbox scorer tasks fail, and nothing else does.
     */
    sandbox: needs.working?.sandbox.state() ?? null,
    /** Deleted content that is not gone from the disk yet, and since when. */
    erasure: { pending: pendingErasures({ working: needs.working, files: heartbeats.files }) },
    /** What an operator should mend, although the service can do its work. */
    warnings: [...needs.undeclaredProxies.warnings(), ...clockWarnings],
    /** Histories that are not sealed any more, and why. */
    seals: { refused: refusals },
  };
};

type ReadModelLag = { readonly name: string; readonly seconds: number };

/** The read model that has lacked an event of the log for longest, and for how long it is known. */
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
