import { Type } from 'typebox';
import { latestLabel } from '../kernel/prompts/prompt-text.js';
import { envelope, pageMembers, pageMembersOrNull } from './envelope.js';
import { operation } from './operation.js';
import { promptTemplate, promptVersion, versionBody } from './prompt-template-record.js';

const shared = { section: '5.18' } as const;
const exampleText = '{{input}}';
const template = '/v2/templates/{prompt_template_id}';

/** Versions of any template, and of one whose home the project is. */
const places = [
  { root: `${template}/versions`, suffix: '' },
  {
    root: '/v2/projects/{project_id}/templates/{prompt_template_id}/versions',
    suffix: 'OfProject',
  },
] as const;

export const addPromptVersion = places.map(({ root, suffix }) =>
  operation({
    ...shared,
    operationId: `addPromptVersion${suffix}`,
    summary: 'Add a version to a prompt template',
    description: 'It is selected. One that equals the newest is not added; that one is answered.',
    example: { template: exampleText, settings: { model_alias: 'gpt-5-mini' } },
    method: 'POST',
    path: root,
    requires: 'prompt-write',
    body: Type.Object(versionBody),
    response: promptVersion,
  }),
);

export const getPromptVersion = places.map(({ root, suffix }) =>
  operation({
    ...shared,
    operationId: `getPromptVersion${suffix}`,
    summary: 'A version of a prompt template, by number or label',
    description: `The label \`${latestLabel}\` is the newest version.`,
    method: 'GET',
    path: `${root}/{version}`,
    requires: 'prompt-read',
    response: promptVersion,
  }),
);

export const selectPromptVersion = places.map(({ root, suffix }) =>
  operation({
    ...shared,
    operationId: `selectPromptVersion${suffix}`,
    summary: 'Select a version of a prompt template',
    description: 'The selected one is shown and run where none is named.',
    method: 'PUT',
    path: `${root}/{version}`,
    requires: 'prompt-write',
    response: promptTemplate,
  }),
);

export const queryPromptVersions = places.map(({ root, suffix }) =>
  operation({
    ...shared,
    operationId: `queryPromptVersions${suffix}`,
    summary: 'Versions of a prompt template, newest first, paged',
    description: 'With what each changed in the one before it.',
    example: { limit: 20 },
    method: 'POST',
    path: `${root}/query`,
    kind: 'r',
    requires: 'prompt-read',
    query: Type.Object(pageMembers),
    body: Type.Object(pageMembersOrNull),
    response: envelope('versions', promptVersion),
  }),
);

const labelled = {
  ...shared,
  path: `${template}/labels/{label}`,
  requires: 'prompt-write',
  response: promptTemplate,
} as const;

export const labelPromptVersion = operation({
  ...labelled,
  operationId: 'labelPromptVersion',
  summary: 'Give a version of a prompt template a label',
  description: 'A label means one version; it moves here from another.',
  example: { version: 1 },
  method: 'PUT',
  body: Type.Object({ version: Type.Integer({ minimum: 1 }) }),
});

export const unlabelPromptVersion = operation({
  ...labelled,
  operationId: 'unlabelPromptVersion',
  summary: 'Take a label away from a prompt template',
  description: 'The version stays.',
  method: 'DELETE',
});

export const promptVersionOperations = [
  ...addPromptVersion,
  ...getPromptVersion,
  ...selectPromptVersion,
  ...queryPromptVersions,
  labelPromptVersion,
  unlabelPromptVersion,
];
