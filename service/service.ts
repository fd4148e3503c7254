import { rm } from 'node:fs/promises';
import { masked, type Config } from '../config.js';
import { bootstrap } from '../command-api/bootstrap/bootstrap.js';
import { rotateKeys } from '../command-api/integrations/rotate.js';
import { operations } from '../contract/all.js';
import { secretMembers } from '../contract/secrets.js';
import { systemClock } from '../engines/node/clock.js';
import type { RunningApi } from '../engines/koa/server.js';
import { diskFiles } from '../engines/node/files.js';
import { openEngines, serviceFile } from '../engines/open.js';
import { openLogger } from '../engines/pino/logger.js';
import { openMetrics } from '../engines/prometheus/metrics.js';
import type { Projector } from '../projections/operate.js';
import { startApi, type ApiStart } from './api.js';
import { watchFatal, openDisposers, openEngineWait } from './lifecycle.js';
import { measureReadModels } from './measuring.js';
import { startOperating } from './operating.js';
import { openFillingWatch } from '../projections/filling.js';
import { waitMaxMs } from '../projections/freshness.js';
import { recordsCollection } from '../projections/records/collection.js';
import { startProjecting } from './projecting.js';
import { measureErasures, pendingErasures } from './pending-erasures.js';
import { openPulses } from './pulses.js';
import { openReadModels } from './read-models.js';
import { readiness } from './readiness.js';
import { withReplica } from './replica.js';
import { plays, type Starting } from './starting.js';
import { openClockWatch } from './clock-watch.js';
import { openUndeclaredProxies } from './undeclared-proxies.js';
import { startWorkers } from './workers.js';
import { openWriteSide } from './write-side.js';

/** A running service: what `assay serve`, the demo and the tests hold. */
export type Service = {
  /** Of the API; empty when this process plays neither command nor query. */
  readonly url: string;
  readonly opsUrl: string;
  readonly projector: Projector;
  /**
   * Resolves once every read model has passed the log's head as of the call: those that are filled
   * are waited for, a minute at most.
   */
  settled(): Promise<void>;
  /** Rejects when the service can no longer do its work: the process should end with code 70. */
  readonly fatal: Promise<never>;
  close(): Promise<void>;
};

type ServiceOptions = {
  /** Tests: an answer that is not as its schema promises is a defect. */
  readonly strict?: boolean;
  /** Told of a key that was minted, before it works and before it can no longer be replaced. */
  readonly sayKey?: (key: string, email: string, url: string) => void;
};

/** What tests and the demo fill from a log takes seconds. */
const settledWithinMs = 60_000;

/**
 * Opens the engines and plays the roles of this process. With embedded engines it throws Fault
 * `conflict` when another process holds the data folder; engines elsewhere are waited for.
 */
export const startService = async (
  config: Config,
  options: ServiceOptions = {},
): Promise<Service> => {
  const logger = openLogger({ level: config.logLevel, secrets: secretMembers(operations) });
  const engines = await openEngines(config);
  const open = openDisposers(systemClock, logger);
  open.add('the folder', engines.lock());
  const waiting = openEngineWait(systemClock, logger);
  try {
    return await startIn(
      { config, engines, logger, metrics: openMetrics(), open, waiting },
      options,
    );
  } catch (error) {
    // A port that is taken must not leave threads and files open behind it.
    await open.close().catch(() => null);
    throw error;
  }
};

