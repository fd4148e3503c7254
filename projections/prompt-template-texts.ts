import { promptTemplateEvents, promptTextEvents } from '../events/prompt-templates.js';
import { pickEvents } from '../events/schemas.js';
import type { PromptText } from '../kernel/prompts/prompt-text.js';
import type { Projection } from './projection.js';

const events = {
  ...promptTextEvents,
  ...pickEvents(promptTemplateEvents, 'PromptTemplateDeleted'),
};

/** Text of each version of the live prompt templates by version id, in the template's scope. */
export const promptTemplateTexts: Projection<typeof events, PromptText> = {
  collection: { name: 'prompt_template_texts', version: 1, fields: {} },
  events,
  keys: ({ type, data }) => (type === 'PromptTextStored' ? [data.version_id] : data.version_ids),
  evolve: (_document, { type, data }, key) => {
    if (type === 'PromptTemplateDeleted') return null;
    const { prompt_template_id: scope, version_id: _, ...body } = data;
    return { key, scope, fields: {}, body };
  },
};
