import type { TSchema } from 'typebox';
import { annotationTemplateOperations } from './annotation-templates.js';
import { apiKeyOperations } from './api-keys.js';
import { collaboratorOperations } from './collaborators.js';
import { columnOperations } from './columns.js';
import { datasetContentOperations } from './dataset-content.js';
import { datasetExportOperations, recordExportOperations } from './exports.js';
import { datasetOperations, datasetComponents } from './datasets.js';
import { experimentComparisonOperations } from './experiment-comparison.js';
import { experimentRankingOperations } from './experiment-ranking.js';
import { experimentTagOperations } from './experiment-tags.js';
import { experimentOperations } from './experiments.js';
import { filterComponents } from './filters.js';
import { groupOperations } from './groups.js';
import { historyExportOperations } from './history-export.js';
import { historySealOperations } from './history-seals.js';
import { historyOperations } from './history.js';
import { ingestOperations } from './ingest.js';
import { insightsSettingsOperations } from './insights-settings.js';
import { integrationOperations } from './integrations.js';
import { invitationOperations } from './invitations.js';
import { jobOperations } from './jobs.js';
import { listingComponents } from './listings.js';
import { logStreamOperations } from './log-streams.js';
import { loginOperations } from './logins.js';
import { metricOperations } from './metrics.js';
import { otlpOperations } from './otlp.js';
import { orgJobOperations } from './org-jobs.js';
import { backfillOperations } from './scoring-backfill.js';
import { priceListOperations } from './price-list.js';
import { projectOperations } from './projects.js';
import { ratingsOperations } from './ratings.js';
import { recordDeletionOperations } from './record-deletions.js';
import { recordReadComponents, recordReadOperations } from './record-reads.js';
import { scorerSettingsOperations } from './scorer-settings.js';
import { scorerValidationOperations } from './scorer-validation.js';
import { scorerOperations, scorerComponents } from './scorers.js';
import { serviceOperations } from './service.js';
import { userOperations, userComponents } from './users.js';
import { viewOperations } from './views.js';
import type { Operation } from './operation.js';

/** All operations that are served: the rows of contract 6. A list, not discovery. */
export const operations: readonly Operation[] = [
  ...loginOperations,
  ...apiKeyOperations,
  ...userOperations,
  ...invitationOperations,
  ...groupOperations,
  ...metricOperations,
  ...columnOperations,
  ...priceListOperations,
  ...projectOperations,
  ...collaboratorOperations,
  ...logStreamOperations,
  ...experimentOperations,
  ...experimentComparisonOperations,
  ...experimentRankingOperations,
  ...experimentTagOperations,
  ...ingestOperations,
  ...otlpOperations,
  ...recordReadOperations,
  ...recordExportOperations,
  ...annotationTemplateOperations,
  ...ratingsOperations,
  ...viewOperations,
  ...insightsSettingsOperations,
  ...datasetOperations,
  ...datasetContentOperations,
  ...datasetExportOperations,
  ...integrationOperations,
  ...recordDeletionOperations,
  ...scorerValidationOperations,
  ...scorerOperations,
  ...scorerSettingsOperations,
  ...backfillOperations,
  ...jobOperations,
  ...orgJobOperations,
  ...historySealOperations,
  ...historyExportOperations,
  ...historyOperations,
  ...serviceOperations,
] as readonly unknown[] as readonly Operation[];

/** OpenAPI components of the recursive schemas and of those that handlers check. */
export const components: Readonly<Record<string, TSchema>> = {
  ...filterComponents,
  ...listingComponents,
  ...datasetComponents,
  ...scorerComponents,
  ...userComponents,
  ...recordReadComponents,
};
