import { Type } from 'typebox';
import { namedSchema } from '../kernel/schema-types.js';
import { message } from './envelope.js';
import { experimentTag } from './experiment-record.js';
import { experimentsPath } from './experiments.js';
import { operation } from './operation.js';

const text = Type.String({ minLength: 1, maxLength: 256 });
const body = namedSchema(
  'ExperimentTagInput',
  Type.Object({ key: text, value: text, tag_type: text }),
);
const shared = { section: '5.5' } as const;
const path = `${experimentsPath}/{experiment_id}/tags`;

export const listExperimentTags = operation({
  ...shared,
  operationId: 'listExperimentTags',
  summary: 'Tags of an experiment, in the order in which they were given',
  description: 'At most 100.',
  method: 'GET',
  path,
  requires: 'viewer',
  response: Type.Array(experimentTag),
});

export const tagExperiment = operation({
  ...shared,
  operationId: 'tagExperiment',
  summary: 'Tag an experiment',
  description: 'One key may be given more than once.',
  example: { key: 'branch', value: 'main', tag_type: 'generic' },
  method: 'POST',
  path,
  requires: 'editor',
  body,
  response: experimentTag,
});

export const changeExperimentTag = operation({
  ...shared,
  operationId: 'changeExperimentTag',
  summary: 'Change a tag of an experiment',
  description: 'All three members are replaced.',
  example: { key: 'branch', value: 'release', tag_type: 'generic' },
  method: 'PUT',
  path: `${path}/{tag_id}`,
  requires: 'editor',
  body,
  response: experimentTag,
});

export const untagExperiment = operation({
  ...shared,
  operationId: 'untagExperiment',
  summary: 'Take a tag from an experiment',
  description: 'Other tags with the same key stay.',
  method: 'DELETE',
  path: `${path}/{tag_id}`,
  requires: 'editor',
  response: message,
});

export const experimentTagOperations = [
  listExperimentTags,
  tagExperiment,
  changeExperimentTag,
  untagExperiment,
];
