import type { Config } from '../config.js';
import type { Engines } from '../engines/open.js';
import type { Bus, Clock, EventLog, Position } from '../kernel/ports.js';
import type { Documents } from '../kernel/documents.js';
import { fillingSentence, type FillingWatch } from '../projections/filling.js';
import type { ClockWatch } from './clock-watch.js';
import { pendingErasures } from './pending-erasures.js';
import type { Projecting } from './projecting.js';
import type { Pulse } from './pulse.js';
import type { Pulses } from './pulses.js';
import type { UndeclaredProxies } from './undeclared-proxies.js';
import type { Working } from './workers.js';

type Needs = {
  readonly config: Config;
  readonly engines: Engines;
  readonly log: Pick<EventLog, 'health'>;
  readonly documents: Pick<Documents, 'caution'>;
  readonly bus: Pick<Bus, 'isConnected'>;
  readonly projecting: Projecting;
  readonly filling: Pick<FillingWatch, 'all'>;
  /** Null: this process is no worker. */
  readonly working: Working | null;
  readonly pulses: Pick<Pulses, 'log' | 'status' | 'times' | 'files'> & {
    /** How far each read model is, by name. */
    readonly models: Pulse<ReadonlyMap<string, Position>>;
  };
  readonly clock: Clock;
  readonly clockWatch: ClockWatch;
  readonly undeclaredProxies: UndeclaredProxies;
};

/** Whoever asks is answered within a second, from what is known where nothing newer comes. */
const lookMs = 700;

/**
 * `ready` exactly when this process can do what its roles promise: the log answers and takes
 * writes, the read models that it serves answer, are whole and not too far behind, no projection
 * that it folds stands still or is filled from the log, and no history that it seals contradicts
 * itself. The rest says what is wrong.
 */
export const readiness = async (needs: Needs) => {
  const { config, engines, log, projecting, pulses } = needs;
  const plays = (role: Config['roles'][number]): boolean => config.roles.includes(role);
  const [clockWarnings] = await Promise.all([
    needs.clockWatch.warnings(lookMs),
    ...[pulses.log, pulses.models, pulses.status, pulses.files].map(({ look }) => look(lookMs)),
  ]);
  const health = log.health();
  const reached = pulses.log.trouble();
  const readModels = pulses.models.trouble();
  const statuses = pulses.status.known();
  const trouble = projecting.trouble() ?? pulses.status.trouble();
  const behind = furthestBehind(needs);
  const isLate = plays('query') && behind.seconds * 1_000 > config.lagMaxMs;
  const fillings = needs.filling.all();
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
        (first === undefined ? null : fillingSentence(first)) ??
        (isLate ? lateness(behind, config.lagMaxMs) : null),
      /** What is filled from the log, and how far that is: read from it is 503 until then. */
      filling: fillings,
      caution: needs.documents.caution(),
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
    erasure: { pending: pendingErasures({ working: needs.working, files: pulses.files }) },
    /** What an operator should mend, although the service can do its work. */
    warnings: [...needs.undeclaredProxies.warnings(), ...clockWarnings],
    /** Histories that are not sealed any more, and why. */
    seals: { refused: refusals },
  };
};

type Behind = { readonly name: string; readonly seconds: number };

/** The read model that has lacked an event of the log for longest, and for how long it is known. */
const furthestBehind = ({ pulses, clock }: Needs): Behind => {
  const now = clock.milliseconds();
  let furthest: Behind = { name: '', seconds: 0 };
  for (const [name, position] of pulses.models.known() ?? []) {
    const seconds = Math.floor((now - (pulses.times.passed(position) ?? now)) / 1_000);
    if (seconds > furthest.seconds) furthest = { name, seconds };
  }
  return furthest;
};

const lateness = ({ name, seconds }: Behind, lagMaxMs: number): string =>
  `${name} is ${seconds} s behind the log, more than ASSAY_LAG_MAX (${lagMaxMs / 1_000} s)`;
