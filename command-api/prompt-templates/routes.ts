import { writeRoute, type Request, type Route } from '../../contract/operation.js';
import {
  promptTemplateTag,
  type PromptVersionInput,
} from '../../contract/prompt-template-record.js';
import {
  createProjectPromptTemplate,
  createPromptTemplate,
  deletePromptTemplate,
  renamePromptTemplate,
} from '../../contract/prompt-templates.js';
import {
  addPromptVersion,
  labelPromptVersion,
  selectPromptVersion,
  unlabelPromptVersion,
} from '../../contract/prompt-template-versions.js';
import type { Principal } from '../../contract/roles.js';
import type { PromptTemplateEvent } from '../../events/prompt-templates.js';
import { reject, type Decide } from '../../kernel/decision.js';
import { valueFault } from '../../kernel/fault.js';
import { isIfMatchMet, type IfMatch } from '../../kernel/if-match.js';
import { latestLabel } from '../../kernel/prompts/prompt-text.js';
import type { ProjectId, PromptTemplateId } from '../../kernel/schema-types.js';
import type { Authorship } from '../../kernel/transact.js';
import { homeProjectOf } from '../access/home-visibility.js';
import { wantedName, withFreeName, type NameGiven } from '../facts/free-names.js';
import {
  promptTemplateNames,
  promptTemplates,
  type PromptTemplate,
} from '../facts/prompt-templates.js';
import { promptReplay, templateAnswerOf, versionAnswerOf } from './answers.js';
import { promptTemplateNotFound, type PromptTemplateNeeds } from './needs.js';
import {
  addText,
  createWithText,
  promptTextOf,
  requireTemplate,
  textComplaints,
} from './new-versions.js';
import { label, remove, rename, selectNamed, unlabel } from './prompt-templates.js';

type DecidePromptTemplate = Decide<PromptTemplate | null, PromptTemplateEvent>;

/** Write routes of prompt templates (contract 5.18). */
export const promptTemplateWrites = (needs: PromptTemplateNeeds): readonly Route[] => [
  creating(needs),
  creatingInProject(needs),
  renaming(needs),
  deleting(needs),
  ...addPromptVersion.map((operation) => addingVersion(needs, operation)),
  ...selectPromptVersion.map((operation) => selecting(needs, operation)),
  labelling(needs),
  unlabelling(needs),
];

type Creation = PromptVersionInput & {
  readonly name: NameGiven;
  readonly hidden?: boolean | null | undefined;
};

const creating = (needs: PromptTemplateNeeds): Route =>
  writeRoute(
    createPromptTemplate,
    async (request) => {
      const home = await homeProjectOf(needs, request.principal, request.query.project_id ?? null);
      return createTemplate(needs, request, home);
    },
    ({ body }) => textComplaints(body),
    promptReplay(needs.log),
  );

const creatingInProject = (needs: PromptTemplateNeeds): Route =>
  writeRoute(
    createProjectPromptTemplate,
    (request) => createTemplate(needs, request, request.params.project_id),
    ({ body }) => textComplaints(body),
    promptReplay(needs.log),
  );

const createTemplate = async (
  needs: PromptTemplateNeeds,
  request: Pick<Request<unknown, unknown, Creation>, 'body' | 'principal' | 'cause' | 'mint'>,
  home: ProjectId | null,
) => {
  const { body, principal, cause, mint } = request;
  const prompt_template_id: PromptTemplateId = mint('PromptTemplateId');
  const authored = { prompt_template_id, created_by: principal.userId, created_at: cause.at };
  const { template, position } = await createWithText(
    needs,
    {
      created: {
        ...authored,
        organization_id: principal.organizationId,
        project_id: home,
        hidden: body.hidden ?? false,
      },
      name: wantedName(body.name),
      first: { ...authored, version_id: mint('PromptVersionId') },
      text: promptTextOf(body),
    },
    cause,
  );
  return answerTo(needs, { template, position }, principal);
};

