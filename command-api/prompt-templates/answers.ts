import { mayWriteDataset } from '../../contract/dataset-rights.js';
import type { ResponseReplay } from '../../contract/operation.js';
import type { UserBlock } from '../../contract/people.js';
import {
  promptTemplateAnswer,
  promptVersionAnswer,
  shownVersionsOf,
  textOfTemplate,
  type PromptTemplateRecord,
  type PromptVersion,
  type PromptVersionFacts,
} from '../../contract/prompt-template-record.js';
import type { Principal } from '../../contract/roles.js';
import type { EventReader } from '../../kernel/ports.js';
import {
  factsOfPromptTemplate,
  loadPromptText,
  type PromptTemplate,
} from '../facts/prompt-templates.js';
import { loadUserBlock } from '../facts/users.js';
import { promptTemplateNotFound, type PromptTemplateNeeds } from './needs.js';

/** The template as the caller may see it (contract 5.18), from the log. */
export const templateAnswerOf = async (
  { log, visibleProject }: PromptTemplateNeeds,
  template: PromptTemplate,
  principal: Principal,
): Promise<PromptTemplateRecord> => {
  const facts = factsOfPromptTemplate(template);
  const home = template.home === null ? null : await visibleProject(principal, template.home);
  const users = userBlocksOf(log);
  const versions = await Promise.all(
    shownVersionsOf(facts).map((one) => answerOfVersion(log, template, one, users)),
  );
  const answer = promptTemplateAnswer(facts, versions, {
    user: await users(template.createdBy),
    rights: { write: mayWriteDataset(principal, template, home?.role ?? null) },
  });
  if (answer === null) throw promptTemplateNotFound();
  return answer;
};

/** A version with its text, from the log. */
export const versionAnswerOf = (
  { log }: PromptTemplateNeeds,
  template: PromptTemplate,
  version: PromptVersionFacts,
): Promise<PromptVersion> => answerOfVersion(log, template, version, userBlocksOf(log));

type UserBlocks = (id: string) => Promise<UserBlock>;

/** Reads each user once. */
const userBlocksOf = (log: EventReader): UserBlocks => {
  const known = new Map<string, Promise<UserBlock>>();
  return (id) => {
    const block = known.get(id) ?? loadUserBlock(log, id);
    known.set(id, block);
    return block;
  };
};

const answerOfVersion = async (
  log: EventReader,
  template: PromptTemplate,
  version: PromptVersionFacts,
  users: UserBlocks,
): Promise<PromptVersion> => {
  const text = await loadPromptText(log, template.id, version.version_id);
  if (text === null) throw promptTemplateNotFound();
  return promptVersionAnswer(template, version, text, await users(version.created_by));
};

/** Replay of an answer: texts are not stored beside the key, which would outlive them. */
export const promptReplay = (log: EventReader): ResponseReplay => {
  const withText = async <V extends PromptVersion>(version: V): Promise<V> => {
    const text = await loadPromptText(log, version.prompt_template_id, version.id);
    if (text === null) throw promptTemplateNotFound();
    return { ...version, ...text };
  };
  return {
    toStored: (body) => {
      const shown = body as PromptTemplateRecord | PromptVersion;
      return 'all_versions' in shown
        ? {
            ...shown,
            template: '',
            selected_version: withoutText(shown.selected_version),
            all_versions: shown.all_versions.map(withoutText),
          }
        : withoutText(shown);
    },
    restore: async (kept) => {
      const stored = kept as PromptTemplateRecord | PromptVersion;
      if (!('all_versions' in stored)) return withText(stored);
      const selected_version = await withText(stored.selected_version);
      return {
        ...stored,
        selected_version,
        template: textOfTemplate(selected_version),
        all_versions: await Promise.all(stored.all_versions.map(withText)),
      };
    },
  };
};

const withoutText = (version: PromptVersion): Omit<PromptVersion, 'template' | 'settings'> => {
  const { template: _, settings: __, ...facts } = version;
  return facts;
};
