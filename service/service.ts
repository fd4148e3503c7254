import { rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { choiceOf, masked, type Config } from '../config.js';
import { openTurns } from '../kernel/turns.js';
import { rotateKeys, type Rotated } from '../command-api/integrations/rotate.js';
import { bootstrap } from '../command-api/bootstrap/bootstrap.js';
import { openMemory, rightsSubject, type Memory } from '../command-api/access/remember.js';
import { bearsRights } from '../command-api/access/rights.js';
import { openPasswords } from '../engines/argon2/passwords.js';
import { openVault } from '../engines/node/vault.js';
import { currentAsking } from '../engines/node/asking.js';
import { openSecrets } from '../engines/node/secrets.js';
import { openSlices } from '../engines/node/loop-turns.js';
import { systemClock } from '../engines/node/clock.js';
import { diskFiles } from '../engines/node/files.js';
import { randomIds } from '../engines/node/ids.js';
import { openEngines, serviceFile, type Engines } from '../engines/open.js';
import { startOps } from '../engines/koa/ops.js';
import { openLogger, type Logger } from '../engines/pino/logger.js';
import { openMetrics, type Metrics } from '../engines/prometheus/metrics.js';
import { secretMembers } from '../contract/secrets.js';
import { operations } from '../contract/all.js';
import { openFairLine } from '../kernel/fair.js';
import { Fault } from '../kernel/fault.js';
import type { Json } from '../kernel/shapes.js';
import type { Bus, Clock, EventLog, Position } from '../kernel/ports.js';
import { projections } from '../projections/all.js';
import { openFreshness } from '../projections/freshness.js';
import type { Projector } from '../projections/operate.js';
import { recordsCollection } from '../projections/records/collection.js';
import { recordAnswers } from '../query-api/records/answers.js';
import { answersFor, documentsFor, recordsFor } from './asked.js';
import { secretKey } from './secret-key.js';
import { startApi } from './api.js';
import { rotateCommand } from '../cli/keys.js';
import { openPacing } from './pacing.js';
import { watchFatal, openDisposers, openEngineWait } from './lifecycle.js';
import {
  builtAnew,
  projectAlone,
  projectNothing,
  projectUnderLease,
  sayExchanged,
  type Projecting,
} from './projecting.js';
import { readiness } from './readiness.js';
import { startWorkers } from './workers.js';

/** A running service: what `assay serve`, the demo and the tests hold. */
export type Service = {
  /** Of the API; empty when this process plays neither command nor query. */
  readonly url: string;
  readonly opsUrl: string;
  readonly projector: Projector;
  /** Resolves once every read model has passed the log's head as of the call. */
  settled(): Promise<void>;
  /** Rejects when the service can no longer do its work: the process should end with code 70. */
  readonly fatal: Promise<never>;
  close(): Promise<void>;
};

export type ServiceOptions = {
  /** Tests: an answer that is not as its schema promises is a defect. */
  readonly strict?: boolean;
  /** Told of a key that was minted, before it works and before it can no longer be replaced. */
  readonly sayKey?: (key: string, email: string, url: string) => void;
};

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
  try {
    return await startIn(config, options, engines, logger, open);
  } catch (error) {
    // A port that is taken must not leave threads and files open behind it.
    await open.close().catch(() => null);
    throw error;
  }
};

