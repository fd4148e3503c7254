import type { RequestAuthorizer, Freshness } from '../contract/request-ports.js';
import type { Route } from '../contract/operation.js';
import { components, operations } from '../contract/all.js';
import { nouns } from '../contract/nouns.js';
import { openApiDocument } from '../contract/openapi.js';
import { annotationTemplateWrites } from '../command-api/annotation-templates/routes.js';
import { apiKeyWrites } from '../command-api/api-keys/routes.js';
import { recordAppendRoutes } from '../command-api/datasets/record-appends.js';
import { datasetWrites } from '../command-api/datasets/routes.js';
import { rankingWrites } from '../command-api/experiments/ranking-routes.js';
import { experimentTagWrites } from '../command-api/experiments/tag-routes.js';
import { experimentWrites } from '../command-api/experiments/routes.js';
import { collaboratorWrites } from '../command-api/collaborators/routes.js';
import { integrationWrites } from '../command-api/integrations/routes.js';
import { insightsSettingsWrites } from '../command-api/insights-settings/routes.js';
import { logStreamWrites } from '../command-api/log-streams/routes.js';
import { loginWrites } from '../command-api/logins/routes.js';
import { socialLoginWrites } from '../command-api/logins/social.js';
import { priceListWrites } from '../command-api/price-list/routes.js';
import { openProjectsByName } from '../command-api/projects/projects-by-name.js';
import { projectWrites } from '../command-api/projects/routes.js';
import { openSessionRepository } from '../command-api/sessions/session-repository.js';
import type { CredentialRateLimit } from '../command-api/access/credential-rate-limit.js';
import type { KeyedMutex } from '../kernel/concurrency.js';
import { scorerSettingsWrites } from '../command-api/scorer-settings/routes.js';
import { scorerWrites } from '../command-api/scorers/routes.js';
import { scorerTaskWrites } from '../command-api/scorer-tasks/routes.js';
import { ratingWrites } from '../command-api/ratings/routes.js';
import { sessionWrites } from '../command-api/sessions/routes.js';
import { traceWrites } from '../command-api/traces/routes.js';
import { groupWrites } from '../command-api/groups/routes.js';
import { invitationWrites } from '../command-api/invitations/routes.js';
import { userWrites } from '../command-api/users/routes.js';
import { viewWrites } from '../command-api/views/routes.js';
import { readTable } from '../engines/csv/read-table.js';
import { sha256 } from '../engines/node/digest.js';
import type { Secrets } from '../engines/node/secrets.js';
import type { Vault } from '../kernel/vault.js';
import type { AccessTokens, IdentityTokens, PasswordHasher } from '../kernel/credentials.js';
import type { NotificationBus, Clock, EventLog, Ids } from '../kernel/ports.js';
import type { Documents } from '../kernel/documents.js';
import type { ChainPages, Chains } from '../ledger/chain/entries.js';
import type { RecordQueries } from '../kernel/records/record-queries.js';
import { annotationTemplateReads } from '../query-api/annotation-templates/routes.js';
import { apiKeyReads } from '../query-api/api-keys/routes.js';
import { collaboratorReads } from '../query-api/collaborators/routes.js';
import { columnReads } from '../query-api/columns/routes.js';
import { datasetReads } from '../query-api/datasets/routes.js';
import { experimentReads } from '../query-api/experiments/routes.js';
import { datasetExports } from '../query-api/exports/datasets.js';
import { recordExports } from '../query-api/exports/records.js';
import { runCollections } from '../query-api/run-selection.js';
import { integrationReads } from '../query-api/integrations/routes.js';
import { insightsSettingsReads } from '../query-api/insights-settings/routes.js';
import { currentUserReads } from '../query-api/logins/routes.js';
import { logStreamReads } from '../query-api/log-streams/routes.js';
import { openUnknownKeyFinder } from '../query-api/filters/unknown-metadata-keys.js';
import { metricReads } from '../query-api/metrics/routes.js';
import { priceListReads } from '../query-api/price-list/routes.js';
import { projectReads } from '../query-api/projects/routes.js';
import { ratingReads } from '../query-api/ratings/routes.js';
import type { RecordAnswers } from '../query-api/records/answers.js';
import { recordReads } from '../query-api/records/routes.js';
import { groupReads } from '../query-api/groups/routes.js';
import { userReads } from '../query-api/users/routes.js';
import { viewReads } from '../query-api/views/routes.js';
import { resolveAsOf } from '../ledger/as-of-position.js';
import { ledgerRoutes } from '../ledger/routes.js';
import { projectAsOf } from '../named-queries/project-as-of.js';
import { peopleQueries } from '../named-queries/people-queries.js';
import { backfillWrites } from '../command-api/run-scoring/backfill-routes.js';
import { scoringBackfillReads } from '../query-api/scoring-backfill/routes.js';
import { backfillSelection } from '../named-queries/scoring-backfill.js';
import { orgJobWrites } from '../command-api/org-jobs/routes.js';
import { orgJobReads } from '../query-api/org-jobs/routes.js';
import type { SealKey } from '../ledger/signing-key.js';
import { receivedOtelSpansIn } from '../projections/records/received-otel-spans.js';
import {
  datasetAsOf,
  unlinkDatasetFrom,
  experimentDatasets,
} from '../named-queries/experiment-datasets.js';
import { recordWrites } from '../command-api/records/routes.js';
import { orgJobPreviewOf } from '../named-queries/org-jobs.js';
import { recordSelectorOf } from '../named-queries/record-selector.js';
import { openRecordsToRows } from '../named-queries/record-row-source.js';
import { readModelQueries } from '../named-queries/read-model-queries.js';
import { openTaskProgressCache } from '../query-api/scorer-tasks/task-progress-cache.js';
import { scorerReads } from '../query-api/scorers/routes.js';
import { scorerTaskReads } from '../query-api/scorer-tasks/routes.js';
import { serviceReads } from '../query-api/service/routes.js';

