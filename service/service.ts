import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { maskedConfig, type Config } from '../config.js';
import { bootstrap, type BootstrapResult } from '../command-api/bootstrap/bootstrap.js';
import { rotateKeys } from '../command-api/integrations/key-rotation.js';
import { operations } from '../contract/all.js';
import { secretMembers } from '../contract/secrets.js';
import { systemClock } from '../engines/node/clock.js';
import type { RunningApi } from '../engines/koa/server.js';
import { diskFiles } from '../engines/node/files.js';
import { openEngines, serviceFile } from '../engines/open.js';
import { openLogger } from '../engines/pino/logger.js';
import { openMetrics } from '../engines/prometheus/metrics.js';
import type { Instant } from '../kernel/schema-types.js';
import type { Projector } from '../projections/projector.js';
import { startApi, type ApiStart } from './api.js';
import { watchFatal, openDisposers, openEngineWait } from './lifecycle.js';
import { invitationLink } from '../command-api/invitations/invitation-by-email.js';
import { openInviter } from './invite-command.js';
import { openServiceModels } from './model-calls.js';
import { registerReadModelGauges } from './metric-gauges.js';
import { startOpsListener } from './ops-listener.js';
import { openFillMonitor } from '../projections/fill-monitor.js';
import { recordsCollection } from '../projections/records/collection.js';
import { startProjectionHost } from './projection-host.js';
import { registerErasureGauge, pendingErasures } from './pending-erasures.js';
import { startEngineHeartbeats } from './engine-heartbeats.js';
import { openReadModels } from './read-models.js';
import { checkReadiness } from './readiness.js';
import { withReplica } from './replica.js';
import { hasRole, type StartupContext } from './startup-context.js';
import { openClockSkewMonitor } from '../engines/node/clock-skew.js';
import { openUndeclaredProxies } from '../engines/koa/undeclared-proxies.js';
import { openServiceTracing } from './tracing.js';
import { startWorkers } from './workers.js';
import { openWriteSide } from './write-side.js';

/** A running service: what `assay serve`, the demo and the tests hold. */
export type Service = {
  /** Address of the API; empty when this process plays neither command nor query. */
  readonly url: string;
  readonly opsUrl: string;
  readonly projector: Projector;
  /**
   * Resolves once every read model has passed the log's head as of the call; rejects after a
   * minute.
   */
  untilCaughtUp(): Promise<void>;
  /** Rejects when the service can no longer do its work: the process should end with code 70. */
  readonly fatal: Promise<never>;
  close(): Promise<void>;
};

type ServiceOptions = {
  /** For tests: a response that violates its schema throws. */
  readonly strict?: boolean;
  /** Called with a generated key before it works, while it can still be replaced. */
  readonly onKeyMinted?: (key: string, email: string, url: string) => void;
  /**
   * Called once the API is up while the admin has no way to log in; without it none is invited.
   * `link` is null while an earlier invitation is pending.
   */
  readonly onAdminInvited?: (invitation: AdminInvitationNotice) => void;
};
export type AdminInvitationNotice = {
  readonly email: string;
  readonly link: string | null;
  readonly expiresAt: Instant;
};

/** Tests and the demo fill from a log in seconds. */
const catchUpMaxMs = 60_000;

/**
 * Opens the engines and plays the roles of this process. With embedded engines it throws Fault
 * `conflict` when another process holds the data folder; remote engines are retried until they are
 * up.
 */
export const startService = async (
  config: Config,
  options: ServiceOptions = {},
): Promise<Service> => {
  const logger = openLogger({ level: config.logLevel, secrets: secretMembers(operations) });
  const engines = await openEngines(config);
  const open = openDisposers(systemClock, logger);
  open.add('the folder', engines.lock());
  const tracing = await openServiceTracing(config.isTraced);
  if (tracing.isOn) logger.info({}, 'spans of this service are exported (OTEL_*)');
  open.add('the tracing', () => tracing.close());
  const engineWait = openEngineWait(systemClock, logger);
  try {
    const metrics = openMetrics();
    return await startIn(
      { config, engines, logger, metrics, tracing, disposers: open, engineWait },
      options,
    );
  } catch (error) {
    // A failed start, such as a taken port, must not leave threads and files open.
    await open.close().catch(() => null);
    throw error;
  }
};

