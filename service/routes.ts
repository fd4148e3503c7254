import type { Gate, Freshness } from '../contract/gate.js';
import type { Route } from '../contract/operation.js';
import { components, operations } from '../contract/all.js';
import { nouns } from '../contract/nouns.js';
import { openApiDocument } from '../contract/openapi.js';
import { annotationTemplateWrites } from '../command-api/annotation-templates/routes.js';
import { apiKeyWrites } from '../command-api/api-keys/routes.js';
import { recordAppends } from '../command-api/datasets/from-records.js';
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
import { openProjectsByName } from '../command-api/projects/named.js';
import { projectWrites } from '../command-api/projects/routes.js';
import { openSessionRepository } from '../command-api/sessions/repository.js';
import type { Throttle } from '../command-api/access/throttle.js';
import type { InTurn } from '../kernel/turns.js';
import { scorerSettingsWrites } from '../command-api/scorer-settings/routes.js';
import { scorerWrites } from '../command-api/scorers/routes.js';
import { scorerTaskWrites } from '../command-api/scorer-tasks/routes.js';
import { ratingWrites } from '../command-api/ratings/routes.js';
import { sessionWrites } from '../command-api/sessions/routes.js';
import { traceWrites } from '../command-api/traces/routes.js';
import { groupWrites } from '../command-api/groups/routes.js';
import { invitationWrites } from '../command-api/invitations/routes.js';
import { userWrites } from '../command-api/users/routes.js';
import { readTable } from '../engines/csv/read.js';
import { sha256 } from '../engines/node/digest.js';
import type { Secrets } from '../engines/node/secrets.js';
import type { Vault } from '../kernel/vault.js';
import type { AccessTokens, IdentityTokens, Passwords } from '../kernel/credentials.js';
import type { Bus, Clock, EventLog, Ids } from '../kernel/ports.js';
import type { Documents } from '../kernel/documents.js';
import type { ChainPages, Chains } from '../kernel/history/entries.js';
import type { Records } from '../kernel/records/records.js';
import { annotationTemplateReads } from '../query-api/annotation-templates/routes.js';
import { apiKeyReads } from '../query-api/api-keys/routes.js';
import { collaboratorReads } from '../query-api/collaborators/routes.js';
import { columnReads } from '../query-api/columns/routes.js';
import { datasetReads } from '../query-api/datasets/routes.js';
import { experimentReads } from '../query-api/experiments/routes.js';
import { datasetExports } from '../query-api/exports/datasets.js';
import { recordExports } from '../query-api/exports/records.js';
import { runCollections } from '../query-api/selection.js';
import { integrationReads } from '../query-api/integrations/routes.js';
import { historyCollection } from '../projections/history/collection.js';
import { historyExportReads } from '../query-api/history-export/routes.js';
import { historySealReads } from '../query-api/history-seals/routes.js';
import { insightsSettingsReads } from '../query-api/insights-settings/routes.js';
import { currentUserReads } from '../query-api/logins/routes.js';
import { logStreamReads } from '../query-api/log-streams/routes.js';
import { openMetadataKeys } from '../query-api/filters/metadata-keys.js';
import { metricReads } from '../query-api/metrics/routes.js';
import { priceListReads } from '../query-api/price-list/routes.js';
import { projectReads } from '../query-api/projects/routes.js';
import { ratingReads } from '../query-api/ratings/routes.js';
import type { RecordAnswers } from '../query-api/records/answers.js';
import { recordReads } from '../query-api/records/routes.js';
import { groupReads } from '../query-api/groups/routes.js';
import { historyReads } from '../query-api/history/routes.js';
import { userReads } from '../query-api/users/routes.js';
import { positionAsOf } from './answers/as-of.js';
import { historyAnswers } from './answers/history.js';
import { projectAt } from './answers/past-project.js';
import { linesInTurn, openHistoryLine, pagesInTurn, toldInTurn } from './answers/history-turns.js';
import { historyVerdicts } from './answers/history-verdict.js';
import { peopleOf } from './answers/people.js';
import { pastScoringWrites } from '../command-api/run-scoring/past-routes.js';
import { pastScoringReads } from '../query-api/past-scoring/routes.js';
import { pastSelectionOf } from './answers/past-scoring.js';
import { orgJobWrites } from '../command-api/org-jobs/routes.js';
import { orgJobReads } from '../query-api/org-jobs/routes.js';
import type { SealKey } from './seal-key.js';
import { historyExports } from './answers/history-export.js';
import { otelReceivedIn } from './answers/otel-received.js';
import { entryEvidence } from './answers/entry-evidence.js';
import { datasetAt, datasetUnlinking, datasetUse } from './answers/dataset-use.js';
import { recordWrites } from '../command-api/records/routes.js';
import { orgJobPreviewOf } from './answers/org-jobs.js';
import { recordChoiceOf } from './answers/record-choice.js';
import { recordsAsRowsOf } from './answers/records-as-rows.js';
import { questionsOf } from './answers/questions.js';
import { openTaskProgresses } from '../query-api/scorer-tasks/progress.js';
import { scorerReads } from '../query-api/scorers/routes.js';
import { scorerTaskReads } from '../query-api/scorer-tasks/routes.js';
import { serviceReads } from '../query-api/service/routes.js';

