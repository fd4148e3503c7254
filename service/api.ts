import type { Config } from '../config.js';
import { datasetVisibilityRules } from '../command-api/access/dataset-visibility.js';
import { promptVisibilityRules } from '../command-api/access/prompt-visibility.js';
import { scorerVisibilityRules } from '../command-api/scorers/routes.js';
import { scorerTaskVisibilityRules } from '../command-api/facts/scorer-tasks.js';
import {
  groupVisibilityRule,
  maintainerVisibilityRule,
} from '../command-api/access/group-visibility.js';
import { orgJobVisibilityRule } from '../command-api/facts/org-jobs.js';
import { openRequestAuthorizer } from '../command-api/access/request-authorizer.js';
import { openCredentialRateLimit } from '../command-api/access/credential-rate-limit.js';
import { openIdempotency } from '../command-api/idempotency/idempotent-execution.js';
import type { ModelAttempts } from '../command-api/work/model-gateway/attempts.js';
import { rightsSubject, type RightsCache } from '../command-api/access/rights-cache.js';
import { openAccessTokens } from '../engines/jsonwebtoken/access-tokens.js';
import { openIdentityTokens } from '../engines/jose/identity-tokens.js';
import { readProviders } from '../engines/jose/identity-providers.js';
import { diskFiles } from '../engines/node/files.js';
import { builtConsoleDir } from '../engines/koa/console-files.js';
import { startServer, type RunningApi } from '../engines/koa/server.js';
import type { Secrets } from '../engines/node/secrets.js';
import type { Logger } from '../engines/pino/logger.js';
import type { Metrics } from '../engines/prometheus/metrics.js';
import type { Tracing } from '../kernel/tracing.js';
import {
  appendDatasetRecords,
  editDatasetContent,
  replaceDatasetContent,
} from '../contract/dataset-content.js';
import { createDataset } from '../contract/datasets.js';
import type { Freshness, RequestAuthorizer, VisibilityRules } from '../contract/request-ports.js';
import type { Route } from '../contract/operation.js';
import { Fault } from '../kernel/fault.js';
import type { IdentityTokens, PasswordHasher } from '../kernel/credentials.js';
import type { NotificationBus, Clock, EventLog, Ids } from '../kernel/ports.js';
import type { Documents } from '../kernel/documents.js';
import type { ChainPages, Chains } from '../ledger/chain/entries.js';
import type { RecordQueries } from '../kernel/records/record-queries.js';
import type { Vault } from '../kernel/vault.js';
import type { KeyedMutex } from '../kernel/concurrency.js';
import { datasetRows } from '../projections/dataset-rows.js';
import { historyCollection } from '../ledger/collection.js';
import { recordsCollection } from '../projections/records/collection.js';
import type { RecordAnswers } from '../query-api/records/answers.js';
import { loadSealKey } from '../ledger/signing-key.js';
import { abortableLog } from './request-scope.js';
import type { UndeclaredProxies } from '../engines/koa/undeclared-proxies.js';
import { routesOf } from './routes.js';

export type ApiStart = {
  readonly config: Config;
  readonly strict: boolean;
  /** True if no other process takes requests of this service. */
  readonly isOnlyProcess: boolean;
  /** Names of the read models that exist. */
  readonly collections: readonly string[];
  readonly needs: {
    readonly log: EventLog;
    readonly documents: Documents;
    readonly records: RecordQueries;
    readonly answers: RecordAnswers;
    readonly chains: Chains & ChainPages;
    readonly freshness: Freshness;
    readonly ids: Ids;
    readonly clock: Clock;
    readonly secrets: Secrets;
    readonly passwords: PasswordHasher;
    readonly vault: Vault;
    readonly keyedMutex: KeyedMutex;
    readonly bus: NotificationBus;
    readonly memory: RightsCache;
    readonly modelAttempts: ModelAttempts;
  };
  readonly undeclaredProxies: Pick<UndeclaredProxies, 'observe'>;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
};

