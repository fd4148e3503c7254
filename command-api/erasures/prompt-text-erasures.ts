import type { PromptTemplateEvent } from '../../events/prompt-templates.js';
import { reject, type Decide } from '../../kernel/decision.js';
import type { EventLog } from '../../kernel/ports.js';
import type { PromptTemplateId } from '../../kernel/schema-types.js';
import { loadStreamState, transact } from '../../kernel/transact.js';
import {
  promptTemplates,
  promptTemplateStream,
  promptTextsPrefix,
  type PromptTemplate,
} from '../facts/prompt-templates.js';
import type { DeletedResource } from './resource-erasures.js';

/** A deleted prompt template: the texts of its versions are erased. */
export const deletedPromptTemplates = (log: EventLog): DeletedResource<PromptTemplateId> => ({
  deletion: 'PromptTemplateDeleted',
  idOf: async (event) => {
    const { prompt_template_id: id } = (event as unknown as PromptTemplateDeletedEvent).data;
    const { state } = await loadStreamState(log, promptTemplateStream(id), promptTemplates);
    return state?.erased === true ? null : id;
  },
  prefixOf: promptTextsPrefix,
  recordComplete: (id, authorship) =>
    transact(log, promptTemplateStream(id), promptTemplates, completePromptErasure, authorship),
});

type PromptTemplateDeletedEvent = Extract<
  PromptTemplateEvent,
  { readonly type: 'PromptTemplateDeleted' }
>;

export const completePromptErasure: Decide<PromptTemplate | null, PromptTemplateEvent> = (
  template,
) => {
  if (template === null || template.live) return reject('conflict', 'The template lives');
  if (template.erased) return [];
  return [{ type: 'PromptTemplateErased', data: { prompt_template_id: template.id } }];
};
