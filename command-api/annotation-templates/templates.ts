import { templatesMax } from '../../contract/annotation-templates.js';
import type {
  AnnotationTemplateCreated,
  AnnotationTemplateEvent,
} from '../../events/annotation-templates.js';
import { reject, type Decide, type Rejection } from '../../kernel/decision.js';
import { valueFault } from '../../kernel/fault.js';
import type { ProjectId, TemplateId } from '../../kernel/schema-types.js';
import type { AnnotationTemplates } from '../facts/annotation-templates.js';

type DecideTemplates = Decide<AnnotationTemplates, AnnotationTemplateEvent>;

export const create =
  (created: AnnotationTemplateCreated): DecideTemplates =>
  (templates) => {
    if (templates.some(({ id }) => id === created.template_id)) return [];
    if (templates.some(({ name }) => name === created.name)) return nameTaken(created.name);
    if (templates.length >= templatesMax) {
      return reject('conflict', `A project has at most ${templatesMax} annotation templates`);
    }
    return [{ type: 'AnnotationTemplateCreated', data: created }];
  };

/** Null or absent: the member stays as it is (contract 5). */
type Change = { readonly name?: string | null; readonly criteria?: string | null };

export const change =
  (project: ProjectId, id: TemplateId, changed: Change): DecideTemplates =>
  (templates) => {
    const known = templates.find((one) => one.id === id);
    if (known === undefined) return templateNotFound();
    const name = changed.name ?? known.name;
    const criteria = changed.criteria ?? known.criteria;
    if (templates.some((one) => one.id !== id && one.name === name)) return nameTaken(name);
    return name === known.name && criteria === known.criteria
      ? []
      : [
          {
            type: 'AnnotationTemplateChanged',
            data: { project_id: project, template_id: id, name, criteria },
          },
        ];
  };

/** Idempotent: a deleted template stays deleted. */
export const remove =
  (project: ProjectId, id: TemplateId): DecideTemplates =>
  (templates) =>
    templates.some((one) => one.id === id)
      ? [{ type: 'AnnotationTemplateDeleted', data: { project_id: project, template_id: id } }]
      : [];

export const reorder =
  (project: ProjectId, ordering: readonly TemplateId[]): DecideTemplates =>
  (templates) => {
    const isComplete =
      ordering.length === templates.length &&
      new Set(ordering).size === ordering.length &&
      templates.every(({ id }) => ordering.includes(id));
    if (!isComplete) return incompleteOrder();
    return templates.every(({ id }, place) => ordering[place] === id)
      ? []
      : [
          {
            type: 'AnnotationTemplatesReordered',
            data: { project_id: project, ordering: [...ordering] },
          },
        ];
  };

const nameTaken = (name: string): Rejection =>
  reject('already-exists', `An annotation template named '${name}' exists already`);

export const templateNotFound = (): Rejection =>
  reject('not-found', 'Annotation template not found');

const incompleteOrder = (): Rejection => {
  const { code, message, complaints } = valueFault(
    ['body', 'ordering'],
    'ordering must name each annotation template of the project once',
  );
  return reject(code, message, { complaints });
};
