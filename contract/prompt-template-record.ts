import { Type, type Static } from 'typebox';
import { latestLabel, type PromptChange, type PromptText } from '../kernel/prompts/prompt-text.js';
import {
  id,
  instant,
  namedSchema,
  nullable,
  nullish,
  type Instant,
  type ProjectId,
  type PromptTemplateId,
  type PromptVersionId,
  type UserId,
} from '../kernel/schema-types.js';
import { promptRunSettings, promptSettings } from './experiment-record.js';
import { permission, userBlock, type UserBlock } from './people.js';
import { datasetPermissions, type DatasetRights } from './permissions.js';

/** Characters of a template, all messages together. */
export const templateCharactersMax = 262_144;
const messagesMax = 1_000;
/** Versions of a template: their facts are folded for each write. */
export const promptVersionsMax = 1_000;
export const promptLabelsMax = 50;
/** Versions that the answer of one template shows, the newest ones. */
const shownVersionsMax = 10;

const text = Type.String({ maxLength: templateCharactersMax });
const role = Type.String({ minLength: 1, maxLength: 64 });
const promptMessage = namedSchema('PromptMessage', Type.Object({ role, content: text }));
const template = Type.Union([
  text,
  Type.Array(promptMessage, { minItems: 1, maxItems: messagesMax }),
]);

export const promptVersion = namedSchema(
  'PromptTemplateVersion',
  Type.Object({
    id: id('PromptVersionId'),
    prompt_template_id: id('PromptTemplateId'),
    version: Type.Integer(),
    template,
    raw: Type.Boolean(),
    settings: promptRunSettings,
    output_type: nullable(Type.String()),
    labels: Type.Array(Type.String()),
    model_changed: Type.Boolean(),
    settings_changed: Type.Boolean(),
    content_changed: Type.Boolean(),
    lines_added: Type.Integer(),
    lines_edited: Type.Integer(),
    lines_removed: Type.Integer(),
    created_at: instant,
    updated_at: instant,
    created_by_user: userBlock,
  }),
);
export type PromptVersion = Static<typeof promptVersion>;

export const promptTemplate = namedSchema(
  'PromptTemplate',
  Type.Object({
    id: id('PromptTemplateId'),
    name: Type.String(),
    template: Type.String(),
    selected_version: promptVersion,
    selected_version_id: id('PromptVersionId'),
    all_available_versions: Type.Array(Type.Integer()),
    total_versions: Type.Integer(),
    max_version: Type.Integer(),
    all_versions: Type.Array(promptVersion),
    labels: Type.Record(Type.String(), Type.Integer()),
    hidden: Type.Boolean(),
    project_id: nullable(id('ProjectId')),
    created_at: instant,
    updated_at: instant,
    created_by_user: userBlock,
    permissions: Type.Array(permission),
  }),
);

export const versionBody = {
  template,
  raw: nullish(Type.Boolean({ default: false })),
  settings: nullish(promptSettings),
  output_type: nullish(Type.String({ maxLength: 255 })),
};
export type PromptVersionInput = Static<ReturnType<typeof Type.Object<typeof versionBody>>>;

/** Version as folded from the log, without its text. */
export type PromptVersionFacts = PromptChange & {
  readonly version_id: PromptVersionId;
  readonly version: number;
  readonly created_by: UserId;
  readonly created_at: Instant;
};

/** Template as folded from the log, in the form that is shown. */
export type PromptTemplateFacts = {
  readonly id: PromptTemplateId;
  readonly name: string;
  readonly hidden: boolean;
  readonly created_by: UserId;
  readonly home_project: ProjectId | null;
  readonly created_at: Instant;
  readonly updated_at: Instant;
  /** Number of the selected version. */
  readonly selected: number;
  readonly labels: Readonly<Record<string, number>>;
  /** Version 1 first. */
  readonly versions: readonly PromptVersionFacts[];
  /** Revision of the last event on its stream. */
  readonly revision: number;
};

/** Entity tag of a template (contract 1.9). */
export const promptTemplateTag = ({ revision }: Pick<PromptTemplateFacts, 'revision'>): string =>
  `template-${revision}`;

export type PromptTemplateRecord = Static<typeof promptTemplate>;

/** The template of a version as one text, as upstream has it. */
export const textOfTemplate = ({ template: written }: Pick<PromptVersion, 'template'>): string =>
  typeof written === 'string' ? written : JSON.stringify(written);

/** Response for a template; null where `versions` lack the selected one. */
export const promptTemplateAnswer = (
  facts: PromptTemplateFacts,
  versions: readonly PromptVersion[],
  { user, rights }: { readonly user: UserBlock; readonly rights: DatasetRights },
): PromptTemplateRecord | null => {
  const selected = versions.find(({ version }) => version === facts.selected);
  if (selected === undefined) return null;
  return {
    id: facts.id,
    name: facts.name,
    template: textOfTemplate(selected),
    selected_version: selected,
    selected_version_id: selected.id,
    all_available_versions: facts.versions.map(({ version }) => version),
    total_versions: facts.versions.length,
    max_version: facts.versions.length,
    all_versions: versions.toSorted((one, other) => other.version - one.version),
    labels: { ...facts.labels },
    hidden: facts.hidden,
    project_id: facts.home_project,
    created_at: facts.created_at,
    updated_at: facts.updated_at,
    created_by_user: user,
    permissions: datasetPermissions(rights).filter(({ action }) => action !== 'share'),
  };
};

/** Versions that the answer of one template shows: the newest ones, and the selected one. */
export const shownVersionsOf = ({
  versions,
  selected,
}: Pick<PromptTemplateFacts, 'versions' | 'selected'>): readonly PromptVersionFacts[] =>
  versions.filter(
    ({ version }) => version === selected || version > versions.length - shownVersionsMax,
  );

/** Version that a number or label means; null: unknown. */
export const promptVersionOf = (
  { versions, labels }: Pick<PromptTemplateFacts, 'versions' | 'labels'>,
  written: string,
): PromptVersionFacts | null => {
  const number = /^[1-9][0-9]{0,5}$/.test(written)
    ? Number(written)
    : written === latestLabel
      ? versions.length
      : Object.hasOwn(labels, written)
        ? labels[written]
        : undefined;
  return (number === undefined ? undefined : versions[number - 1]) ?? null;
};

/** Response for a version with its text. */
export const promptVersionAnswer = (
  { id: prompt_template_id, labels }: Pick<PromptTemplateFacts, 'id' | 'labels'>,
  facts: PromptVersionFacts,
  { template: written, settings, ...rest }: PromptText,
  user: UserBlock,
): PromptVersion => ({
  ...promptChangeOf(facts),
  ...rest,
  id: facts.version_id,
  version: facts.version,
  prompt_template_id,
  template: typeof written === 'string' ? written : written.map((one) => ({ ...one })),
  settings: settings as PromptVersion['settings'],
  labels: Object.keys(labels).filter((one) => labels[one] === facts.version),
  created_at: facts.created_at,
  updated_at: facts.created_at,
  created_by_user: user,
});

const promptChangeOf = (facts: PromptChange): PromptChange => ({
  model_changed: facts.model_changed,
  settings_changed: facts.settings_changed,
  content_changed: facts.content_changed,
  lines_added: facts.lines_added,
  lines_edited: facts.lines_edited,
  lines_removed: facts.lines_removed,
});