const startIn = async (
  config: Config,
  options: ServiceOptions,
  engines: Engines,
  logger: Logger,
  open: ReturnType<typeof openDisposers>,
): Promise<Service> => {
  const clock = systemClock;
  const ids = randomIds;
  const metrics = openMetrics();
  const plays = (role: Config['roles'][number]): boolean => config.roles.includes(role);
  const {
    eventLog,
    documents: documentsEngine,
    records: recordsEngine,
    bus: busName,
  } = engines.names;
  logger.info(
    masked(config),
    `engines eventLog=${eventLog} documents=${documentsEngine} ` +
      `records=${recordsEngine} bus=${busName}`,
  );
  const [host, opsHost] = [config.host, config.opsHost].map((one) =>
    one.includes(':') ? `[${one}]` : one,
  );
  const waiting = openEngineWait(clock, logger);
  const { patiently } = waiting;
  let ready: () => Promise<{ readonly status: string }> = async () => ({
    status: 'starting',
    waiting_for: waiting.for(),
  });
  let projecting: Projecting = projectNothing();
  let rotate: (() => Promise<Rotated>) | null = null;
  const ops = await startOps({
    host: config.opsHost,
    port: config.opsPort,
    token: config.opsToken,
    ready: () => ready(),
    metrics,
    logger,
    operate: async (command, request) =>
      command === rotateCommand
        ? ((await rotate?.()) ?? null)
        : operated(projecting, command, request),
  });
  open.add('the operators’ listener', () => ops.close());

  const secrets = openSecrets(await patiently('the log', () => secretKey(config, engines.dir)));
  const bus = await patiently('the bus', () => engines.bus(secrets.hintSpace));
  open.add('the bus', () => bus.close());
  const opened = await patiently('the log', () => engines.log(bus));
  const memory = openMemory(clock);
  const written = told(timed(opened, clock, metrics), bus, memory);
  open.add('the log', () => written.close());
  const pacing = openPacing({
    bus,
    clock,
    metrics,
    alone: engines.embedded,
    head: await written.head(),
  });
  const log = pacing.paced(written);
  const passwords = openPasswords({ pepper: secrets.passwordPepper, clock });
  const dataKeys = await patiently('the data keys', () => engines.dataKeys());
  open.add('the data keys', () => dataKeys.close());
  const vault = openVault({
    keys: dataKeys,
    clock,
    ids,
    ...secrets,
  });
  const needs = { log, ids, clock, secrets, passwords, vault, inTurn: openTurns() };
  rotate = () => rotateKeys(needs);
  const bootstrapped = plays('command')
    ? await patiently('the log', () => bootstrap(needs, config.bootstrap))
    : null;
  // A key that the operator chose is known to them already; it works as soon as somebody can call.
  if (bootstrapped?.minted === null) await bootstrapped.finish();

  projecting = await startProjecting({
    config,
    engines,
    hintSpace: secrets.hintSpace,
    logger,
    metrics,
    open,
  });
  // The only process that folds answers nothing from a part of a log.
  if (projecting.duty() === 'folding') {
    await patiently('the read models', () => builtAnew(projecting.projector));
  }
  const readModels = await patiently('the read models', () => engines.documents('read'));
  open.add('the read models', () => readModels.close());
  const found = projecting.records ?? (await patiently('the records', () => engines.records()));
  if (projecting.records === null) open.add('the records', () => found.close());
  const documents = documentsFor(readModels, currentAsking);
  const { atOnce, ofProject, waiting: waitsMax } = shareOf(recordsEngine, config.poolThreads);
  const line = openFairLine(atOnce, ofProject, waitsMax);
  const records = recordsFor(found, currentAsking, line);
  const made = projecting.answers ?? recordAnswers({ records: found, inSlices: openSlices() });
  const answers = answersFor(made, currentAsking, line);
  const checkpoints = new Map<string, () => Promise<Position>>([
    ...projections.map(
      ({ collection }) => [collection.name, () => documents.checkpoint(collection)] as const,
    ),
    [recordsCollection.name, () => records.checkpoint()] as const,
  ]);
  const freshness = openFreshness({ reader: log, checkpoints, bus, clock, ...pacing.known });
  if (plays('projections') || plays('query')) pacing.follow(() => records.checkpoint());
  metrics.beforeScrape(async () => {
    for (const { name, lag_events, lag_seconds, parked } of await projecting.projector.status()) {
      metrics.lag(name, lag_events, lag_seconds);
      metrics.parked(name, parked);
    }
  });

  const api =
    plays('command') || plays('query')
      ? await startApi({
          config,
          strict: options.strict === true,
          alone: engines.embedded,
          collections: [...checkpoints.keys()],
          needs: { ...needs, documents, records, answers, freshness, bus, memory },
          logger,
          metrics,
        })
      : null;
  if (api !== null) open.begin('the API', () => api.close());
  const url = api === null ? '' : `http://${host}:${api.port}`;
  if (bootstrapped !== null && bootstrapped.minted !== null) {
    options.sayKey?.(bootstrapped.minted, bootstrapped.email, url);
    await bootstrapped.finish();
  }
  const sandbox = plays('worker')
    ? await startWorkers({ ...needs, documents, records, freshness, bus, engines, logger, open })
    : null;
  ready = () =>
    readiness({ config, engines, log, documents, bus, projecting, sandbox, checkpoints });
  const ports = { port: api?.port ?? 0, ops_port: ops.port };
  if (engines.embedded) await sayWhere(engines.dir, ports, open);
  logger.info({ ...ports, dir: engines.dir, roles: config.roles }, 'ready');
  return {
    url,
    opsUrl: `http://${opsHost}:${ops.port}`,
    projector: projecting.projector,
    settled: async () => {
      await freshness.reached([...checkpoints.keys()], await log.head());
    },
    fatal: watchFatal(log, projecting.ended, logger),
    close: () => {
      logger.info({}, 'stopping');
      ready = async () => ({ status: 'stopping' });
      pacing.stop();
      return open.close();
    },
  };
};

