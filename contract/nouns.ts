import { annotationTemplateOperations } from './annotation-templates.js';
import { apiKeyOperations } from './api-keys.js';
import { collaboratorOperations } from './collaborators.js';
import {
  metricsTestingColumns,
  sessionsAvailableColumns,
  spansAvailableColumns,
  tracesAvailableColumns,
} from './columns.js';
import { datasetContentOperations } from './dataset-content.js';
import { datasetOperations } from './datasets.js';
import { datasetExportOperations, exportSessions, exportSpans, exportTraces } from './exports.js';
import { experimentComparisonOperations } from './experiment-comparison.js';
import { experimentRankingOperations } from './experiment-ranking.js';
import { experimentTagOperations } from './experiment-tags.js';
import { experimentOperations } from './experiments.js';
import { groupOperations } from './groups.js';
import { historyExportOperations } from './history-export.js';
import { historySealOperations } from './history-seals.js';
import { historyOperations } from './history.js';
import { createSession, logSpans, logTraces, updateSpan, updateTrace } from './ingest.js';
import { insightsSettingsOperations } from './insights-settings.js';
import { integrationOperations } from './integrations.js';
import { invitationOperations } from './invitations.js';
import { jobOperations } from './jobs.js';
import { logStreamOperations } from './log-streams.js';
import { loginOperations } from './logins.js';
import { metricOperations } from './metrics.js';
import { modelAccessOperations } from './model-access.js';
import type { OpenApiTag } from './openapi.js';
import { otlpOperations } from './otlp.js';
import { orgJobOperations } from './org-jobs.js';
import { backfillOperations } from './scoring-backfill.js';
import { priceListOperations } from './price-list.js';
import { projectOperations } from './projects.js';
import { promptTemplateOperations } from './prompt-templates.js';
import { ratingsOperations } from './ratings.js';
import { deleteSessions, deleteTraces } from './record-deletions.js';
import {
  countSessions,
  countSpans,
  countTraces,
  getSession,
  getSpan,
  getTrace,
  searchSessions,
  searchSpans,
  searchTraces,
} from './record-reads.js';
import { scorerSettingsOperations } from './scorer-settings.js';
import { scorerValidationOperations } from './scorer-validation.js';
import { scorerOperations } from './scorers.js';
import { serviceOperations } from './service.js';
import { userOperations } from './users.js';
import { viewOperations } from './views.js';

/**
 * Nouns of the interface with their operations, each under one of them: what is listed is served.
 * The tags of the OpenAPI document and the nouns of the TypeScript client. A list, not discovery.
 */
export const nouns: readonly OpenApiTag[] = [
  {
    name: 'Traces',
    description: 'One run of an application each, with its spans: logged, changed, read, deleted.',
    operations: [
      logTraces,
      ...otlpOperations,
      updateTrace,
      searchTraces,
      countTraces,
      exportTraces,
      getTrace,
      deleteTraces,
      tracesAvailableColumns,
    ],
  },
  {
    name: 'Spans',
    description: 'The steps of a trace: calls of models, retrievers and tools, workflows, agents.',
    operations: [
      logSpans,
      updateSpan,
      searchSpans,
      countSpans,
      exportSpans,
      getSpan,
      spansAvailableColumns,
    ],
  },
  {
    name: 'Sessions',
    description: 'Traces that belong to one conversation.',
    operations: [
      createSession,
      searchSessions,
      countSessions,
      exportSessions,
      getSession,
      deleteSessions,
      sessionsAvailableColumns,
    ],
  },
  {
    name: 'Metrics',
    description: 'Measurements, over time and by group.',
    operations: [...metricOperations, metricsTestingColumns],
  },
  {
    name: 'Projects',
    description: 'Containers of everything else; the role in a project determines access.',
    operations: [...projectOperations, ...priceListOperations],
  },
  {
    name: 'Collaborators',
    description: 'Users and groups that a project is shared with, each with a role.',
    operations: collaboratorOperations,
  },
  {
    name: 'Log streams',
    description: 'Runs that a live application logs into.',
    operations: [...logStreamOperations, ...insightsSettingsOperations],
  },
  {
    name: 'Experiments',
    description: 'Runs that are compared with each other, ranked and tagged.',
    operations: [
      ...experimentOperations,
      ...experimentComparisonOperations,
      ...experimentRankingOperations,
      ...experimentTagOperations,
    ],
  },
  {
    name: 'Datasets',
    description: 'Tables of inputs and expected outputs; every change of content is a version.',
    operations: [...datasetOperations, ...datasetContentOperations, ...datasetExportOperations],
  },
  {
    name: 'Prompts',
    description: 'Prompt templates with their versions and labels.',
    operations: promptTemplateOperations,
  },
  {
    name: 'Annotations',
    description: 'Templates that say how people rate traces, and the ratings.',
    operations: [...annotationTemplateOperations, ...ratingsOperations],
  },
  {
    name: 'Views',
    description: 'Saved views of pages, private to a user or shared with the project.',
    operations: viewOperations,
  },
  {
    name: 'Scorers',
    description: 'Code that scores records, its versions and its validation.',
    operations: [
      ...scorerValidationOperations,
      ...scorerOperations,
      ...scorerSettingsOperations,
      ...backfillOperations,
    ],
  },
  {
    name: 'Integrations',
    description: "A user's access to providers of models; secrets never come back.",
    operations: integrationOperations,
  },
  {
    name: 'Models',
    description:
      'Models that a project may call: integrations that are lent to it, and its budgets.',
    operations: modelAccessOperations,
  },
  {
    name: 'Jobs',
    description: 'Work in the background: of a run, or of the whole organisation.',
    operations: [...jobOperations, ...orgJobOperations],
  },
  {
    name: 'Users',
    description: 'People of the organisation, their roles and their invitations.',
    operations: [...userOperations, ...invitationOperations],
  },
  {
    name: 'Groups',
    description: 'Users who share their project roles.',
    operations: groupOperations,
  },
  {
    name: 'API keys',
    description: 'Credentials of programs, with the rights of their creator or fewer.',
    operations: apiKeyOperations,
  },
  {
    name: 'Logins',
    description: 'Access tokens for people: by password, provider, key or refresh cookie.',
    operations: loginOperations,
  },
  {
    name: 'History',
    description: 'Audit log: what happened, who did it, and a hash chain that proves it unchanged.',
    operations: historyOperations,
  },
  {
    name: 'History exports',
    description: 'The history in forms that others check and collect.',
    operations: historyExportOperations,
  },
  {
    name: 'Seals',
    description: 'Signed states of the history, and proofs that need no trust in the service.',
    operations: historySealOperations,
  },
  {
    name: 'Service',
    description: 'The service itself.',
    operations: serviceOperations,
  },
];
