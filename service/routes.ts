import type { Route } from '../contract/operation.js';
import { annotationTemplateWrites } from '../command-api/annotation-templates/routes.js';
import { apiKeyWrites } from '../command-api/api-keys/routes.js';
import { collaboratorWrites } from '../command-api/collaborators/routes.js';
import { recordAppendRoutes } from '../command-api/datasets/record-appends.js';
import { datasetWrites } from '../command-api/datasets/routes.js';
import { rankingWrites } from '../command-api/experiments/ranking-routes.js';
import { experimentWrites } from '../command-api/experiments/routes.js';
import { experimentTagWrites } from '../command-api/experiments/tag-routes.js';
import { groupWrites } from '../command-api/groups/routes.js';
import { insightsSettingsWrites } from '../command-api/insights-settings/routes.js';
import { integrationWrites } from '../command-api/integrations/routes.js';
import { integrationTests } from '../command-api/integrations/test-call.js';
import { invitationWrites } from '../command-api/invitations/routes.js';
import { logStreamWrites } from '../command-api/log-streams/routes.js';
import { loginWrites } from '../command-api/logins/routes.js';
import { socialLoginWrites } from '../command-api/logins/social.js';
import { modelAccessWrites } from '../command-api/model-access/routes.js';
import { orgJobWrites } from '../command-api/org-jobs/routes.js';
import { priceListWrites } from '../command-api/price-list/routes.js';
import { projectWrites } from '../command-api/projects/routes.js';
import { promptTemplateWrites } from '../command-api/prompt-templates/routes.js';
import { ratingWrites } from '../command-api/ratings/routes.js';
import { recordWrites } from '../command-api/records/routes.js';
import { backfillWrites } from '../command-api/run-scoring/backfill-routes.js';
import { scorerSettingsWrites } from '../command-api/scorer-settings/routes.js';
import { scorerTaskWrites } from '../command-api/scorer-tasks/routes.js';
import { scorerWrites } from '../command-api/scorers/routes.js';
import { sessionWrites } from '../command-api/sessions/routes.js';
import { traceWrites } from '../command-api/traces/routes.js';
import { userWrites } from '../command-api/users/routes.js';
import { viewWrites } from '../command-api/views/routes.js';
import { ledgerRoutes } from '../ledger/routes.js';
import { annotationTemplateReads } from '../query-api/annotation-templates/routes.js';
import { apiKeyReads } from '../query-api/api-keys/routes.js';
import { collaboratorReads } from '../query-api/collaborators/routes.js';
import { columnReads } from '../query-api/columns/routes.js';
import { datasetReads } from '../query-api/datasets/routes.js';
import { experimentReads } from '../query-api/experiments/routes.js';
import { datasetExports } from '../query-api/exports/datasets.js';
import { recordExports } from '../query-api/exports/records.js';
import { groupReads } from '../query-api/groups/routes.js';
import { insightsSettingsReads } from '../query-api/insights-settings/routes.js';
import { integrationReads } from '../query-api/integrations/routes.js';
import { logStreamReads } from '../query-api/log-streams/routes.js';
import { currentUserReads } from '../query-api/logins/routes.js';
import { metricReads } from '../query-api/metrics/routes.js';
import { modelAccessReads } from '../query-api/model-access/routes.js';
import { orgJobReads } from '../query-api/org-jobs/routes.js';
import { priceListReads } from '../query-api/price-list/routes.js';
import { projectReads } from '../query-api/projects/routes.js';
import { promptTemplateReads } from '../query-api/prompt-templates/routes.js';
import { ratingReads } from '../query-api/ratings/routes.js';
import { recordReads } from '../query-api/records/routes.js';
import { scorerTaskReads } from '../query-api/scorer-tasks/routes.js';
import { scorerReads } from '../query-api/scorers/routes.js';
import { scoringBackfillReads } from '../query-api/scoring-backfill/routes.js';
import { serviceReads } from '../query-api/service/routes.js';
import { userReads } from '../query-api/users/routes.js';
import { viewReads } from '../query-api/views/routes.js';
import { sliceNeeds, type ServiceNeeds, type SliceNeeds } from './slice-needs.js';

/** Routes of one noun that write or that read. A slice takes of the needs what its type names. */
type Slice = (needs: SliceNeeds) => readonly Route[];

/** All slices, those of a noun on one line. */
const slices: readonly (readonly Slice[])[] = [
  [annotationTemplateWrites, annotationTemplateReads],
  [apiKeyWrites, apiKeyReads],
  [backfillWrites, scoringBackfillReads],
  [collaboratorWrites, collaboratorReads],
  [columnReads],
  [datasetWrites, recordAppendRoutes, datasetReads, datasetExports],
  [experimentWrites, experimentTagWrites, rankingWrites, experimentReads],
  [groupWrites, groupReads],
  [insightsSettingsWrites, insightsSettingsReads],
  [integrationWrites, integrationTests, integrationReads],
  [invitationWrites],
  [ledgerRoutes],
  [logStreamWrites, logStreamReads],
  [loginWrites, socialLoginWrites, currentUserReads],
  [metricReads],
  [modelAccessWrites, modelAccessReads],
  [orgJobWrites, orgJobReads],
  [priceListWrites, priceListReads],
  [projectWrites, projectReads],
  [promptTemplateWrites, promptTemplateReads],
  [ratingWrites, ratingReads],
  [recordWrites, recordReads, recordExports],
  [scorerSettingsWrites],
  [scorerTaskWrites, scorerTaskReads],
  [scorerWrites, scorerReads],
  [serviceReads],
  [sessionWrites],
  [traceWrites],
  [userWrites, userReads],
  [viewWrites, viewReads],
];

/** Every route of the service. */
export const routesOf = (service: ServiceNeeds): readonly Route[] => {
  const needs = sliceNeeds(service);
  return slices.flat().flatMap((slice) => slice(needs));
};
