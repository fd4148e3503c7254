import { completePromptSettings } from '../../contract/experiment-record.js';
import {
  templateCharactersMax,
  type PromptVersionInput,
} from '../../contract/prompt-template-record.js';
import type { PromptTemplateCreated, PromptTextStored } from '../../events/prompt-templates.js';
import { type Complaint, valueComplaint } from '../../kernel/fault.js';
import type { Position } from '../../kernel/ports.js';
import { promptChange, type PromptText } from '../../kernel/prompts/prompt-text.js';
import type { ProjectId } from '../../kernel/schema-types.js';
import {
  asConflict,
  loadStreamState,
  noCompanions,
  retryOnConflict,
  transact,
  type Authorship,
  type StreamAddition,
} from '../../kernel/transact.js';
import { withFreeName, type WantedName } from '../facts/free-names.js';
import {
  loadPromptText,
  promptTemplateNames,
  promptTemplates,
  promptTemplateStream,
  promptTextStream,
  type PromptTemplate,
} from '../facts/prompt-templates.js';
import { promptTemplateNotFound, type PromptTemplateNeeds } from './needs.js';
import { addVersion, create, type NewVersion } from './prompt-templates.js';

type Changed = { readonly template: PromptTemplate; readonly position: Position };

/** Complaints beyond the schema: the limit holds for all messages together. */
export const textComplaints = ({
  template,
}: Pick<PromptVersionInput, 'template'>): readonly Complaint[] => {
  const texts = typeof template === 'string' ? [template] : template.map((one) => one.content);
  const characters = texts.reduce((sum, { length }) => sum + length, 0);
  if (characters <= templateCharactersMax) return [];
  const sentence = `the messages have at most ${templateCharactersMax} characters together`;
  return [valueComplaint(['body', 'template'], sentence)];
};

/** Text of a version as sent, with the defaults of what was left out. */
export const promptTextOf = (sent: PromptVersionInput): PromptText => ({
  template: sent.template,
  raw: sent.raw ?? false,
  settings: completePromptSettings(sent.settings ?? {}),
  output_type: sent.output_type ?? null,
});

/** Creates a template with its first version. */
export const createWithText = async (
  { log, ids }: PromptTemplateNeeds,
  request: {
    readonly created: Omit<PromptTemplateCreated, 'name'>;
    readonly name: WantedName;
    readonly first: NewVersion;
    readonly text: PromptText;
  },
  cause: Authorship,
): Promise<Changed> => {
  const { created, first, text } = request;
  const addition = textAddition(first, text);
  const { state, position } = await withFreeName(request.name, (name) =>
    promptTemplateNames.transact(
      { log, ids },
      created.prompt_template_id,
      promptTemplates,
      create({ ...created, name }, first, promptChange(null, text)),
      cause,
      { stream: addition.stream, addition: () => Promise.resolve(addition) },
    ),
  );
  return { template: requireTemplate(state), position };
};

/** Adds a version, unless the text equals that of the newest one. */
export const addText = (
  { log }: PromptTemplateNeeds,
  request: {
    readonly added: NewVersion;
    readonly text: PromptText;
    readonly home: ProjectId | undefined;
  },
  cause: Authorship,
): Promise<Changed> =>
  retryOnConflict(async () => {
    const { added, text, home } = request;
    const stream = promptTemplateStream(added.prompt_template_id);
    const known = await loadStreamState(log, stream, promptTemplates);
    const template = requireTemplate(known.state, home);
    const change = promptChange(await newestText(log, template), text);
    if (change === null) return { template, position: known.position };
    const decide = addVersion(template.versions.length, added, change);
    const done = await transact(log, stream, promptTemplates, decide, cause, () =>
      Promise.resolve({ ...noCompanions, before: [textAddition(added, text)] }),
    ).catch(asConflict);
    return done === 'conflict'
      ? done
      : { template: requireTemplate(done.state), position: done.position };
  });

const newestText = async (
  log: PromptTemplateNeeds['log'],
  { id, versions }: PromptTemplate,
): Promise<PromptText | null> => {
  const newest = versions.at(-1);
  return newest === undefined ? null : loadPromptText(log, id, newest.version_id);
};

/** Addition of a version's text, which is in the log before the version, in one append. */
const textAddition = (
  { prompt_template_id, version_id }: NewVersion,
  text: PromptText,
): StreamAddition => {
  const data: PromptTextStored = { prompt_template_id, version_id, ...text };
  const stream = promptTextStream(prompt_template_id, version_id);
  return { stream, events: [{ type: 'PromptTextStored', data }] };
};

/** The live template, with this home where one is given. Throws Fault `not-found`. */
export const requireTemplate = (
  template: PromptTemplate | null,
  home?: ProjectId,
): PromptTemplate => {
  if (template?.live !== true) throw promptTemplateNotFound();
  if (home !== undefined && template.home !== home) throw promptTemplateNotFound();
  return template;
};
