import {
  promptLabelsMax,
  promptVersionOf,
  promptVersionsMax,
} from '../../contract/prompt-template-record.js';
import type {
  PromptTemplateCreated,
  PromptTemplateEvent,
  PromptVersionAdded,
} from '../../events/prompt-templates.js';
import { reject, type Decide } from '../../kernel/decision.js';
import { valueFault } from '../../kernel/fault.js';
import type { PromptChange } from '../../kernel/prompts/prompt-text.js';
import type { ProjectId } from '../../kernel/schema-types.js';
import type { PromptTemplate } from '../facts/prompt-templates.js';

type DecidePromptTemplate = Decide<PromptTemplate | null, PromptTemplateEvent>;

/** A new version without its number and what it changes. */
export type NewVersion = Pick<
  PromptVersionAdded,
  'prompt_template_id' | 'version_id' | 'created_by' | 'created_at'
>;

/** Creates a template with its first version. */
export const create =
  (created: PromptTemplateCreated, first: NewVersion, change: PromptChange): DecidePromptTemplate =>
  (template) =>
    template !== null
      ? []
      : [
          { type: 'PromptTemplateCreated', data: created },
          { type: 'PromptTemplateVersionAdded', data: { ...first, ...change, version: 1 } },
        ];

/**
 * Adds a version that changes version `base`. Optimistic concurrency: refused when another version
 * was added since.
 */
export const addVersion =
  (base: number, added: NewVersion, change: PromptChange): DecidePromptTemplate =>
  (template) => {
    if (template?.live !== true) return promptTemplateNotFound;
    const { versions } = template;
    if (versions.some(({ version_id: one }) => one === added.version_id)) return [];
    if (versions.length !== base) {
      return reject('conflict', 'Another version was added concurrently; try again');
    }
    if (versions.length >= promptVersionsMax) {
      return reject('conflict', `A prompt template has at most ${promptVersionsMax} versions`);
    }
    const data = { ...added, ...change, version: versions.length + 1 };
    return [{ type: 'PromptTemplateVersionAdded', data }];
  };

export const select =
  (version: number): DecidePromptTemplate =>
  (template) => {
    if (template?.live !== true) return promptTemplateNotFound;
    if (template.selected === version) return [];
    const data = { prompt_template_id: template.id, version };
    return [{ type: 'PromptTemplateVersionSelected', data }];
  };

/** Selects what a number or label means, in a template with this home where one is given. */
export const selectNamed =
  (written: string, home?: ProjectId): DecidePromptTemplate =>
  (template) => {
    const isAtHome = home === undefined || template?.home === home;
    const version = template?.live === true ? promptVersionOf(template, written) : null;
    return isAtHome && version !== null
      ? select(version.version)(template)
      : promptTemplateNotFound;
  };

/** `name` null: unchanged. */
export const rename =
  (name: string | null): DecidePromptTemplate =>
  (template) => {
    if (template?.live !== true) return promptTemplateNotFound;
    if (name === null || name === template.name) return [];
    return [{ type: 'PromptTemplateRenamed', data: { prompt_template_id: template.id, name } }];
  };

export const label =
  (called: string, version: number): DecidePromptTemplate =>
  (template) => {
    if (template?.live !== true) return promptTemplateNotFound;
    const { id: prompt_template_id, labels, versions } = template;
    if (version > versions.length) {
      const { code, message, complaints } = valueFault(
        ['body', 'version'],
        `the template has the versions 1 to ${versions.length}`,
      );
      return reject(code, message, { complaints });
    }
    if (labels[called] === version) return [];
    if (!Object.hasOwn(labels, called) && Object.keys(labels).length >= promptLabelsMax) {
      return reject('conflict', `A prompt template has at most ${promptLabelsMax} labels`);
    }
    const data = { prompt_template_id, label: called, version };
    return [{ type: 'PromptTemplateLabelled', data }];
  };

export const unlabel =
  (called: string): DecidePromptTemplate =>
  (template) => {
    if (template?.live !== true) return promptTemplateNotFound;
    if (!Object.hasOwn(template.labels, called)) return [];
    const data = { prompt_template_id: template.id, label: called };
    return [{ type: 'PromptTemplateUnlabelled', data }];
  };

export const remove: DecidePromptTemplate = (template) =>
  template?.live !== true
    ? []
    : [
        {
          type: 'PromptTemplateDeleted',
          data: {
            prompt_template_id: template.id,
            organization_id: template.organizationId,
            version_ids: template.versions.map(({ version_id }) => version_id),
          },
        },
      ];

const promptTemplateNotFound = reject('not-found', 'Prompt template not found');
