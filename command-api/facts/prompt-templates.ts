import type { PromptTemplateFacts } from '../../contract/prompt-template-record.js';
import type {
  PromptTemplateEvent,
  PromptTextStored,
  PromptVersionAdded,
} from '../../events/prompt-templates.js';
import { unreachable, type Fold } from '../../kernel/decision.js';
import { streamNameOf, type EventReader, type StreamName } from '../../kernel/ports.js';
import type { PromptText } from '../../kernel/prompts/prompt-text.js';
import type {
  Instant,
  OrganizationId,
  ProjectId,
  PromptTemplateId,
  PromptVersionId,
  UserId,
} from '../../kernel/schema-types.js';
import { loadStreamState } from '../../kernel/transact.js';
import { scopedNames } from './reservations.js';

export const promptTemplateStream = (id: string): StreamName => streamNameOf('prompt-template', id);
/** Common prefix of a template's texts, so that erasure finds all of them. */
export const promptTextsPrefix = (template: PromptTemplateId): string =>
  `${streamNameOf('prompt-text', template)}-`;
export const promptTextStream = (
  template: PromptTemplateId,
  version: PromptVersionId,
): StreamName => streamNameOf('prompt-text', template, version);

/** State of a prompt template; null before it was created. */
export type PromptTemplate = {
  readonly id: PromptTemplateId;
  readonly organizationId: OrganizationId;
  readonly name: string;
  readonly hidden: boolean;
  readonly home: ProjectId | null;
  /** Version 1 first. */
  readonly versions: readonly PromptVersionAdded[];
  /** Number of the selected version. */
  readonly selected: number;
  readonly labels: Readonly<Record<string, number>>;
  readonly createdBy: UserId;
  readonly createdAt: Instant;
  /** Time of the last recorded event. */
  readonly updatedAt: Instant;
  /** Revision of the last event on the stream. */
  readonly revision: number;
  readonly live: boolean;
  /** True once all texts are erased and no late write can come. */
  readonly erased: boolean;
};

/** An event with its metadata; a newly decided one has none, and the caller knows the time. */
type PromptFoldEvent = PromptTemplateEvent & { readonly metadata?: { readonly at: Instant } };

export const promptTemplates: Fold<PromptTemplate | null, PromptFoldEvent> = {
  initial: null,
  evolve: (template, event) => {
    if (event.type === 'PromptTemplateCreated') {
      const { data } = event;
      return {
        id: data.prompt_template_id,
        organizationId: data.organization_id,
        name: data.name,
        hidden: data.hidden,
        home: data.project_id,
        versions: [],
        selected: 0,
        labels: {},
        createdBy: data.created_by,
        createdAt: data.created_at,
        updatedAt: data.created_at,
        revision: 0,
        live: true,
        erased: false,
      };
    }
    return (
      template && {
        ...template,
        ...promptTemplateChange(template, event),
        revision: template.revision + 1,
        updatedAt: event.metadata?.at ?? template.updatedAt,
      }
    );
  },
};

/** Members of a template that an event after its creation changes. */
const promptTemplateChange = (
  { versions, labels }: PromptTemplate,
  { type, data }: PromptTemplateEvent,
): Partial<PromptTemplate> => {
  switch (type) {
    case 'PromptTemplateVersionAdded':
      return { versions: [...versions, data], selected: data.version };
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
    case 'PromptTemplateDeleted':
      return { live: false };
    case 'PromptTemplateErased':
      return { erased: true };
    case 'PromptTemplateCreated':
      return {};
    default:
      return unreachable(type);
  }
};

/** The live template; null when unknown, deleted or of another organisation. */
export const livePromptTemplate = async (
  log: EventReader,
  organization: OrganizationId,
  id: string,
): Promise<PromptTemplate | null> => {
  const { state } = await loadStreamState(log, promptTemplateStream(id), promptTemplates);
  return state?.live === true && state.organizationId === organization ? state : null;
};

/** Template in the form that is shown. */
export const factsOfPromptTemplate = (template: PromptTemplate): PromptTemplateFacts => {
  const { id, name, hidden, selected, labels, versions, revision } = template;
  return {
    id,
    name,
    hidden,
    selected,
    labels,
    versions,
    revision,
    created_by: template.createdBy,
    home_project: template.home,
    created_at: template.createdAt,
    updated_at: template.updatedAt,
  };
};

/** Text of a version; null when it is erased. */
export const loadPromptText = async (
  log: EventReader,
  template: PromptTemplateId,
  version: PromptVersionId,
): Promise<PromptText | null> => {
  const [first] = await log.read(promptTextStream(template, version), { limit: 1 });
  if (first === undefined) return null;
  const { prompt_template_id: _, version_id: __, ...text } = first.data as PromptTextStored;
  return text;
};

/** Template names, unique among the organisation's live templates (contract 5.18). */
export const promptTemplateNames = scopedNames({
  what: 'prompt-template',
  scope: 'organizationId',
  called: 'A prompt template',
  holder: promptTemplateStream,
  fold: promptTemplates,
});