type Needs = {
  readonly log: EventLog;
  readonly bus: Bus;
  readonly documents: Documents;
  readonly records: Records;
  readonly answers: RecordAnswers;
  readonly chains: Chains & ChainPages;
  readonly sealKey: () => Promise<SealKey>;
  readonly backupDays: number | null;
  readonly freshness: Freshness;
  readonly gate: Gate;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly tokens: AccessTokens;
  readonly passwords: Passwords;
  readonly identityTokens: IdentityTokens;
  readonly throttle: Throttle;
  readonly vault: Vault;
  readonly inTurn: InTurn;
};

/** Every route that the service answers, with what each slice asks for. */
export const routesOf = (needs: Needs): readonly Route[] => {
  const { log, documents, records, gate, ids, clock, secrets, vault, inTurn } = needs;
  const questions = questionsOf(needs);
  const people = peopleOf(needs);
  const positionOf = positionAsOf(needs);
  const unknownKeys = openMetadataKeys(records);
  const projectInSight: Gate['projectInSight'] = (principal, id) =>
    gate.projectInSight(principal, id);
  const sessions = openSessionRepository({ log, ids });
  return [
    ...apiKeyWrites({ log, clock, gate, secrets }),
    ...loginWrites(needs),
    ...socialLoginWrites(needs),
    ...sessionWrites({ log, ids, sessions }),
    ...traceRoutes(needs, questions, sessions),
    ...ratingWrites({ log }),
    ...integrationWrites({ log, ids, vault, inTurn }),
    ...integrationReads({ documents }),
    ...insightsSettingsWrites({ log }),
    ...insightsSettingsReads({ documents, runInProject: questions.runInProject }),
    ...ratingReads({ documents, records }),
    ...priceListWrites({ log }),
    ...priceListReads({ documents }),
    ...projectWrites({ log, ids, newestRuns: questions.newestRuns }),
    ...logStreamWrites({ log, ids }),
    ...experimentWrites({
      log,
      ids,
      ...datasetUse({ log, gate }),
      unlinkDataset: datasetUnlinking(log),
      ...questions,
    }),
    ...datasetRoutes(needs, questions),
    ...experimentTagWrites({ log }),
    ...rankingWrites({ log, ...questions }),
    ...collaboratorWrites({ log, gate }),
    ...collaboratorReads({ documents }),
    ...annotationTemplateWrites({ log, templateUsage: questions.templateUsage }),
    ...annotationTemplateReads({ documents, records }),
    ...userWrites({ log, ids, inTurn, gate, ...people }),
    ...invitationWrites(needs),
    ...groupWrites({ log, ids }),
    ...groupReads({ documents }),
    ...userReads({ documents, ...people }),
    ...currentUserReads({ documents, ...people }),
    ...projectReads({ documents, gate }),
    ...experimentReads({ ...needs, ...questions, projectAt: projectAt({ ...needs, positionOf }) }),
    ...logStreamReads({ documents, records }),
    ...apiKeyReads({ documents, clock, lastUsed: (key) => gate.lastUsed(key) }),
    ...columnReads({ documents, records, runInProject: questions.runInProject }),
    ...metricReads({ records, unknownKeys, answers: needs.answers, ...questions }),
    ...orgJobWrites({ log, secrets, preview: orgJobPreviewOf(needs) }),
    ...orgJobReads({ documents, secrets }),
    ...recordWrites({ log, choice: recordChoiceOf({ ...needs, ...questions, unknownKeys }) }),
    ...recordReads({ ...needs, ...questions, unknownKeys, otelReceived: otelReceivedIn(log) }),
    ...exportRoutes(needs, questions),
    ...scorerTaskWrites({ log, ids, bus: needs.bus, inTurn, projectInSight }),
    ...scorerWrites({ log, ids }),
    ...scorerSettingsWrites({ log }),
    ...pastScoringRoutes(needs, questions),
    ...scorerReads({ documents, runInProject: questions.runInProject }),
    ...scorerTaskReads({
      documents,
      progresses: openTaskProgresses(needs.bus),
      runInProject: questions.runInProject,
    }),
    ...historyRoutes(needs),
    ...serviceReads({ describe: () => openApiDocument({ operations, components, nouns }) }),
  ];
};

