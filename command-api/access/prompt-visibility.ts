import type { VisibilityRules } from '../../contract/request-ports.js';
import type { Principal } from '../../contract/roles.js';
import type { EventReader } from '../../kernel/ports.js';
import { livePromptTemplate, type PromptTemplate } from '../facts/prompt-templates.js';
import { rightsAtHome, type VisibleProjects } from './home-visibility.js';

type PromptVisibilityNeeds = VisibleProjects & { readonly log: EventReader };
type VisiblePrompt = { readonly template: PromptTemplate; readonly write: boolean };

/** The template with the caller's write right; null when not visible to them. */
const visiblePrompt = async (
  needs: PromptVisibilityNeeds,
  principal: Principal,
  id: string,
): Promise<VisiblePrompt | null> => {
  const template = await livePromptTemplate(needs.log, principal.organizationId, id);
  const rights = template && (await rightsAtHome(needs, principal, template));
  return rights && { template, ...rights };
};

/** Visibility rules of prompt templates, answered from the log. */
export const promptVisibilityRules = (needs: PromptVisibilityNeeds): VisibilityRules => ({
  'prompt-read': async (principal, id) =>
    (await visiblePrompt(needs, principal, id)) === null ? 'unseen' : 'allowed',
  'prompt-write': async (principal, id) => {
    const seen = await visiblePrompt(needs, principal, id);
    if (seen === null) return 'unseen';
    return seen.write ? 'allowed' : 'forbidden';
  },
});