const startIn = async (context: StartupContext, options: ServiceOptions): Promise<Service> => {
  const { config, engines, logger, metrics, disposers, engineWait } = context;
  logEngines(context);
  const { bindings, port: opsPort } = await startOpsListener(context);
  const { ownPorts, modelAttempts } = openServiceModels(context);
  ownPorts.add(opsPort);
  const { needs, backpressure } = await openWriteSide(context);
  const { log, bus, clock } = needs;
  bindings.rotate = () => rotateKeys(needs);
  bindings.decisionNeeds = needs;
  const bootstrapped = hasRole(config, 'command')
    ? await engineWait.retryUntilUp('the log', () => bootstrap(needs, config.bootstrap))
    : null;
  // A key chosen by the operator needs no display: it works as soon as the API listens.
  if (bootstrapped?.minted === null) await bootstrapped.finish();

  const filling = openFillMonitor({ reader: log, clock });
  const setBack = (): void => filling.markSuspect(recordsCollection.name);
  const lists = await startProjectionHost(context, needs.secrets.notificationSpace, setBack);
  const projectionHost = await withReplica(context, lists, { bus, setBack });
  const { projector } = projectionHost;
  bindings.projectionHost = projectionHost;
  const probes = startEngineHeartbeats(context, log, clock, projector);
  const { guardedLog } = probes;
  const opened = { log: guardedLog, bus, clock, backpressure, projectionHost, filling };
  const modelNeeds = { ...probes, ...opened };
  const { checkpoints, heartbeat, ...readers } = await openReadModels(context, modelNeeds);
  registerReadModelGauges(metrics, log, probes.status);

  const collections = [...checkpoints.keys()];
  const apiNeeds = { collections, needs: { ...needs, log: guardedLog, modelAttempts, ...readers } };
  const undeclaredProxies = openUndeclaredProxies(clock);
  const api = await startServingApi(context, options, { ...apiNeeds, undeclaredProxies });
  if (api !== null) ownPorts.add(api.port);
  const url = api === null ? '' : `http://${urlHost(config.host)}:${api.port}`;
  const token = mintFolderToken();
  if (bootstrapped !== null) {
    await finishBootstrap(bootstrapped, config, options, url);
    bindings.invite = openInviter(needs, { opsToken: config.opsToken, folderToken: token, url });
  }
  const working = hasRole(config, 'worker')
    ? await startWorkers({ ...needs, ...readers, config, engines, logger, metrics, disposers })
    : null;
  registerErasureGauge(metrics, clock, () => pendingErasures({ working, files: probes.files }));
  if (working !== null) bindings.seal = working.sealing.sealNow;
  const { documents, freshness } = readers;
  const parts = { config, engines, log, documents, bus, projectionHost, working, filling, clock };
  const clockSkew = openClockSkewMonitor(log, clock);
  const heartbeats = { ...probes, models: heartbeat };
  bindings.readiness = () => checkReadiness({ ...parts, undeclaredProxies, clockSkew, heartbeats });
  const ports = { port: api?.port ?? 0, ops_port: opsPort };
  if (engines.embedded) await writeServiceFile(engines.dir, { ...ports, token }, disposers);
  logger.info({ ...ports, dir: engines.dir, roles: config.roles }, 'ready');
  void api?.warm();
  return {
    url,
    opsUrl: `http://${urlHost(config.opsHost)}:${opsPort}`,
    projector,
    untilCaughtUp: async () => {
      await freshness.waitUntilApplied(collections, await log.head(), { atMostMs: catchUpMaxMs });
    },
    fatal: watchFatal(log, projectionHost.ended, logger),
    close: () => {
      logger.info({}, 'stopping');
      bindings.readiness = async () => ({ status: 'stopping' });
      backpressure.stop();
      return disposers.close();
    },
  };
};

/** Null when this process serves no API. */
const startServingApi = async (
  { config, engines, logger, metrics, tracing, disposers }: StartupContext,
  { strict = false }: ServiceOptions,
  apiNeeds: Pick<ApiStart, 'collections' | 'needs' | 'undeclaredProxies'>,
): Promise<RunningApi | null> => {
  if (!hasRole(config, 'command', 'query')) return null;
  const isOnlyProcess = engines.embedded;
  const api = await startApi({
    config,
    strict,
    isOnlyProcess,
    logger,
    metrics,
    tracing,
    ...apiNeeds,
  });
  disposers.begin('the API', () => api.close());
  return api;
};

const logEngines = ({ config, engines, logger }: StartupContext): void => {
  const names = Object.entries(engines.ports).map(([port, { name }]) => `${port}=${name}`);
  logger.info(maskedConfig(config), `engines ${names.join(' ')}`);
};

/** Shows a minted key before it works, and an invitation once it works. */
const finishBootstrap = async (
  { email, minted, finish, inviteAdmin }: BootstrapResult,
  { console: webConsole }: Config,
  { onKeyMinted, onAdminInvited }: ServiceOptions,
  url: string,
): Promise<void> => {
  if (minted !== null) {
    onKeyMinted?.(minted, email, url);
    await finish();
  }
  // The link leads to the console.
  if (onAdminInvited === undefined || webConsole === 'off') return;
  const invited = await inviteAdmin();
  if (invited === null) return;
  const { token, ...notice } = invited;
  onAdminInvited({ ...notice, link: token === null ? null : invitationLink(url, token) });
};

/** Proof of access to the data folder, for commands that give access to the data. */
const mintFolderToken = (): string => randomBytes(24).toString('base64url');

/** A host as URLs write it. */
const urlHost = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** Written for the operator's commands on this machine. */
const writeServiceFile = async (
  dir: string,
  facts: { readonly port: number; readonly ops_port: number; readonly token: string },
  open: StartupContext['disposers'],
): Promise<void> => {
  const file = serviceFile(dir);
  await diskFiles.write(file, Buffer.from(JSON.stringify({ pid: process.pid, ...facts })));
  open.add('the service file', () => rm(file, { force: true }));
};