/**
 * Questions about records that are at work, in all and of one project, and that wait beside. DuckDB
 * works on two cores, and each question at work holds one of the threads that the process has for
 * this, passwords and files. Of node's usual four one stays for the projections; with the twelve of
 * `npm start` and the image three projects have their share at once.
 */
const shareOf = (engine: 'duckdb' | 'mongodb', poolThreads: number) => {
  if (engine === 'mongodb') return { atOnce: 16, ofProject: 4, waiting: 64 };
  return { atOnce: poolThreads < 8 ? 3 : 6, ofProject: 2, waiting: 66 };
};

const startProjecting = async ({
  config,
  engines,
  hintSpace,
  logger,
  metrics,
  open,
}: {
  readonly config: Config;
  readonly engines: Engines;
  readonly hintSpace: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly open: ReturnType<typeof openDisposers>;
}): Promise<Projecting> => {
  if (!config.roles.includes('projections')) return projectNothing();
  const choice = choiceOf(config);
  if (engines.names.records === 'duckdb') {
    const projecting = await projectAlone(choice, hintSpace, {
      incident: (incident) => {
        const { kind, did } = incident;
        metrics.incident(kind, did);
        // The failure of a question is told with its request.
        if (did !== 'nothing') logger.error(incident, `the records were ${did}`);
      },
      exchanged: sayExchanged(logger),
    });
    open.begin('operators’ works', () => projecting.projector.giveUp());
    open.add('the projections', () => projecting.stop());
    return projecting;
  }
  const leases = await engines.leases();
  open.add('leases', () => leases.close());
  const projecting = projectUnderLease({
    choice,
    hintSpace,
    leases,
    holder: `${hostname()} ${process.pid} ${randomIds.next('ProcessId')}`,
    clock: systemClock,
    logger,
  });
  open.begin('operators’ works', () => projecting.projector.giveUp());
  open.add('the projections', () => projecting.stop());
  return projecting;
};

/** For the operator's commands on this machine. */
const sayWhere = async (
  dir: string,
  ports: { readonly port: number; readonly ops_port: number },
  open: ReturnType<typeof openDisposers>,
): Promise<void> => {
  const file = serviceFile(dir);
  await diskFiles.write(file, Buffer.from(JSON.stringify({ pid: process.pid, ...ports })));
  open.add('the service file', () => rm(file, { force: true }));
};

/** Counts how long appends take until they are durable. */
const timed = (log: EventLog, clock: Clock, metrics: Metrics): EventLog => ({
  ...log,
  append: async (batch) => {
    const began = clock.milliseconds();
    const results = await log.append(batch);
    metrics.append((clock.milliseconds() - began) / 1_000);
    return results;
  },
});

/** What is remembered of people, keys or logins goes at once here, and elsewhere by a hint. */
const told = (log: EventLog, bus: Bus, memory: Pick<Memory, 'forget'>): EventLog => ({
  ...log,
  append: async (batch) => {
    const results = await log.append(batch);
    // What begins was not remembered: that there is none never is.
    const changed = batch.some(
      ({ stream, expected }) => expected !== 'none' && bearsRights(stream),
    );
    if (changed) {
      memory.forget();
      bus.publish(rightsSubject, null);
    }
    return results;
  },
});

const operated = async (
  { duty, projector }: Projecting,
  command: string,
  request: unknown,
): Promise<Json | null> => {
  const { name = null, stream } = (request ?? {}) as { name?: string | null; stream?: string };
  if (duty() !== 'folding') throw new Fault('unavailable', `${elsewhere[duty()]}; ask that one`);
  switch (command) {
    case 'status':
      return await projector.status();
    case 'rebuild':
      await projector.rebuild(name);
      return await projector.status();
    case 'verify':
      return await projector.verify(name);
    case 'parked':
      return await projector.parked();
    case 'retry':
    case 'skip':
      if (name === null || stream === undefined) return null;
      return projector[command](name, stream as never);
    default:
      return null;
  }
};

const elsewhere = {
  folding: '',
  standby: 'another process has the lease of the projections',
  elsewhere: 'another process plays the role projections',
} as const;
