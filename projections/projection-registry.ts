import { annotationTemplateList } from './annotation-template-list.js';
import { apiKeyList } from './api-key-list.js';
import type { AnyProjection } from './documents-model.js';
import { experimentList } from './experiment-list.js';
import { experimentMembers } from './experiment-members.js';
import { experimentWinners } from './experiment-winners.js';
import { promptTemplateList } from './prompt-template-list.js';
import { promptTemplateTexts } from './prompt-template-texts.js';
import { rankingCriteria } from './ranking-criteria.js';
import { groupList } from './group-list.js';
import { integrationList } from './integration-list.js';
import { insightsSettings } from './insights-settings.js';
import { datasetList } from './dataset-list.js';
import { datasetRows } from './dataset-rows.js';
import { datasetVersions } from './dataset-versions.js';
import { logStreamList } from './log-stream-list.js';
import { metricsTestingRunList } from './metrics-testing-run-list.js';
import { modelAccess } from './model-access.js';
import { orgJobList } from './org-job-list.js';
import { scoringBackfillList } from './scoring-backfill-list.js';
import { priceList } from './price-list.js';
import { projectList } from './project-list.js';
import { runScoringList } from './run-scoring-list.js';
import { scorerList } from './scorer-list.js';
import { scorerSettings } from './scorer-settings.js';
import { scorerVersions } from './scorer-versions.js';
import { scorerTaskList } from './scorer-task-list.js';
import { sealList } from './seal-list.js';
import { sealingKeyList } from './sealing-key-list.js';
import { userList } from './user-list.js';
import { viewList } from './view-list.js';

/**
 * All read models in Documents; the one in Records is in projections/records. An explicit list, no
 * discovery.
 */
export const projections: readonly AnyProjection[] = [
  annotationTemplateList,
  apiKeyList,
  experimentList,
  experimentMembers,
  experimentWinners,
  rankingCriteria,
  groupList,
  insightsSettings,
  datasetList,
  datasetRows,
  datasetVersions,
  integrationList,
  logStreamList,
  metricsTestingRunList,
  modelAccess,
  scoringBackfillList,
  runScoringList,
  scorerList,
  scorerSettings,
  scorerTaskList,
  orgJobList,
  scorerVersions,
  priceList,
  projectList,
  promptTemplateList,
  promptTemplateTexts,
  sealList,
  sealingKeyList,
  userList,
  viewList,
];
