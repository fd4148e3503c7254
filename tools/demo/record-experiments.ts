import { createNamed, type Ask, type NamedObject } from './requests.js';
import { makeSampleExperiments } from './sample-experiments.js';

const datasetName = 'flight bookings';
const group = 'prompts';

/**
 * Records a dataset and two experiments over its rows, ranked by reward and cost, in the project.
 * Repeatable like `recordDemo`. Returns a sentence on what there is.
 */
export const recordExperiments = async (
  ask: Ask,
  { id, created_at, seed }: Pick<NamedObject, 'id' | 'created_at'> & { readonly seed: number },
): Promise<string> => {
  const root = `/v2/projects/${id}`;
  const { rows, experiments } = makeSampleExperiments({ seed, end: Date.parse(created_at) });
  const datasetId = await datasetOf(ask, id, rows);
  await ask('PUT', `${root}/experiments/ranking_criteria`, {
    criteria: [
      { metric: 'reward', weight: 2, direction: 'higher' },
      { metric: 'cost', weight: 1, direction: 'lower' },
    ],
  });
  for (const { name, traces } of experiments) {
    const experiment = await createNamed(ask, `${root}/experiments`, {
      name,
      dataset: { dataset_id: datasetId, version_index: 1 },
      experiment_group_name: group,
    });
    await ask('POST', `${root}/traces`, { experiment_id: experiment.id, traces });
  }
  return `${experiments.length} experiments over ${rows.length} rows of the dataset ${datasetName}`;
};

const datasetOf = async (ask: Ask, projectId: string, rows: readonly object[]): Promise<string> => {
  const lines = rows.map((row) => JSON.stringify(row)).join('\n');
  const form = new FormData();
  form.set('file', new Blob([lines]), 'flights.jsonl');
  form.set('name', datasetName);
  form.set('project_id', projectId);
  const made = await ask('POST', '/v2/datasets?format=jsonl', form);
  if (made.status === 200) return (made.body as NamedObject).id;
  const known = await ask('POST', '/v2/datasets/query', {
    filters: [{ name: 'name', operator: 'eq', value: datasetName }],
  });
  const [found] = (known.body as { readonly datasets: readonly NamedObject[] }).datasets;
  if (found === undefined) throw new Error(`the dataset ${datasetName} is out of sight`);
  return found.id;
};

const templates = [
  { name: 'Helpful', constraints: { annotation_type: 'star' }, include_explanation: true },
  { name: 'Correct', constraints: { annotation_type: 'like_dislike' } },
  {
    name: 'Issues',
    constraints: {
      annotation_type: 'tags',
      tags: ['wrong tool', 'slow', 'rude'],
      allow_other: true,
    },
  },
] as const;

/** Records templates for ratings by people. Returns their number in words. */
export const recordTemplates = async (ask: Ask, root: string): Promise<string> => {
  for (const template of templates)
    await createNamed(ask, `${root}/annotation/templates`, template);
  return `${templates.length} templates for ratings`;
};
