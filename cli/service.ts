import { rm } from 'node:fs/promises';
import { masked, type Config } from '../config.js';
import { startErasing } from '../command-api/erasures/worker.js';
import { bootstrap } from '../command-api/bootstrap/bootstrap.js';
import { openGate } from '../command-api/access/gate.js';
import { openIdempotency } from '../command-api/idempotency/once.js';
import { secretMembers } from '../contract/secrets.js';
import { systemClock } from '../engines/node/clock.js';
import { diskFiles } from '../engines/node/files.js';
import { randomIds } from '../engines/node/ids.js';
import { openSecrets, secretKeyOf } from '../engines/node/secrets.js';
import { openFolder, erasingFile, secretKeyFile, serviceFile } from '../engines/open.js';
import { startOps } from '../engines/koa/ops.js';
import { startServer } from '../engines/koa/server.js';
import { openLogger, type Logger } from '../engines/pino/logger.js';
import { openMetrics, type Metrics } from '../engines/prometheus/metrics.js';
import type { Json } from '../kernel/shapes.js';
import type { Clock, EventLog } from '../kernel/ports.js';
import { projections } from '../projections/all.js';
import { openFreshness } from '../projections/freshness.js';
import type { Projector } from '../projections/operate.js';
import { recordsCollection } from '../projections/records/collection.js';
import { operations } from '../contract/all.js';
import { startReadSide } from './read-side.js';
import { routesOf } from './routes.js';

/** A running service: what `assay serve`, the demo and the tests hold. */
export type Service = {
  readonly url: string;
  readonly opsUrl: string;
  readonly projector: Projector;
  /** Resolves once every read model has passed the log's head as of the call. */
  settled(): Promise<void>;
  /** Rejects when the service can no longer do its work: the process should end with code 70. */
  readonly doomed: Promise<never>;
  close(): Promise<void>;
};

type Options = {
  /** Tests: an answer that is not as its schema promises is a defect. */
  readonly strict?: boolean;
  /** Told of a key that was minted, before it works and before it can no longer be replaced. */
  readonly sayKey?: (key: string, email: string, url: string) => void;
};

/** Opens one data folder and serves it; throws Fault `conflict` when another process holds it. */
export const startService = async (config: Config, options: Options = {}): Promise<Service> => {
  const logger = openLogger({ level: config.logLevel, secrets: secretMembers(operations) });
  const folder = await openFolder(config.dataDir);
  const unlock = folder.lock();
  const key =
    config.secretKey === null
      ? await secretKeyOf(diskFiles, secretKeyFile(folder.dir))
      : Buffer.from(config.secretKey, 'base64');
  const secrets = openSecrets(key);
  const bus = folder.bus();
  const clock = systemClock;
  const metrics = openMetrics();
  const log = timed(await folder.log(bus), clock, metrics);
  const ids = randomIds;
  logger.info(
    { ...masked(config), engine: 'embedded' },
    'engines eventLog=sqlite documents=sqlite records=duckdb bus=memory (single machine)',
  );
  const bootstrapped = await bootstrap({ log, ids, clock, secrets }, config.bootstrap);
  // A key that the operator chose is known to them already; it works as soon as somebody can call.
  if (bootstrapped.minted === null) await bootstrapped.finish();
  const readSide = await startReadSide(folder.dir);
  const { records, projector } = readSide;
  const documents = await folder.documents('read');
  const checkpoints = new Map([
    ...projections.map(
      ({ collection }) => [collection.name, () => documents.checkpoint(collection)] as const,
    ),
    [recordsCollection.name, () => records.checkpoint()] as const,
  ]);
  const freshness = openFreshness({ reader: log, checkpoints, bus, clock });
  /** A port that is taken must not leave threads and files open behind it. */
  const undone = async (error: unknown): Promise<never> => {
    await readSide.stop();
    await documents.close();
    await log.close();
    await bus.close();
    unlock();
    throw error;
  };
  const gate = openGate({ log, clock, secrets, sights: {} });
  const server = await startServer({
    routes: routesOf({ log, documents, records, freshness, gate, ids, clock, secrets }),
    gate,
    idempotency: openIdempotency({ log, ids }),
    freshness,
    clock,
    ids,
    logger,
    metrics,
    host: config.host,
    port: config.port,
    keyHeaders: config.apiKeyHeaders,
    collections: [...checkpoints.keys()],
    strict: options.strict === true,
  }).catch(undone);
  metrics.beforeScrape(async () => {
    for (const { name, lag_events, lag_seconds, parked } of await projector.status()) {
      metrics.lag(name, lag_events, lag_seconds);
      metrics.parked(name, parked);
    }
  });
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  const url = `http://${host}:${server.port}`;
  if (bootstrapped.minted !== null) {
    options.sayKey?.(bootstrapped.minted, bootstrapped.email, url);
    await bootstrapped.finish();
  }
  const ops = await startOps({
    host: config.host,
    port: config.opsPort,
    ready: () => readiness(log, projector),
    metrics,
    logger,
    operate: (command, request) => operated(projector, command, request),
  }).catch(async (error: unknown) => {
    await server.close();
    return undone(error);
  });
  const erasing = startErasing({
    log,
    clock,
    ids,
    files: diskFiles,
    path: erasingFile(folder.dir),
    trouble: (error) => logger.error({ cause: String(error) }, 'erasing what was deleted failed'),
  });
  await diskFiles.write(
    serviceFile(folder.dir),
    Buffer.from(JSON.stringify({ pid: process.pid, port: server.port, ops_port: ops.port })),
  );
  const doomed = doom(log, readSide.ended, logger);
  doomed.catch(() => null);
  logger.info({ port: server.port, ops_port: ops.port, dir: folder.dir }, 'ready');
  return {
    url,
    opsUrl: `http://${host}:${ops.port}`,
    projector,
    settled: async () => {
      await freshness.reached([...checkpoints.keys()], await log.head());
    },
    doomed,
    close: async () => {
      await server.close();
      await erasing.stop();
      await readSide.stop();
      await ops.close();
      await documents.close();
      await log.close();
      await bus.close();
      await rm(serviceFile(folder.dir), { force: true });
      unlock();
    },
  };
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

/**
 * `ready` exactly when the log takes writes and no projection stands still; the rest says what is
 * wrong.
 */
const readiness = async (log: EventLog, projector: Projector) => {
  const health = log.health();
  const statuses = await projector.status();
  const stalled = statuses.filter((one) => one.stalled !== null);
  return {
    status: health.writable && stalled.length === 0 ? 'ready' : 'not_ready',
    log: health,
    projections: statuses,
    bus: 'memory',
    /** Scorers are not served by this version. */
    sandbox: null,
  };
};

const operated = async (
  projector: Projector,
  command: string,
  request: unknown,
): Promise<Json | null> => {
  const { name = null, stream } = (request ?? {}) as { name?: string | null; stream?: string };
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

/** How often a fatal log is looked for: the process must be gone within a second (target A4). */
const healthIntervalMs = 200;

const doom = (log: EventLog, readSideEnded: Promise<void>, logger: Logger): Promise<never> =>
  new Promise<never>((_resolve, reject) => {
    const timer = setInterval(() => {
      const { fatal, cause } = log.health();
      if (!fatal) return;
      clearInterval(timer);
      logger.error({ cause }, 'the log cannot be trusted any more; ending');
      reject(new Error(`the log failed: ${cause}`));
    }, healthIntervalMs).unref();
    readSideEnded.catch((error: unknown) => {
      logger.error({ cause: String(error) }, 'the read side died; ending');
      reject(error instanceof Error ? error : new Error(String(error)));
    });
  });
