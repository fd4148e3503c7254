import type { Freshness, RequestAuthorizer } from '../contract/request-ports.js';
import { components, operations } from '../contract/all.js';
import { nouns } from '../contract/nouns.js';
import { openApiDocument } from '../contract/openapi.js';
import { loadLentIntegrations } from '../command-api/access/lent-integrations.js';
import { openProjectsByName } from '../command-api/projects/projects-by-name.js';
import { openSessionRepository } from '../command-api/sessions/session-repository.js';
import type { ModelAttempts } from '../command-api/work/model-gateway/attempts.js';
import type { CredentialRateLimit } from '../command-api/access/credential-rate-limit.js';
import type { KeyedMutex } from '../kernel/concurrency.js';
import type { ApiKeyId } from '../kernel/schema-types.js';
import { readTable } from '../engines/csv/read-table.js';
import { sha256 } from '../engines/node/digest.js';
import type { Secrets } from '../engines/node/secrets.js';
import type { EgressRules } from '../kernel/egress.js';
import type { Vault } from '../kernel/vault.js';
import type { AccessTokens, IdentityTokens, PasswordHasher } from '../kernel/credentials.js';
import type { NotificationBus, Clock, EventLog, Ids } from '../kernel/ports.js';
import type { Documents } from '../kernel/documents.js';
import type { ChainPages, Chains } from '../ledger/chain/entries.js';
import type { RecordQueries } from '../kernel/records/record-queries.js';
import { runCollections } from '../query-api/run-selection.js';
import { openUnknownKeyFinder } from '../query-api/filters/unknown-metadata-keys.js';
import type { RecordAnswers } from '../query-api/records/answers.js';
import { resolveAsOf } from '../ledger/as-of-position.js';
import { projectAsOf } from '../named-queries/project-as-of.js';
import { peopleQueries } from '../named-queries/people-queries.js';
import { backfillSelection } from '../named-queries/scoring-backfill.js';
import type { SealKey } from '../ledger/signing-key.js';
import { receivedOtelSpansIn } from '../projections/records/received-otel-spans.js';
import {
  datasetAsOf,
  unlinkDatasetFrom,
  experimentDatasets,
} from '../named-queries/experiment-datasets.js';
import { orgJobPreviewOf } from '../named-queries/org-jobs.js';
import { recordSelectorOf } from '../named-queries/record-selector.js';
import { openRecordsToRows } from '../named-queries/record-row-source.js';
import { readModelQueries } from '../named-queries/read-model-queries.js';
import { openTaskProgressCache } from '../query-api/scorer-tasks/task-progress-cache.js';

export type ServiceNeeds = {
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
  readonly egressRules: EgressRules;
  readonly modelAttempts: ModelAttempts;
  readonly keyedMutex: KeyedMutex;
};

export type SliceNeeds = ReturnType<typeof sliceNeeds>;

/** Needs of all slices: parts of the service, and named queries that are built once from them. */
export const sliceNeeds = (needs: ServiceNeeds) => {
  const { log, bus, ids, records, authorizer } = needs;
  const visibleProject: RequestAuthorizer['visibleProject'] = (principal, id) =>
    authorizer.visibleProject(principal, id);
  const queries = readModelQueries(needs);
  const unknownKeys = openUnknownKeyFinder(records);
  const sessions = openSessionRepository({ log, ids });
  const positionOf = resolveAsOf(needs);
  return {
    ...needs,
    ...queries,
    ...peopleQueries(needs),
    ...experimentDatasets({ log, authorizer }),
    visibleProject,
    unknownKeys,
    sessions,
    joinSessions: sessions.joinSessions,
    projectByName: openProjectsByName({ log, ids, visibleProject }),
    projectAt: projectAsOf({ ...needs, positionOf }),
    datasetAt: datasetAsOf(log, positionOf),
    unlinkDataset: unlinkDatasetFrom(log),
    recordsAsRows: openRecordsToRows({ ...needs, ...queries }),
    choice: recordSelectorOf({ ...needs, ...queries, unknownKeys }),
    selection: backfillSelection(needs),
    preview: orgJobPreviewOf(needs),
    progresses: openTaskProgressCache(bus),
    otelReceived: receivedOtelSpansIn(log),
    lentIntegrations: loadLentIntegrations(log),
    lastUsed: (key: ApiKeyId) => authorizer.lastUsed(key),
    runsKnown: () => waitForRuns(needs),
    describe: () => openApiDocument({ operations, components, nouns }),
    readTable,
    sha256,
  };
};

/** Time limit of the read-model wait at the end of an export; past it the file is cut. */
const exportTimeoutMs = 20_000;

const waitForRuns = async ({ freshness, log }: ServiceNeeds): Promise<void> => {
  const names = runCollections.map(({ name }) => name);
  await freshness.waitUntilApplied(names, await log.head(), { atMostMs: exportTimeoutMs });
};
