import {
  changeAnnotationTemplate,
  complaintsAboutConstraints,
  constraintsOf,
  createAnnotationTemplate,
  deleteAnnotationTemplate,
  reorderAnnotationTemplates,
  templateAnswers,
  type AnnotationTemplate,
} from '../../contract/annotation-templates.js';
import { writeRoute, type Route } from '../../contract/operation.js';
import type { AnnotationTemplateEvent } from '../../events/annotation-templates.js';
import type { Decide } from '../../kernel/decision.js';
import { Fault } from '../../kernel/fault.js';
import type { EventLog } from '../../kernel/ports.js';
import type { ProjectId, TemplateId } from '../../kernel/schema-types.js';
import { loadStreamState, transact, type Authorship } from '../../kernel/transact.js';
import {
  annotationTemplates,
  annotationTemplatesStream,
  type AnnotationTemplates,
} from '../facts/annotation-templates.js';
import { change, create, templateNotFound, remove, reorder } from './templates.js';

type AnnotationTemplateNeeds = {
  readonly log: EventLog;
  /** Current ratings by template id: for the answer only, never for a decision. */
  readonly templateUsage: (project: ProjectId) => Promise<ReadonlyMap<string, number>>;
};

/** Write routes of annotation templates (contract 5.8). */
export const annotationTemplateWrites = (needs: AnnotationTemplateNeeds): readonly Route[] => [
  createTemplateRoute(needs),
  changeTemplateRoute(needs),
  deleteTemplateRoute(needs),
  reorderTemplatesRoute(needs),
];

const createTemplateRoute = ({ log }: AnnotationTemplateNeeds): Route =>
  writeRoute(
    createAnnotationTemplate,
    async ({ body, params: { project_id: project }, principal, cause, mint }) => {
      const id = mint('TemplateId');
      const decide = create({
        project_id: project,
        organization_id: principal.organizationId,
        template_id: id,
        name: body.name,
        include_explanation: body.include_explanation ?? false,
        criteria: body.criteria ?? null,
        constraints: constraintsOf(body.constraints),
        created_by: principal.userId,
        created_at: cause.at,
      });
      const { state, position } = await transactTemplates(log, project, decide, cause);
      return { position, body: answerOf(state, id, new Map()) };
    },
    ({ body }) => complaintsAboutConstraints(body.constraints),
  );

const changeTemplateRoute = ({ log, templateUsage }: AnnotationTemplateNeeds): Route =>
  writeRoute(changeAnnotationTemplate, async ({ body, params, cause }) => {
    const { project_id: project, template_id: id } = params;
    const { state, position } = await transactTemplates(
      log,
      project,
      change(project, id, body),
      cause,
    );
    return { position, body: answerOf(state, id, await templateUsage(project)) };
  });

const deleteTemplateRoute = ({ log }: AnnotationTemplateNeeds): Route =>
  writeRoute(deleteAnnotationTemplate, async ({ params, cause }) => {
    const { project_id: project, template_id: id } = params;
    const before = await loadStreamState(
      log,
      annotationTemplatesStream(project),
      annotationTemplates,
    );
    if (!before.state.some((one) => one.id === id)) throw notFound();
    const { position } = await transactTemplates(log, project, remove(project, id), cause);
    return { position, body: { message: 'The annotation template is deleted.' } };
  });

const reorderTemplatesRoute = ({ log, templateUsage }: AnnotationTemplateNeeds): Route =>
  writeRoute(reorderAnnotationTemplates, async ({ body, params, cause }) => {
    const { project_id: project } = params;
    const { state, position } = await transactTemplates(
      log,
      project,
      reorder(project, body.ordering),
      cause,
    );
    return { position, body: templateAnswers(state, await templateUsage(project)) };
  });

/** Transacts on the templates of a project. */
const transactTemplates = (
  log: EventLog,
  project: ProjectId,
  decide: Decide<AnnotationTemplates, AnnotationTemplateEvent>,
  cause: Authorship,
) => transact(log, annotationTemplatesStream(project), annotationTemplates, decide, cause);

const notFound = (): Fault => {
  const { rejected, detail } = templateNotFound();
  return new Fault(rejected, detail);
};

const answerOf = (
  templates: AnnotationTemplates,
  id: TemplateId,
  usage: ReadonlyMap<string, number>,
): AnnotationTemplate => {
  const shown = templateAnswers(templates, usage).find((one) => one.id === id);
  if (shown === undefined) throw notFound();
  return shown;
};
