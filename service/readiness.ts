import type { Config } from '../config.js';
import type { Engines } from '../engines/open.js';
import { reasonOf } from '../kernel/fault.js';
import type { Bus, EventLog, Position } from '../kernel/ports.js';
import type { Documents } from '../kernel/documents.js';
import type { Projecting } from './projecting.js';
import type { Working } from './workers.js';

type Needs = {
  readonly config: Config;
  readonly engines: Engines;
  readonly log: EventLog;
  readonly documents: Documents;
  readonly bus: Bus;
  readonly projecting: Projecting;
  /** Null: this process is no worker. */
  readonly working: Working | null;
  readonly checkpoints: ReadonlyMap<string, () => Promise<Position>>;
};

/**
 * `ready` exactly when this process can do what its roles promise: the log answers and takes
 * writes, the read models that it serves answer, and no projection that it folds stands still or is
 * built anew, and no history that it seals contradicts itself. The rest says what is wrong.
 */
export const readiness = async (needs: Needs) => {
  const { config, engines, log, projecting } = needs;
  const plays = (role: Config['roles'][number]): boolean => config.roles.includes(role);
  const health = log.health();
  const reached = await answers(() => log.head());
  const readModels = await answers(() => allOf(needs.checkpoints));
  const statuses = await projecting.projector.status().catch(() => null);
  const stalled =
    statuses === null || statuses.some((one) => one.stalled !== null || one.rebuilding !== null);
  const needsModels = plays('query') || plays('projections');
  const lame = stalled || projecting.trouble() !== null || (needsModels && readModels !== null);
  const refusals = needs.working?.sealing.refusals() ?? [];
  const ready = health.writable && reached === null && !lame && refusals.length === 0;
  return {
    status: ready ? 'ready' : 'not_ready',
    roles: config.roles,
    log: { engine: engines.names.eventLog, ...health, cause: health.cause ?? reached },
    read_models: {
      engine: engines.names.documents,
      cause: readModels,
      caution: needs.documents.caution(),
    },
    duty: projecting.duty(),
    trouble: projecting.trouble(),
    projections: statuses ?? [],
    bus: { engine: engines.names.bus, connected: needs.bus.isConnected() },
    /**
     * Null: this process is no worker. Without a sandbox scorer tasks fail, and nothing else does.
     */
    sandbox: needs.working?.sandbox.state() ?? null,
    /** Histories that are not sealed any more, and why. */
    seals: { refused: refusals },
  };
};

/** Null when it does; otherwise why not. */
const answers = (ask: () => Promise<unknown>): Promise<string | null> =>
  ask().then(
    () => null,
    (error: unknown) => reasonOf(error),
  );

const allOf = (checkpoints: ReadonlyMap<string, () => Promise<Position>>) =>
  Promise.all([...checkpoints.values()].map((checkpoint) => checkpoint()));
