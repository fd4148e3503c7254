import type { PromptTemplateFacts } from '../contract/prompt-template-record.js';
import { promptTemplateEvents, type PromptTemplateEvent } from '../events/prompt-templates.js';
import { omitEvents } from '../events/schemas.js';
import { unreachable } from '../kernel/decision.js';
import type { Document } from '../kernel/documents.js';
import { projectSearchKey } from './dataset-list.js';
import type { Projection } from './projection.js';

const events = omitEvents(promptTemplateEvents, 'PromptTemplateErased');
type ListedEvent = Exclude<PromptTemplateEvent, { readonly type: 'PromptTemplateErased' }>;

/** Live prompt templates by id, in the scope of their organisation, without their texts. */
export const promptTemplateList: Projection<typeof events, PromptTemplateFacts> = {
  collection: {
    name: 'prompt_template_list',
    version: 1,
    fields: {
      id: 'id',
      name: 'text',
      hidden: 'boolean',
      created_by: 'id',
      created_at: 'date',
      updated_at: 'date',
      projects: 'text',
    },
  },
  events,
  keys: ({ data }) => [data.prompt_template_id],
  evolve: (document, event) => {
    const { type, data, metadata, revision } = event;
    if (type === 'PromptTemplateDeleted') return null;
    if (type === 'PromptTemplateCreated') {
      return documentOf(data.organization_id, {
        id: data.prompt_template_id,
        name: data.name,
        hidden: data.hidden,
        created_by: data.created_by,
        home_project: data.project_id,
        created_at: data.created_at,
        updated_at: data.created_at,
        selected: 0,
        labels: {},
        versions: [],
        revision,
      });
    }
    if (document === null) return null;
    const change = { ...changeOf(document.body, event), updated_at: metadata.at, revision };
    return documentOf(document.scope, { ...document.body, ...change });
  },
};

const changeOf = (
  { versions, labels }: PromptTemplateFacts,
  {
    type,
    data,
  }: Exclude<ListedEvent, { readonly type: 'PromptTemplateCreated' | 'PromptTemplateDeleted' }>,
): Partial<PromptTemplateFacts> => {
  switch (type) {
    case 'PromptTemplateVersionAdded': {
      const { prompt_template_id: _, ...version } = data;
      // Idempotent: a redelivered event adds one version.
      const others = versions.filter((one) => one.version !== version.version);
      return { versions: [...others, version], selected: version.version };
    }
    case 'PromptTemplateVersionSelected':
      return { selected: data.version };
    case 'PromptTemplateRenamed':
      return { name: data.name };
    case 'PromptTemplateLabelled':
      return { labels: { ...labels, [data.label]: data.version } };
    case 'PromptTemplateUnlabelled': {
      const { [data.label]: _, ...rest } = labels;
      return { labels: rest };
    }
    default:
      return unreachable(type);
  }
};

const documentOf = (
  organization: string,
  facts: PromptTemplateFacts,
): Document<PromptTemplateFacts> => ({
  key: facts.id,
  scope: organization,
  fields: {
    id: facts.id,
    name: facts.name,
    hidden: facts.hidden,
    created_by: facts.created_by,
    created_at: facts.created_at,
    updated_at: facts.updated_at,
    projects: facts.home_project === null ? '' : projectSearchKey(facts.home_project),
  },
  body: facts,
});
