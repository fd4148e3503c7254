import { Type, type Static } from 'typebox';
import { type Complaint, valueComplaint } from '../kernel/fault.js';
import { id, nullish, name, namedSchema } from '../kernel/schema-types.js';
import { asOfMember } from './as-of.js';
import { pageMembers } from './envelope.js';
import { experiment, prompt, promptSettings } from './experiment-record.js';
import { experimentFilter, experimentSort, listingFiltersMax } from './listings.js';
import { operation } from './operation.js';
import { counts, runLists } from './run-lists.js';
import { scorersInput } from './scorer-settings.js';

export const experimentsPath = '/v2/projects/{project_id}/experiments';
const path = experimentsPath;

/** Default task type (contract 4.6); the other one is 17. */
export const defaultTaskType = 16;
const taskType = Type.Integer({ minimum: 16, maximum: 17 });
/** Group members; names have 1 to 128 characters (contract 1.11). */
const groupMembers = {
  experiment_group_id: nullish(id('ExperimentGroupId')),
  experiment_group_name: nullish(name(128)),
};
const givenText = nullish(Type.String({ maxLength: 1_024 }));
const creation = Type.Object({
  name: name(),
  task_type: nullish(taskType),
  dataset: nullish(
    namedSchema(
      'DatasetReference',
      Type.Object({ dataset_id: id('DatasetId'), version_index: Type.Integer({ minimum: 1 }) }),
    ),
  ),
  prompt_settings: nullish(promptSettings),
  prompt_template_version_id: givenText,
  prompt: nullish(prompt),
  playground_id: givenText,
  playground_prompt_id: givenText,
  scorers: nullish(scorersInput),
  ...groupMembers,
  trigger: nullish(Type.Boolean()),
});
export type ExperimentCreation = Static<typeof creation>;

export const createExperiment = operation({
  operationId: 'createExperiment',
  summary: 'Create an experiment',
  description:
    'The service does not generate outputs: log traces into the experiment. A new ' +
    'group name makes a group.',
  example: { name: 'prompt 7', experiment_group_name: 'prompts' },
  section: '5.5',
  method: 'POST',
  path,
  requires: 'editor',
  body: creation,
  response: experiment,
  faults: ['already-exists'],
});

export const experimentLists = runLists({
  list: 'experiments',
  plural: 'Experiments',
  record: experiment,
  search: {
    description:
      'Each with its aggregates, ranking score and rank among its like; `as_of` shows them as ' +
      'they were.',
    example: {
      filters: [{ name: 'experiment_group_name', operator: 'eq', value: 'prompts' }],
      sort: { name: 'created_at', ascending: false },
      include_counts: true,
    },
    section: '4.6',
    query: Type.Object(asOfMember),
    body: Type.Object({
      ...pageMembers,
      filters: Type.Optional(Type.Array(experimentFilter, { maxItems: listingFiltersMax })),
      sort: nullish(experimentSort),
      ...counts,
    }),
  },
});

export const getExperiment = operation({
  operationId: 'getExperiment',
  summary: 'One experiment, with counts',
  description: 'With its aggregates, ranking score and rank; `as_of` shows it as it was.',
  section: '5.5',
  method: 'GET',
  path: `${path}/{experiment_id}`,
  requires: 'viewer',
  query: Type.Object(asOfMember),
  response: experiment,
});

export const changeExperiment = operation({
  operationId: 'changeExperiment',
  summary: 'Rename an experiment or put it into a group',
  description: 'An experiment can change its group, not leave it.',
  example: { name: 'prompt 7b', experiment_group_name: 'prompts' },
  section: '5.5',
  method: 'PUT',
  path: `${path}/{experiment_id}`,
  requires: 'editor',
  body: Type.Object({ name: name(), task_type: nullish(taskType), ...groupMembers }),
  response: experiment,
  faults: ['already-exists'],
});

export const deleteExperiment = operation({
  operationId: 'deleteExperiment',
  summary: 'Delete an experiment with its records',
  description: 'Its records are not found at once and are erased.',
  section: '5.5',
  method: 'DELETE',
  path: `${path}/{experiment_id}`,
  requires: 'editor',
  response: Type.Null(),
  status: 204,
});

export const experimentOperations = [
  createExperiment,
  experimentLists.list,
  experimentLists.page,
  experimentLists.search,
  getExperiment,
  changeExperiment,
  deleteExperiment,
];

type GroupChoice = Pick<ExperimentCreation, 'experiment_group_id' | 'experiment_group_name'>;

export const groupComplaints = (body: GroupChoice): readonly Complaint[] =>
  body.experiment_group_id != null && body.experiment_group_name != null
    ? [
        valueComplaint(
          ['body'],
          'at most one of experiment_group_id and experiment_group_name may be given',
        ),
      ]
    : [];

export const creationComplaints = (body: ExperimentCreation): readonly Complaint[] => [
  ...groupComplaints(body),
  ...(body.trigger === true
    ? [
        valueComplaint(
          ['body', 'trigger'],
          'this service does not generate outputs: log them into the experiment',
        ),
      ]
    : []),
];