const renaming = (needs: PromptTemplateNeeds): Route =>
  writeRoute(
    renamePromptTemplate,
    async ({ body, params, ifMatch, principal, cause }) => {
      const renameTo = (name: string | null) =>
        change(needs, params.prompt_template_id, ifMatching(ifMatch, rename(name)), cause);
      const changed =
        body.name == null
          ? await renameTo(null)
          : await withFreeName(wantedName(body.name), renameTo);
      return answerTo(needs, changed, principal);
    },
    () => [],
    promptReplay(needs.log),
  );

const deleting = ({ log, ids }: PromptTemplateNeeds): Route =>
  writeRoute(deletePromptTemplate, async ({ params, ifMatch, cause }) => {
    const { position } = await promptTemplateNames.transact(
      { log, ids },
      params.prompt_template_id,
      promptTemplates,
      ifMatching(ifMatch, remove),
      cause,
    );
    return {
      position,
      body: { message: 'The prompt template is deleted; its texts are being erased.' },
    };
  });

const addingVersion = (
  needs: PromptTemplateNeeds,
  operation: (typeof addPromptVersion)[number],
): Route =>
  writeRoute(
    operation,
    async ({ body, params, principal, cause, mint }) => {
      const added = {
        prompt_template_id: params.prompt_template_id,
        version_id: mint('PromptVersionId'),
        created_by: principal.userId,
        created_at: cause.at,
      };
      const home = params.project_id;
      const text = promptTextOf(body);
      const { template, position } = await addText(needs, { added, text, home }, cause);
      const newest = template.versions.at(-1);
      if (newest === undefined) throw promptTemplateNotFound();
      return { position, body: await versionAnswerOf(needs, template, newest) };
    },
    ({ body }) => textComplaints(body),
    promptReplay(needs.log),
  );

const selecting = (
  needs: PromptTemplateNeeds,
  operation: (typeof selectPromptVersion)[number],
): Route =>
  writeRoute(operation, async ({ params, principal, cause }) => {
    const { prompt_template_id: id, project_id: home, version } = params;
    const changed = await change(needs, id, selectNamed(version, home), cause);
    return answerTo(needs, changed, principal);
  });

const labelling = (needs: PromptTemplateNeeds): Route =>
  writeRoute(labelPromptVersion, async ({ body, params, principal, cause }) => {
    if (params.label === latestLabel) {
      throw valueFault(['path', 'label'], `'${latestLabel}' always is the newest version`);
    }
    const decide = label(params.label, body.version);
    const changed = await change(needs, params.prompt_template_id, decide, cause);
    return answerTo(needs, changed, principal);
  });

const unlabelling = (needs: PromptTemplateNeeds): Route =>
  writeRoute(unlabelPromptVersion, async ({ params, principal, cause }) => {
    const changed = await change(needs, params.prompt_template_id, unlabel(params.label), cause);
    return answerTo(needs, changed, principal);
  });

type Changed = Awaited<ReturnType<typeof createWithText>>;

const change = async (
  { log, ids }: PromptTemplateNeeds,
  id: PromptTemplateId,
  decide: DecidePromptTemplate,
  cause: Authorship,
): Promise<Changed> => {
  const done = await promptTemplateNames.transact({ log, ids }, id, promptTemplates, decide, cause);
  const template = requireTemplate(done.state);
  const changed = done.events.length > 0 && { updatedAt: cause.at };
  return { position: done.position, template: { ...template, ...changed } };
};

const answerTo = async (
  needs: PromptTemplateNeeds,
  { template, position }: Changed,
  principal: Principal,
) => ({
  position,
  body: await templateAnswerOf(needs, template, principal),
  etag: promptTemplateTag(template),
});

/** The decision under optimistic concurrency (contract 1.9). */
const ifMatching =
  (ifMatch: IfMatch | null, decide: DecidePromptTemplate): DecidePromptTemplate =>
  (template) =>
    isIfMatchMet(ifMatch, template?.live === true ? promptTemplateTag(template) : null)
      ? decide(template)
      : reject('precondition-failed', 'The prompt template was changed meanwhile');
