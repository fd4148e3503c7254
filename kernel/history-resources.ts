/** Resource types of history entries (contract 5.14, rule 1). */
export const historyResources = [
  'organization',
  'user',
  'api_key',
  'group',
  'project',
  'log_stream',
  'experiment',
  'session',
  'trace',
  'dataset',
  'annotation_template',
  'prompt_template',
  'scorer',
  'scorer_task',
  'integration',
  'org_job',
] as const;
export type HistoryResourceType = (typeof historyResources)[number];

/** Resource types whose ids are unique in their project only. */
export const projectScopedResources: readonly string[] = [
  'session',
  'trace',
  'annotation_template',
] satisfies readonly HistoryResourceType[];
