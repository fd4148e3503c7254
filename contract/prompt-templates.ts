import { Type, type TSchema } from 'typebox';
import {
  componentSchema,
  id,
  name,
  namedSchema,
  nullable,
  nullish,
  oneOf,
  type Json,
} from '../kernel/schema-types.js';
import { envelope, message, pageMembers, pageMembersOrNull, plainListMax } from './envelope.js';
import { listingFiltersMax, nameFilter } from './listings.js';
import { operation } from './operation.js';
import { promptTemplate, promptVersion, versionBody } from './prompt-template-record.js';
import { versionOrLabel } from './path-parameters.js';
import { promptVersionOperations } from './prompt-template-versions.js';

const shared = { section: '5.18' } as const;
const path = '/v2/templates';
const inProject = '/v2/projects/{project_id}/templates';

const wantedName = Type.Union([
  name(),
  namedSchema(
    'SuffixedName',
    Type.Object({
      value: name(),
      append_suffix_if_duplicate: Type.Optional(Type.Boolean({ default: false })),
    }),
  ),
]);
const creation = Type.Object({
  ...versionBody,
  name: wantedName,
  hidden: nullish(Type.Boolean({ default: false })),
});
const exampleMessages = [
  { role: 'system', content: 'You answer questions about flights.' },
  { role: 'user', content: '{{input}}' },
];
const created = {
  ...shared,
  description: 'Its first version is selected. `settings` are those of a run (4.6).',
  method: 'POST',
  body: creation,
  response: promptTemplate,
  faults: ['already-exists'],
} as const;

export const createPromptTemplate = operation({
  ...created,
  operationId: 'createPromptTemplate',
  example: { name: 'summary', template: 'Summarise this: {{input}}' },
  summary: 'Create a prompt template',
  path,
  requires: 'creator',
  query: Type.Object({ project_id: Type.Optional(id('ProjectId')) }),
});

export const createProjectPromptTemplate = operation({
  ...created,
  operationId: 'createProjectPromptTemplate',
  example: { name: 'answer', template: exampleMessages, settings: { model_alias: 'gpt-5-mini' } },
  summary: 'Create a prompt template with the project as its home',
  path: inProject,
  requires: 'editor',
});

const promptFilter = componentSchema<Json>('PromptTemplateFilter');
const promptSort = componentSchema<Json>('PromptTemplateSort');

export const queryPromptTemplates = operation({
  ...shared,
  operationId: 'queryPromptTemplates',
  summary: 'Visible prompt templates, filtered, sorted and paged',
  description: 'Each with its selected version; hidden ones are left out.',
  example: { filters: [{ name: 'name', operator: 'contains', value: 'answer' }] },
  method: 'POST',
  path: `${path}/query`,
  kind: 'r',
  requires: 'signed-in',
  query: Type.Object(pageMembers),
  body: Type.Object({
    ...pageMembersOrNull,
    filters: nullish(Type.Array(promptFilter, { maxItems: listingFiltersMax })),
    sort: nullish(promptSort),
  }),
  response: envelope('templates', promptTemplate),
});

export const listProjectPromptTemplates = operation({
  ...shared,
  operationId: 'listProjectPromptTemplates',
  summary: 'Prompt templates whose home is the project, newest first',
  description: 'Each with its selected version; hidden ones are left out.',
  method: 'GET',
  path: inProject,
  requires: 'viewer',
  response: Type.Array(promptTemplate, { maxItems: plainListMax }),
});

export const getPromptVersionByName = operation({
  ...shared,
  operationId: 'getPromptVersionByName',
  summary: 'A version of a prompt template of a project, by the name of the template',
  description: 'Without `version`: the selected one.',
  method: 'GET',
  path: `${inProject}/versions`,
  requires: 'viewer',
  query: Type.Object({
    template_name: Type.String({ minLength: 1, maxLength: 255 }),
    version: Type.Optional(versionOrLabel),
  }),
  response: promptVersion,
});

export const getPromptTemplate = operation({
  ...shared,
  operationId: 'getPromptTemplate',
  summary: 'One prompt template',
  description: '`all_versions` has the ten newest ones. The `ETag` can be sent as `If-Match`.',
  method: 'GET',
  path: `${path}/{prompt_template_id}`,
  requires: 'prompt-read',
  response: promptTemplate,
});

export const renamePromptTemplate = operation({
  ...shared,
  operationId: 'renamePromptTemplate',
  summary: 'Rename a prompt template',
  description: 'Its versions stay as they are.',
  example: { name: 'answer 2026' },
  method: 'PATCH',
  path: `${path}/{prompt_template_id}`,
  requires: 'prompt-write',
  conditional: true,
  body: Type.Object({ name: nullish(wantedName) }),
  response: promptTemplate,
  faults: ['already-exists'],
});

export const deletePromptTemplate = operation({
  ...shared,
  operationId: 'deletePromptTemplate',
  summary: 'Delete a prompt template; its texts are erased',
  description: 'Experiments keep their copy of the prompt.',
  method: 'DELETE',
  path: `${path}/{prompt_template_id}`,
  requires: 'prompt-write',
  conditional: true,
  response: message,
});

/** OpenAPI components; query-api/prompt-templates parses these filters and sorts. */
export const promptTemplateComponents: Readonly<Record<string, TSchema>> = {
  PromptTemplateFilter: Type.Union([
    nameFilter,
    Type.Object({
      name: oneOf(['creator']),
      operator: Type.Optional(oneOf(['eq', 'ne', 'one_of', 'not_in', 'contains'])),
      value: Type.Union([Type.String(), Type.Array(Type.String())]),
    }),
    Type.Object({
      name: oneOf(['used_in_project', 'not_in_project']),
      value: Type.String({ format: 'uuid' }),
    }),
  ]),
  PromptTemplateSort: Type.Object({
    name: oneOf(['name', 'created_at', 'updated_at']),
    ascending: Type.Optional(Type.Boolean({ default: true })),
    sort_type: Type.Optional(nullable(oneOf(['column']))),
  }),
};

export const promptTemplateOperations = [
  createPromptTemplate,
  createProjectPromptTemplate,
  queryPromptTemplates,
  listProjectPromptTemplates,
  getPromptVersionByName,
  getPromptTemplate,
  renamePromptTemplate,
  deletePromptTemplate,
  ...promptVersionOperations,
];
