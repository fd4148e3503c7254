import { datasetDescriptions } from './datasets.js';
import type { Descriptions } from './descriptions.js';
import { historyDescriptions } from './history.js';
import { integrationDescriptions } from './integrations.js';
import { listDescriptions } from './lists.js';
import { metricDescriptions } from './metrics.js';
import { peopleDescriptions } from './people.js';
import { promptTemplateDescriptions } from './prompt-templates.js';
import { recordDescriptions } from './records.js';
import { runDescriptions } from './runs.js';
import { scorerDescriptions } from './scorers.js';
import { serviceDescriptions } from './service.js';
import { viewDescriptions } from './views.js';

export const descriptions: readonly Descriptions[] = [
  serviceDescriptions,
  listDescriptions,
  peopleDescriptions,
  runDescriptions,
  recordDescriptions,
  metricDescriptions,
  datasetDescriptions,
  promptTemplateDescriptions,
  scorerDescriptions,
  historyDescriptions,
  integrationDescriptions,
  viewDescriptions,
];
