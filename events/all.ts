import type { TSchema } from 'typebox';
import { annotationTemplateNoun } from './annotation-templates.js';
import { apiKeyNoun } from './api-keys.js';
import { datasetNoun, datasetRowsNoun } from './datasets.js';
import { deletionNoun } from './deletions.js';
import { earlierErasureNoun, erasureNoun } from './erasures.js';
import { experimentNoun, experimentScopeNoun, rankingCriteriaNoun } from './experiments.js';
import { groupNoun } from './groups.js';
import { idempotencyAnswerNoun, idempotencyNoun, idempotencySaltNoun } from './idempotency.js';
import { insightsSettingsNoun } from './insights-settings.js';
import { integrationNoun, sealedIntegrationNoun } from './integrations.js';
import { logStreamNoun } from './log-streams.js';
import { modelAccessNoun } from './model-access.js';
import { streamForm, type Noun, type StreamForm, type StreamKind } from './noun.js';
import { orgJobNoun } from './org-jobs.js';
import { organizationNoun } from './organizations.js';
import { parkingNoun } from './parking.js';
import { pastScoringNoun } from './past-scoring.js';
import { priceListNoun } from './price-list.js';
import { projectNoun } from './projects.js';
import { promptTemplateNoun, promptTextNoun } from './prompt-templates.js';
import { refreshFamilyNoun } from './refresh-families.js';
import { reservationNoun } from './reservations.js';
import { runScoringNoun } from './run-scoring.js';
import {
  metricsTestingRunNoun,
  scorerFileNoun,
  scorerQueueNoun,
  scorerTaskNoun,
} from './scorer-tasks.js';
import { scorerNoun, scorerSettingsNoun } from './scorers.js';
import { sealNoun } from './seals.js';
import { sessionNoun, sessionSizeNoun, traceNoun } from './traces.js';
import { upcasts } from './upcasts.js';
import { userNoun } from './users.js';
import { viewNoun } from './views.js';

/** All nouns, with all event types that were ever stored. */
export const nouns: readonly Noun[] = [
  annotationTemplateNoun,
  apiKeyNoun,
  datasetNoun,
  datasetRowsNoun,
  deletionNoun,
  erasureNoun,
  earlierErasureNoun,
  experimentNoun,
  experimentScopeNoun,
  rankingCriteriaNoun,
  groupNoun,
  idempotencyNoun,
  idempotencyAnswerNoun,
  idempotencySaltNoun,
  insightsSettingsNoun,
  integrationNoun,
  sealedIntegrationNoun,
  logStreamNoun,
  modelAccessNoun,
  orgJobNoun,
  organizationNoun,
  parkingNoun,
  pastScoringNoun,
  priceListNoun,
  projectNoun,
  promptTemplateNoun,
  promptTextNoun,
  refreshFamilyNoun,
  reservationNoun,
  runScoringNoun,
  scorerTaskNoun,
  metricsTestingRunNoun,
  scorerQueueNoun,
  scorerFileNoun,
  scorerNoun,
  scorerSettingsNoun,
  sealNoun,
  traceNoun,
  sessionNoun,
  sessionSizeNoun,
  userNoun,
  viewNoun,
];

/** Kinds of streams, with the parts of their names. */
export const streamKinds: readonly (StreamKind & StreamForm)[] = [
  ...new Set(nouns.map(({ stream }) => stream)),
].map((stream) => ({ ...stream, ...streamForm(stream) }));

/** Version to which all others are upcast. */
const newestOf = (type: string): number => {
  let version = 1;
  for (let step = upcasts[`${type}.1`]; step; step = upcasts[`${type}.${version}`]) {
    version = step.to;
  }
  return version;
};

/** Schema and version of the newest data of each event type. */
export const eventSchemas: Readonly<Record<string, { version: number; schema: TSchema }>> =
  Object.fromEntries(
    nouns.flatMap(({ events }) =>
      Object.entries(events).map(([type, schema]) => [type, { version: newestOf(type), schema }]),
    ),
  );

const nounsByType = new Map(
  nouns.flatMap((noun) => Object.keys(noun.events).map((type) => [type, noun] as const)),
);
/** Noun of an event type; null for a type that this version does not know. */
export const nounOfEvent = (type: string): Noun | null => nounsByType.get(type) ?? null;