/** Starts the HTTP API: writes with the role `command`, reads with `query`. */
export const startApi = async (start: ApiStart): Promise<RunningApi> => {
  const { config } = start;
  const stopping = new AbortController();
  const needs = { ...start.needs, log: abortableLog(start.needs.log, stopping.signal) };
  const { log, ids, clock, secrets, passwords, freshness, bus, memory } = needs;
  const tokens = openAccessTokens(secrets.accessTokenSeed);
  const rateLimit = openCredentialRateLimit(clock);
  bus.subscribe(rightsSubject, memory.invalidateThrottled);
  const authorizer: RequestAuthorizer = openRequestAuthorizer({
    log,
    clock,
    ids,
    secrets,
    passwords,
    tokens,
    rateLimit,
    rightsCache: memory,
    sights: visibilityRules(log, (principal, id) => authorizer.visibleProject(principal, id)),
  });
  const identityTokens = await loadIdentityTokens(start);
  const routes = routesOf({
    ...needs,
    authorizer,
    tokens,
    rateLimit,
    identityTokens,
    backupDays: config.backupDays,
    egressRules: config.egress,
    sealKey: () => loadSealKey(config.seals, secrets.sealSeed),
  });
  return startServer({
    routes: routesForRoles(config.roles, routes),
    authorizer,
    idempotency: openIdempotency({
      log,
      ids,
      ...(start.isOnlyProcess && { aloneSince: clock.now() }),
    }),
    freshness,
    clock,
    ids,
    logger: start.logger,
    metrics: start.metrics,
    tracing: start.tracing,
    host: config.host,
    port: config.port,
    consoleDir: config.console === 'off' ? null : builtConsoleDir,
    rereadsConsole: config.console === 'watch',
    keyHeaders: config.apiKeyHeaders,
    trustedProxies: config.trustedProxies,
    onUndeclaredProxy: start.undeclaredProxies.observe,
    collections: start.collections,
    largeReads: [recordsCollection.name, datasetRows.collection.name],
    tableWrites: datasetTableWrites.map(({ operationId }) => operationId),
    answerWithinMs: requestTimeoutMs,
    strict: start.strict,
    onStopping: () => stopping.abort(new Fault('unavailable', 'The service is stopping')),
  });
};

const datasetTableWrites = [
  createDataset,
  editDatasetContent,
  replaceDatasetContent,
  appendDatasetRecords,
];

/**
 * Contract 1.11: reads from records or history may take longer than reads of lists and settings.
 */
const requestTimeoutMs = ({ operation, reads }: Route): number =>
  operation.kind === 'w' || reads.some((name) => slowCollections.includes(name)) ? 20_000 : 2_000;
const slowCollections = [recordsCollection.name, historyCollection.name];

/** Throws Fault `invalid` when the file of providers is malformed. */
const loadIdentityTokens = async ({ config, needs, logger }: ApiStart): Promise<IdentityTokens> => {
  const path = config.identityProviders;
  const providers = path === null ? [] : await readProviders(diskFiles, path);
  return openIdentityTokens(providers, {
    clock: needs.clock,
    onError: (provider, error) =>
      logger.warn(
        { provider, cause: String(error) },
        'fetching the keys of an identity provider failed',
      ),
  });
};

/**
 * Keeps the paths of roles that this process does not play: they answer 503 naming the role instead
 * of 404. Reads without a credential are served by every process.
 */
const routesForRoles = (played: Config['roles'], routes: readonly Route[]): readonly Route[] =>
  routes.map((route) => {
    const { kind, requires } = route.operation;
    const role = kind === 'w' ? 'command' : 'query';
    if (played.includes(role) || (kind === 'r' && requires === 'public')) return route;
    return {
      ...route,
      reads: [],
      handle: async () => {
        throw new Fault(
          'unavailable',
          `This process does not play the role ${role}: send the request to one that does`,
        );
      },
    };
  });

/** Visibility rules of the nouns whose objects are in no project (contract 2.6). */
export const visibilityRules = (
  log: EventLog,
  projectInSight: RequestAuthorizer['visibleProject'],
): VisibilityRules => ({
  ...datasetVisibilityRules({ log, visibleProject: projectInSight }),
  ...promptVisibilityRules({ log, visibleProject: projectInSight }),
  ...scorerTaskVisibilityRules({ log, visibleProject: projectInSight }),
  ...scorerVisibilityRules(log),
  'group-sight': groupVisibilityRule(log),
  maintainer: maintainerVisibilityRule(log),
  'org-job': orgJobVisibilityRule(
    log,
    async (principal, project) => (await projectInSight(principal, project))?.role ?? null,
  ),
});
