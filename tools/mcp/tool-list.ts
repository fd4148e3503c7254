import { catalogueTools } from './catalogue-tools.js';
import { datasetTools, datasetWriteTools } from './dataset-tools.js';
import { experimentTools } from './experiment-tools.js';
import { metricTools } from './metric-tools.js';
import { recordTools } from './record-tools.js';
import type { McpTool } from './tool.js';
import { writeTools } from './write-tools.js';

/** Every tool in listing order; writing tools only if `write`. */
export const mcpTools = (write: boolean): readonly McpTool[] => [
  ...catalogueTools,
  ...recordTools,
  ...metricTools,
  ...experimentTools,
  ...datasetTools,
  ...(write ? [...datasetWriteTools, ...writeTools] : []),
];
