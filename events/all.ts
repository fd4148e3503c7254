import type { TSchema } from 'typebox';
import { annotationTemplateEvents } from './annotation-templates.js';
import { apiKeyEvents } from './api-keys.js';
import { collaboratorEvents } from './collaborators.js';
import { datasetEvents, datasetRowsEvents } from './datasets.js';
import { deletionEvents } from './deletions.js';
import { earlierErasureEvents, erasureEvents } from './erasures.js';
import { experimentEvents, experimentScopeEvents, rankingCriteriaEvents } from './experiments.js';
import { groupEvents } from './groups.js';
import {
  idempotencyEvents,
  idempotencyAnswerEvents,
  idempotencySaltEvents,
} from './idempotency.js';
import { insightsSettingsEvents } from './insights-settings.js';
import { integrationEvents, sealEvents } from './integrations.js';
import { invitationEvents } from './invitations.js';
import { logStreamEvents } from './log-streams.js';
import { orgJobEvents } from './org-jobs.js';
import { organizationEvents } from './organizations.js';
import { parkingEvents } from './parking.js';
import { pastScoringEvents } from './past-scoring.js';
import { priceListEvents } from './price-list.js';
import { projectEvents } from './projects.js';
import { ratingEvents } from './ratings.js';
import { refreshFamilyEvents } from './refresh-families.js';
import { reservationEvents } from './reservations.js';
import { runScoringEvents } from './run-scoring.js';
import {
  scorerTaskEvents,
  metricsTestingRunEvents,
  scorerQueueEvents,
  scorerFileEvents,
} from './scorer-tasks.js';
import { scorerEvents, scorerSettingsEvents } from './scorers.js';
import { historySealEvents, installationEvents, sealingKeyEvents } from './seals.js';
import { traceEvents, sessionEvents, sessionSizeEvents } from './traces.js';
import { userEvents } from './users.js';
import { viewEvents } from './views.js';
import { upcasts } from './upcasts.js';

/** All event types that were ever stored, with the schema of their newest data. */
export const allEvents = {
  ...annotationTemplateEvents,
  ...apiKeyEvents,
  ...collaboratorEvents,
  ...datasetEvents,
  ...datasetRowsEvents,
  ...deletionEvents,
  ...erasureEvents,
  ...earlierErasureEvents,
  ...experimentEvents,
  ...experimentScopeEvents,
  ...rankingCriteriaEvents,
  ...groupEvents,
  ...historySealEvents,
  ...installationEvents,
  ...sealingKeyEvents,
  ...idempotencyEvents,
  ...idempotencyAnswerEvents,
  ...idempotencySaltEvents,
  ...insightsSettingsEvents,
  ...integrationEvents,
  ...sealEvents,
  ...invitationEvents,
  ...logStreamEvents,
  ...orgJobEvents,
  ...organizationEvents,
  ...parkingEvents,
  ...pastScoringEvents,
  ...priceListEvents,
  ...projectEvents,
  ...ratingEvents,
  ...refreshFamilyEvents,
  ...reservationEvents,
  ...runScoringEvents,
  ...scorerTaskEvents,
  ...metricsTestingRunEvents,
  ...scorerQueueEvents,
  ...scorerFileEvents,
  ...scorerEvents,
  ...scorerSettingsEvents,
  ...traceEvents,
  ...sessionEvents,
  ...sessionSizeEvents,
  ...userEvents,
  ...viewEvents,
};

/** Version to which all others are upcast. */
const newestOf = (type: string): number => {
  let version = 1;
  for (let step = upcasts[`${type}.1`]; step; step = upcasts[`${type}.${version}`]) {
    version = step.to;
  }
  return version;
};

export const eventSchemas: Readonly<Record<string, { version: number; schema: TSchema }>> =
  Object.fromEntries(
    Object.entries(allEvents).map(([type, schema]) => [type, { version: newestOf(type), schema }]),
  );
