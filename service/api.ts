import type { Config } from '../config.js';
import { datasetSights } from '../command-api/access/dataset-sight.js';
import { scorerSights } from '../command-api/scorers/routes.js';
import { scorerTaskSights } from '../command-api/facts/scorer-tasks.js';
import { groupSight, maintainerSight } from '../command-api/access/group-sight.js';
import { orgJobSight } from '../command-api/facts/org-jobs.js';
import { openGate } from '../command-api/access/gate.js';
import { openThrottle } from '../command-api/access/throttle.js';
import { openIdempotency } from '../command-api/idempotency/once.js';
import { rightsSubject, type Memory } from '../command-api/access/remember.js';
import { openAccessTokens } from '../engines/jsonwebtoken/access-tokens.js';
import { openIdentityTokens } from '../engines/jose/identity-tokens.js';
import { readProviders } from '../engines/jose/providers.js';
import { diskFiles } from '../engines/node/files.js';
import { startServer, type RunningApi } from '../engines/koa/server.js';
import type { Secrets } from '../engines/node/secrets.js';
import type { Logger } from '../engines/pino/logger.js';
import type { Metrics } from '../engines/prometheus/metrics.js';
import {
  appendDatasetRecords,
  editDatasetContent,
  replaceDatasetContent,
} from '../contract/dataset-content.js';
import { createDataset } from '../contract/datasets.js';
import type { Freshness, Gate, Sights } from '../contract/gate.js';
import type { Route } from '../contract/operation.js';
import { Fault } from '../kernel/fault.js';
import type { IdentityTokens, Passwords } from '../kernel/credentials.js';
import type { Bus, Clock, EventLog, Ids } from '../kernel/ports.js';
import type { Documents } from '../kernel/documents.js';
import type { ChainPages, Chains } from '../kernel/history/entries.js';
import type { Records } from '../kernel/records/records.js';
import type { Vault } from '../kernel/vault.js';
import type { InTurn } from '../kernel/turns.js';
import { datasetRows } from '../projections/dataset-rows.js';
import { historyCollection } from '../projections/history/collection.js';
import { recordsCollection } from '../projections/records/collection.js';
import type { RecordAnswers } from '../query-api/records/answers.js';
import { sealKeyOf } from './seal-key.js';
import { logUntil } from './asked.js';
import type { UndeclaredProxies } from './undeclared-proxies.js';
import { routesOf } from './routes.js';

export type ApiStart = {
  readonly config: Config;
  readonly strict: boolean;
  /** No other process takes requests of this service. */
  readonly alone: boolean;
  /** Names of the read models that exist. */
  readonly collections: readonly string[];
  readonly needs: {
    readonly log: EventLog;
    readonly documents: Documents;
    readonly records: Records;
    readonly answers: RecordAnswers;
    readonly chains: Chains & ChainPages;
    readonly freshness: Freshness;
    readonly ids: Ids;
    readonly clock: Clock;
    readonly secrets: Secrets;
    readonly passwords: Passwords;
    readonly vault: Vault;
    readonly inTurn: InTurn;
    readonly bus: Bus;
    readonly memory: Memory;
  };
  readonly undeclaredProxies: Pick<UndeclaredProxies, 'seen'>;
  readonly logger: Logger;
  readonly metrics: Metrics;
};

/** Serves the writes with the role `command`, the reads with `query`. */
export const startApi = async (start: ApiStart): Promise<RunningApi> => {
  const { config } = start;
  const stopping = new AbortController();
  const needs = { ...start.needs, log: logUntil(start.needs.log, stopping.signal) };
  const { log, ids, clock, secrets, passwords, freshness, bus, memory } = needs;
  const tokens = openAccessTokens(secrets.accessTokenSeed);
  const throttle = openThrottle(clock);
  bus.subscribe(rightsSubject, memory.forgetSoon);
  const gate: Gate = openGate({
    log,
    clock,
    ids,
    secrets,
    passwords,
    tokens,
    throttle,
    memory,
    sights: sightsOf(log, (principal, id) => gate.projectInSight(principal, id)),
  });
  const identityTokens = await identityTokensOf(start);
  const routes = routesOf({
    ...needs,
    gate,
    tokens,
    throttle,
    identityTokens,
    backupDays: config.backupDays,
    sealKey: () => sealKeyOf(config.seals, secrets.sealSeed),
  });
  return startServer({
    routes: playedBy(config.roles, routes),
    gate,
    idempotency: openIdempotency({ log, ids, ...(start.alone && { aloneSince: clock.now() }) }),
    freshness,
    clock,
    ids,
    logger: start.logger,
    metrics: start.metrics,
    host: config.host,
    port: config.port,
    keyHeaders: config.apiKeyHeaders,
    trustedProxies: config.trustedProxies,
    undeclaredProxy: start.undeclaredProxies.seen,
    collections: start.collections,
    largeReads: [recordsCollection.name, datasetRows.collection.name],
    tableWrites: tableWrites.map(({ operationId }) => operationId),
    answerWithinMs,
    strict: start.strict,
    stopping: () => stopping.abort(new Fault('unavailable', 'The service is stopping')),
  });
};

const tableWrites = [
  createDataset,
  editDatasetContent,
  replaceDatasetContent,
  appendDatasetRecords,
];

/** Contract 1.11: what is told from records or history may take longer than lists and settings. */
const answerWithinMs = ({ operation, reads }: Route): number =>
  operation.kind === 'w' || reads.some((name) => longReads.includes(name)) ? 20_000 : 2_000;
const longReads = [recordsCollection.name, historyCollection.name];

/** Throws Fault `invalid` when the file of providers is not clear. */
const identityTokensOf = async ({ config, needs, logger }: ApiStart): Promise<IdentityTokens> => {
  const path = config.identityProviders;
  const providers = path === null ? [] : await readProviders(diskFiles, path);
  return openIdentityTokens(providers, {
    clock: needs.clock,
    trouble: (provider, error) =>
      logger.warn({ provider, cause: String(error) }, 'the keys of a provider cannot be had'),
  });
};

/**
 * Every path stays known, so that a request that came to the wrong process learns so instead of
 * doubting its spelling. What needs no credential is answered by both.
 */
const playedBy = (played: Config['roles'], routes: readonly Route[]): readonly Route[] =>
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

/** How each noun whose objects are in no project says who may see and do what (contract 2.6). */
export const sightsOf = (log: EventLog, projectInSight: Gate['projectInSight']): Sights => ({
  ...datasetSights({ log, projectInSight }),
  ...scorerTaskSights({ log, projectInSight }),
  ...scorerSights(log),
  'group-sight': groupSight(log),
  maintainer: maintainerSight(log),
  'org-job': orgJobSight(
    log,
    async (principal, project) => (await projectInSight(principal, project))?.role ?? null,
  ),
});