const startIn = async (starting: Starting, options: ServiceOptions): Promise<Service> => {
  const { config, engines, logger, metrics, open, waiting } = starting;
  sayEngines(starting);
  const { operated, port: opsPort } = await startOperating(starting);
  const { needs, pacing } = await openWriteSide(starting);
  const { log, bus, clock } = needs;
  operated.rotate = () => rotateKeys(needs);
  operated.recording = needs;
  const bootstrapped = plays(config, 'command')
    ? await waiting.patiently('the log', () => bootstrap(needs, config.bootstrap))
    : null;
  // A key that the operator chose is known to them already; it works as soon as somebody can call.
  if (bootstrapped?.minted === null) await bootstrapped.finish();

  const filling = openFillingWatch({ reader: log, clock });
  const dropped = (): void => filling.suspect(recordsCollection.name);
  const lists = await startProjecting(starting, needs.secrets.hintSpace, dropped);
  const projecting = await withReplica(starting, lists, { bus, dropped });
  const { projector } = projecting;
  operated.projecting = projecting;
  const pulses = openPulses(starting, log, clock, projector);
  const { heeded, signal } = pulses;
  const asked = { log: heeded, bus, clock, pacing, projecting, filling, signal };
  const { checkpoints, pulse, ...readers } = await openReadModels(starting, asked);
  measureReadModels(metrics, log, pulses.status);

  const collections = [...checkpoints.keys()];
  const answering = { collections, needs: { ...needs, log: heeded, ...readers } };
  const undeclaredProxies = openUndeclaredProxies(clock);
  const api = await served(starting, options, { ...answering, undeclaredProxies });
  const url = api === null ? '' : `http://${bracketed(config.host)}:${api.port}`;
  if (bootstrapped !== null && bootstrapped.minted !== null) {
    options.sayKey?.(bootstrapped.minted, bootstrapped.email, url);
    await bootstrapped.finish();
  }
  const working = plays(config, 'worker')
    ? await startWorkers({ ...needs, ...readers, config, engines, logger, metrics, open })
    : null;
  const { files } = pulses;
  measureErasures(metrics, clock, () => pendingErasures({ working, files }));
  if (working !== null) operated.seal = working.sealing.sealNow;
  const { documents, freshness } = readers;
  const known = { config, engines, log, documents, bus, projecting, working, filling, clock };
  const clockWatch = openClockWatch(log, clock);
  operated.ready = () =>
    readiness({ ...known, undeclaredProxies, clockWatch, pulses: { ...pulses, models: pulse } });
  const ports = { port: api?.port ?? 0, ops_port: opsPort };
  if (engines.embedded) await sayWhere(engines.dir, ports, open);
  logger.info({ ...ports, dir: engines.dir, roles: config.roles }, 'ready');
  void api?.warm();
  return {
    url,
    opsUrl: `http://${bracketed(config.opsHost)}:${opsPort}`,
    projector,
    settled: async () => {
      const atMostMs = filling.all().length > 0 ? settledWithinMs : waitMaxMs;
      await freshness.reached(collections, await log.head(), { atMostMs });
    },
    fatal: watchFatal(log, projecting.ended, logger),
    close: () => {
      logger.info({}, 'stopping');
      operated.ready = async () => ({ status: 'stopping' });
      pacing.stop();
      return open.close();
    },
  };
};

/** Null: this process answers nobody. */
const served = async (
  { config, engines, logger, metrics, open }: Starting,
  { strict = false }: ServiceOptions,
  answering: Pick<ApiStart, 'collections' | 'needs' | 'undeclaredProxies'>,
): Promise<RunningApi | null> => {
  if (!plays(config, 'command', 'query')) return null;
  const alone = engines.embedded;
  const api = await startApi({ config, strict, alone, logger, metrics, ...answering });
  open.begin('the API', () => api.close());
  return api;
};

const sayEngines = ({ config, engines, logger }: Starting): void => {
  const { eventLog, documents, records, bus } = engines.names;
  logger.info(
    masked(config),
    `engines eventLog=${eventLog} documents=${documents} records=${records} bus=${bus}`,
  );
};

/** A host as addresses write it. */
const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** For the operator's commands on this machine. */
const sayWhere = async (
  dir: string,
  ports: { readonly port: number; readonly ops_port: number },
  open: Starting['open'],
): Promise<void> => {
  const file = serviceFile(dir);
  await diskFiles.write(file, Buffer.from(JSON.stringify({ pid: process.pid, ...ports })));
  open.add('the service file', () => rm(file, { force: true }));
};
