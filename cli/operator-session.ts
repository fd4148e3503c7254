import { parseJsonText } from '../kernel/json-text.js';
import { systemClock } from '../engines/node/clock.js';
import { diskFiles } from '../engines/node/files.js';
import { randomIds } from '../engines/node/ids.js';
import { openEngines, serviceFile, type Engines } from '../engines/open.js';
import { Fault } from '../kernel/fault.js';
import { engineChoiceOf, type Config } from '../config.js';
import type { DryRun } from '../projections/dry-run.js';
import type { RebuildProgress } from '../projections/fill-shadow.js';
import type { ProjectionStatus } from '../projections/projector.js';
import type { ParkedStream } from '../projections/parking.js';
import type { RebuildRequest } from '../projections/rebuild-coordinator.js';
import type { VerificationResult } from '../projections/verify.js';
import { opsCaller, opsStreamCaller } from './ops-client.js';
import { requireLog } from '../service/log-reader.js';
import type { Incident } from '../kernel/records/records.js';
import { startReadSide } from '../service/read-side.js';
import {
  openParkedDecisions,
  type ParkedDecisionResult,
  type ParkedDecision,
} from '../service/parked-decisions.js';

/** Operator commands, whether or not the service is running. */
type OperatorSession = {
  /** Place of execution: the running service, or this process when none is running. */
  readonly where: 'service' | 'here';
  status(): Promise<readonly ProjectionStatus[]>;
  rebuild(
    name: string,
    progress: (progress: RebuildProgress) => void,
    wishes: RebuildRequest,
  ): Promise<void>;
  dryRun(name: string): Promise<DryRun>;
  verify(
    name: string | null,
    progress: (progress: RebuildProgress) => void,
  ): Promise<readonly VerificationResult[]>;
  parked(): Promise<readonly ParkedStream[]>;
  /** Recorded in the log first. */
  decideParked(what: 'skip' | 'retry', ruling: ParkedDecision): Promise<ParkedDecisionResult>;
  close(): Promise<void>;
};

/**
 * Only one process may own a data folder: commands go to the operators' port of a running service,
 * otherwise this process locks the folder while the command runs. A service of several processes
 * has no folder: `opsUrl` names the operators' listener of the process that folds.
 */
export const openOperatorSession = async (
  config: Config,
  opsUrl: string | null,
): Promise<OperatorSession> => {
  if (opsUrl !== null) return openRemoteSession(opsUrl, config);
  requireLog(config);
  const engines = await openEngines(config);
  if (!engines.embedded) {
    throw new Fault('invalid', 'say which process folds: --ops http://HOST:OPS_PORT');
  }
  try {
    const unlock = engines.lock();
    return await openLocalSession(config, engines, unlock);
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'conflict') throw error;
    return openRemoteSession(await opsUrlOf(config, engines.dir, error), config);
  }
};

/**
 * Address of the operators' listener of the service that holds the folder; throws `held` if it is
 * not recorded.
 */
export const opsUrlOf = async (config: Config, dir: string, held: Fault): Promise<string> => {
  const host = config.opsHost.includes(':') ? `[${config.opsHost}]` : config.opsHost;
  return `http://${host}:${await opsPortOf(dir, held)}`;
};

const opsPortOf = async (dir: string, held: Fault): Promise<number> => {
  const bytes = await diskFiles.read(serviceFile(dir));
  if (bytes === null) throw held;
  return (parseJsonText(Buffer.from(bytes).toString('utf8')) as { ops_port: number }).ops_port;
};

const reportBrokenFile = ({
  file,
  cause,
}: {
  readonly file: string;
  readonly cause: string;
}): void => void process.stderr.write(`damaged and set aside as ${file}, built anew: ${cause}\n`);
const reportIncident = ({ kept, cause }: Incident): void => {
  if (kept !== undefined) reportBrokenFile({ file: kept, cause });
};

const openLocalSession = async (
  config: Config,
  engines: Engines,
  unlock: () => void,
): Promise<OperatorSession> => {
  const readSide = await startReadSide(
    engineChoiceOf(config),
    { notificationSpace: null },
    { onBrokenFile: reportBrokenFile, onIncident: reportIncident },
  );
  const { projector } = readSide;
  const caughtUp = async (): Promise<void> => {
    const wait = new Int32Array(new SharedArrayBuffer(4));
    for (const started = systemClock.milliseconds(); ; Atomics.wait(wait, 0, 0, 20)) {
      const behind = (await projector.status()).filter(
        (one) => one.lag_events > 0 && one.stalled === null && !one.paused,
      );
      if (behind.length === 0 || systemClock.milliseconds() - started > catchUpMaxMs) return;
    }
  };
  await caughtUp();
  return {
    where: 'here',
    status: () => projector.status(),
    rebuild: (name, progress, wishes) => projector.rebuild(name, progress, wishes),
    dryRun: (name) => projector.dryRun(name),
    verify: (name, progress) => projector.verify(name, progress),
    parked: () => projector.parked(),
    decideParked: async (what, ruling) => {
      const bus = await engines.bus(null);
      const log = await engines.log(bus);
      try {
        const needs = { log, clock: systemClock, ids: randomIds };
        return await openParkedDecisions(needs, projector)[what](ruling);
      } finally {
        await log.close();
        await bus.close();
      }
    },
    close: async () => {
      await readSide.stop();
      unlock();
    },
  };
};
/**
 * A killed service may leave its read models behind the log; an hour is enough to catch up with any
 * log that fits one machine.
 */
const catchUpMaxMs = 3_600_000;

const openRemoteSession = (opsUrl: string, config: Config): OperatorSession => {
  const command = opsCaller(opsUrl, config);
  const lines = opsStreamCaller(opsUrl, config);
  return {
    where: 'service',
    status: async () => (await command('status', {})) as readonly ProjectionStatus[],
    rebuild: async (name, progress, wishes) => {
      await lines('rebuild', { name, ...wishes }, (line) => progress(line as RebuildProgress));
    },
    dryRun: async (name) => (await command('rebuild', { name, dry_run: true })) as DryRun,
    verify: async (name) => (await command('verify', { name })) as readonly VerificationResult[],
    parked: async () => (await command('parked', {})) as readonly ParkedStream[],
    decideParked: async (what, { projection: name, ...ruling }) =>
      (await command(what, { name, ...ruling })) as ParkedDecisionResult,
    close: async () => undefined,
  };
};