type Needs = {
  readonly log: EventLog;
  readonly bus: NotificationBus;
  readonly documents: Documents;
  readonly records: RecordQueries;
  readonly answers: RecordAnswers;
  readonly chains: Chains & ChainPages;
  readonly sealKey: () => Promise<SealKey>;
  readonly backupDays: number | null;
  readonly freshness: Freshness;
  readonly authorizer: RequestAuthorizer;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly tokens: AccessTokens;
  readonly passwords: PasswordHasher;
  readonly identityTokens: IdentityTokens;
  readonly rateLimit: CredentialRateLimit;
  readonly vault: Vault;
  readonly keyedMutex: KeyedMutex;
};

/** Every route of the service, with the needs of each slice. */
export const routesOf = (needs: Needs): readonly Route[] => {
  const { log, documents, records, authorizer, ids, clock, secrets, vault, keyedMutex } = needs;
  const queries = readModelQueries(needs);
  const people = peopleQueries(needs);
  const unknownKeys = openUnknownKeyFinder(records);
  const visibleProject: RequestAuthorizer['visibleProject'] = (principal, id) =>
    authorizer.visibleProject(principal, id);
  const sessions = openSessionRepository({ log, ids });
  return [
    ...apiKeyWrites({ log, clock, authorizer, secrets }),
    ...loginWrites(needs),
    ...socialLoginWrites(needs),
    ...sessionWrites({ log, ids, sessions }),
    ...traceRoutes(needs, queries, sessions),
    ...ratingWrites({ log }),
    ...integrationWrites({ log, ids, vault, keyedMutex }),
    ...integrationReads({ documents }),
    ...insightsSettingsWrites({ log }),
    ...insightsSettingsReads({ documents, runInProject: queries.runInProject }),
    ...ratingReads({ documents, records }),
    ...priceListWrites({ log }),
    ...priceListReads({ documents }),
    ...projectWrites({ log, ids, newestRuns: queries.newestRuns }),
    ...logStreamWrites({ log, ids }),
    ...experimentRoutes(needs, queries),
    ...datasetRoutes(needs, queries),
    ...experimentTagWrites({ log }),
    ...rankingWrites({ log, ...queries }),
    ...collaboratorWrites({ log, authorizer }),
    ...collaboratorReads({ documents }),
    ...annotationTemplateWrites({ log, templateUsage: queries.templateUsage }),
    ...annotationTemplateReads({ documents, records }),
    ...viewWrites({ log }),
    ...viewReads({ documents }),
    ...userWrites({ log, ids, keyedMutex, authorizer, ...people }),
    ...invitationWrites(needs),
    ...groupWrites({ log, ids }),
    ...groupReads({ documents }),
    ...userReads({ documents, ...people }),
    ...currentUserReads({ documents, ...people }),
    ...projectReads({ documents, authorizer }),
    ...logStreamReads({ documents, records }),
    ...apiKeyReads({ documents, clock, lastUsed: (key) => authorizer.lastUsed(key) }),
    ...columnReads({ documents, records, runInProject: queries.runInProject }),
    ...metricReads({ records, unknownKeys, answers: needs.answers, ...queries }),
    ...orgJobWrites({ log, secrets, preview: orgJobPreviewOf(needs) }),
    ...orgJobReads({ documents, secrets }),
    ...recordWrites({ log, choice: recordSelectorOf({ ...needs, ...queries, unknownKeys }) }),
    ...recordReads({ ...needs, ...queries, unknownKeys, otelReceived: receivedOtelSpansIn(log) }),
    ...exportRoutes(needs, queries),
    ...scorerTaskWrites({ log, ids, bus: needs.bus, keyedMutex, visibleProject }),
    ...scorerWrites({ log, ids }),
    ...scorerSettingsWrites({ log }),
    ...backfillRoutes(needs, queries),
    ...scorerReads({ documents, runInProject: queries.runInProject }),
    ...scorerTaskReads({
      documents,
      progresses: openTaskProgressCache(needs.bus),
      runInProject: queries.runInProject,
    }),
    ...ledgerRoutes(needs),
    ...serviceReads({ describe: () => openApiDocument({ operations, components, nouns }) }),
  ];
};

