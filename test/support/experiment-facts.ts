import type { ExperimentCreated } from '../../events/experiments.js';

type GivenFacts =
  'run_id' | 'project_id' | 'organization_id' | 'name' | 'created_by' | 'created_at';

/** Facts of a new experiment that has only a name. */
export const experimentCreated = (
  known: Readonly<Record<GivenFacts, string>>,
): ExperimentCreated => ({
  task_type: 16,
  dataset: null,
  prompt_settings: null,
  prompt: null,
  prompt_template_version_id: null,
  playground_id: null,
  playground_prompt_id: null,
  scorers: [],
  group: null,
  ...(known as Pick<ExperimentCreated, GivenFacts>),
});