/** Contract 4.7 and 5.11. */
const datasetRoutes = (
  needs: Needs,
  questions: ReturnType<typeof questionsOf>,
): readonly Route[] => {
  const { log, ids, documents, gate, inTurn } = needs;
  const projectInSight: Gate['projectInSight'] = (principal, id) =>
    gate.projectInSight(principal, id);
  const writing = { log, ids, readTable, inTurn, projectInSight };
  return [
    ...datasetWrites(writing),
    ...recordAppends({ ...writing, recordsAsRows: recordsAsRowsOf({ ...needs, ...questions }) }),
    ...datasetReads({ documents, gate, datasetAt: datasetAt(log, positionAsOf(needs)) }),
  ];
};

/** Contract 5.6 and 5.12. */
const traceRoutes = (
  { log, ids, clock, gate }: Needs,
  questions: ReturnType<typeof questionsOf>,
  { joinSessions }: ReturnType<typeof openSessionRepository>,
): readonly Route[] => {
  const projectInSight: Gate['projectInSight'] = (principal, id) =>
    gate.projectInSight(principal, id);
  const projectNamed = openProjectsByName({ log, ids, projectInSight });
  const named = { projectNamed, projectInSight, joinSessions };
  return traceWrites({ log, ids, clock, sha256, ...named, ...questions });
};

/** Contract 5.10: scoring of what a run holds already. */
const pastScoringRoutes = (
  needs: Needs,
  { runInProject }: ReturnType<typeof questionsOf>,
): readonly Route[] => [
  ...pastScoringWrites({ log: needs.log, selection: pastSelectionOf(needs) }),
  ...pastScoringReads({ ...needs, runInProject }),
];

/** At the end of a file that took as long as it took; else it is cut. */
const runsWithinMs = 20_000;

/** What takes records and datasets elsewhere. */
const exportRoutes = (
  needs: Needs,
  questions: ReturnType<typeof questionsOf>,
): readonly Route[] => [
  ...recordExports({
    ...needs,
    ...questions,
    runsKnown: async () => {
      const names = runCollections.map(({ name }) => name);
      await needs.freshness.reached(names, await needs.log.head(), { atMostMs: runsWithinMs });
    },
  }),
  ...datasetExports(needs),
];

/** The reads of contract 5.14. */
const historyRoutes = (needs: Needs): readonly Route[] => {
  const { log, documents, gate, clock, secrets } = needs;
  const line = openHistoryLine();
  const chains = { ...needs.chains, page: pagesInTurn(needs.chains, line) };
  const answered = historyAnswers({ log, clock, sha256, positionOf: positionAsOf(needs) });
  const answers = { ...answered, told: toldInTurn(answered, line) };
  const exports = historyExports({ ...needs, sha256, settled: settledBy(needs) });
  return [
    ...historyReads({
      chains,
      gate,
      sha256,
      cursorTag: secrets.cursorTag,
      ...answers,
      verdictOn: historyVerdicts({ log, clock, sha256, chains: needs.chains }),
    }),
    ...historySealReads({
      documents,
      chains: needs.chains,
      clock,
      sha256,
      gate,
      ...entryEvidence(log),
    }),
    ...historyExportReads({
      ...needs,
      ...answers,
      chains,
      ...exports,
      ...linesInTurn(exports, line),
    }),
  ];
};

/** Waits for the fold of what the log has now. */
const settledBy =
  ({ freshness, log }: Pick<Needs, 'freshness' | 'log'>) =>
  async (): Promise<void> => {
    await freshness.reached([historyCollection.name], await log.head());
  };