/** Contract 4.6 and 5.5. */
const experimentRoutes = (
  needs: Needs,
  queries: ReturnType<typeof readModelQueries>,
): readonly Route[] => {
  const { log, ids, authorizer } = needs;
  const datasets = experimentDatasets({ log, authorizer });
  const projectAt = projectAsOf({ ...needs, positionOf: resolveAsOf(needs) });
  return [
    ...experimentWrites({
      log,
      ids,
      ...datasets,
      unlinkDataset: unlinkDatasetFrom(log),
      ...queries,
    }),
    ...experimentReads({ ...needs, ...queries, projectAt }),
  ];
};

/** Contract 4.7 and 5.11. */
const datasetRoutes = (
  needs: Needs,
  queries: ReturnType<typeof readModelQueries>,
): readonly Route[] => {
  const { log, ids, documents, authorizer } = needs;
  const visibleProject: RequestAuthorizer['visibleProject'] = (principal, id) =>
    authorizer.visibleProject(principal, id);
  const writing = { log, ids, readTable, visibleProject };
  return [
    ...datasetWrites(writing),
    ...recordAppendRoutes({
      ...writing,
      recordsAsRows: openRecordsToRows({ ...needs, ...queries }),
    }),
    ...datasetReads({ documents, authorizer, datasetAt: datasetAsOf(log, resolveAsOf(needs)) }),
  ];
};

/** Contract 5.6 and 5.12. */
const traceRoutes = (
  { log, ids, clock, authorizer }: Needs,
  queries: ReturnType<typeof readModelQueries>,
  { joinSessions }: ReturnType<typeof openSessionRepository>,
): readonly Route[] => {
  const visibleProject: RequestAuthorizer['visibleProject'] = (principal, id) =>
    authorizer.visibleProject(principal, id);
  const projectByName = openProjectsByName({ log, ids, visibleProject });
  const projectAccess = { projectByName, visibleProject, joinSessions };
  return traceWrites({ log, ids, clock, sha256, ...projectAccess, ...queries });
};

/** Contract 5.10: scoring backfill of records that a run already holds. */
const backfillRoutes = (
  needs: Needs,
  { runInProject }: ReturnType<typeof readModelQueries>,
): readonly Route[] => [
  ...backfillWrites({ log: needs.log, selection: backfillSelection(needs) }),
  ...scoringBackfillReads({ ...needs, runInProject }),
];

/** Time limit of the read-model wait at the end of an export; past it the file is cut. */
const exportTimeoutMs = 20_000;

/** Exports of records and datasets. */
const exportRoutes = (
  needs: Needs,
  queries: ReturnType<typeof readModelQueries>,
): readonly Route[] => [
  ...recordExports({
    ...needs,
    ...queries,
    runsKnown: async () => {
      const names = runCollections.map(({ name }) => name);
      await needs.freshness.waitUntilApplied(names, await needs.log.head(), {
        atMostMs: exportTimeoutMs,
      });
    },
  }),
  ...datasetExports(needs),
];
