import { parseJsonText } from '../kernel/json-text.js';
import { systemClock } from '../engines/node/clock.js';
import { diskFiles } from '../engines/node/files.js';
import { randomIds } from '../engines/node/ids.js';
import { openEngines, serviceFile, type Engines } from '../engines/open.js';
import { Fault } from '../kernel/fault.js';
import { choiceOf, type Config } from '../config.js';
import type { DryRun } from '../projections/dry-run.js';
import type { Progress } from '../projections/fill-shadow.js';
import type { ProjectionStatus } from '../projections/operate.js';
import type { ParkedStream } from '../projections/parking.js';
import type { RebuildWishes } from '../projections/rebuilds.js';
import type { Verified } from '../projections/verify.js';
import { operateCommand, operateLines } from './ask.js';
import { requireLog } from '../service/read-log.js';
import type { Incident } from '../kernel/records/records.js';
import { startReadSide } from '../service/read-side.js';
import { openRulings, type Ruled, type StreamRuling } from '../service/rulings.js';

/** What an operator's command needs, whether or not the service is up. */
export type Operator = {
  /** Where the work is done: in the running service, or here because none is running. */
  readonly where: 'service' | 'here';
  status(): Promise<readonly ProjectionStatus[]>;
  rebuild(
    name: string,
    progress: (progress: Progress) => void,
    wishes: RebuildWishes,
  ): Promise<void>;
  dryRun(name: string): Promise<DryRun>;
  verify(name: string | null, progress: (progress: Progress) => void): Promise<readonly Verified[]>;
  parked(): Promise<readonly ParkedStream[]>;
  /** Recorded in the log first. */
  rule(what: 'skip' | 'retry', ruling: StreamRuling): Promise<Ruled>;
  close(): Promise<void>;
};

/**
 * Only one process may own a data folder: a running service is asked on its operators' port,
 * otherwise this process takes the folder for as long as the command runs. A service of several
 * processes has no folder: `opsUrl` names the operators' listener of the one that folds.
 */
export const operator = async (config: Config, opsUrl: string | null): Promise<Operator> => {
  if (opsUrl !== null) return operatorThere(opsUrl, config);
  requireLog(config);
  const engines = await openEngines(config);
  if (!engines.embedded) {
    throw new Fault('invalid', 'say which process folds: --ops http://HOST:OPS_PORT');
  }
  try {
    const unlock = engines.lock();
    return await operatorHere(config, engines, unlock);
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'conflict') throw error;
    return operatorThere(await opsUrlOf(config, engines.dir, error), config);
  }
};

/** Where the service that holds the folder listens; throws `held` when it does not say. */
export const opsUrlOf = async (config: Config, dir: string, held: Fault): Promise<string> => {
  const host = config.opsHost.includes(':') ? `[${config.opsHost}]` : config.opsHost;
  return `http://${host}:${await opsPortOf(dir, held)}`;
};

const opsPortOf = async (dir: string, held: Fault): Promise<number> => {
  const bytes = await diskFiles.read(serviceFile(dir));
  if (bytes === null) throw held;
  return (parseJsonText(Buffer.from(bytes).toString('utf8')) as { ops_port: number }).ops_port;
};

const sayBroken = ({ file, cause }: { readonly file: string; readonly cause: string }): void =>
  void process.stderr.write(`damaged and set aside as ${file}, built anew: ${cause}\n`);
const incident = ({ kept, cause }: Incident): void => {
  if (kept !== undefined) sayBroken({ file: kept, cause });
};

const operatorHere = async (
  config: Config,
  engines: Engines,
  unlock: () => void,
): Promise<Operator> => {
  const readSide = await startReadSide(
    choiceOf(config),
    { hintSpace: null },
    { broken: sayBroken, incident },
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
    rule: async (what, ruling) => {
      const bus = await engines.bus(null);
      const log = await engines.log(bus);
      try {
        const needs = { log, clock: systemClock, ids: randomIds };
        return await openRulings(needs, projector)[what](ruling);
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

const operatorThere = (opsUrl: string, config: Config): Operator => {
  const command = operateCommand(opsUrl, config);
  const lines = operateLines(opsUrl, config);
  return {
    where: 'service',
    status: async () => (await command('status', {})) as readonly ProjectionStatus[],
    rebuild: async (name, progress, wishes) => {
      await lines('rebuild', { name, ...wishes }, (line) => progress(line as Progress));
    },
    dryRun: async (name) => (await command('rebuild', { name, dry_run: true })) as DryRun,
    verify: async (name) => (await command('verify', { name })) as readonly Verified[],
    parked: async () => (await command('parked', {})) as readonly ParkedStream[],
    rule: async (what, { projection: name, ...ruling }) =>
      (await command(what, { name, ...ruling })) as Ruled,
    close: async () => undefined,
  };
};
