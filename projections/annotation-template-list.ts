import type { TemplateFacts } from '../contract/annotation-templates.js';
import {
  annotationTemplateEvents,
  type AnnotationTemplateEvent,
} from '../events/annotation-templates.js';
import { unreachable } from '../kernel/decision.js';
import type { Projection } from './projection.js';

/** The live annotation templates of one project in their order. */
export type TemplateList = { readonly templates: readonly TemplateFacts[] };

/**
 * One document per project, because the order is one of all its templates and every read wants them
 * all.
 */
export const annotationTemplateList: Projection<typeof annotationTemplateEvents, TemplateList> = {
  collection: { name: 'annotation_template_list', version: 1, fields: {} },
  deletedWith: { scope: 'project' },
  /** Only their order belongs to the project; the templates are resources of their own. */
  projectState: {
    member: 'annotation_templates',
    show: (body) => body?.templates.map(({ id }) => id) ?? [],
  },
  events: annotationTemplateEvents,
  keys: ({ data }) => [data.project_id],
  evolve: (document, event, project) => ({
    key: project,
    scope: project,
    fields: {},
    body: { templates: templatesAfter(document?.body.templates ?? [], event) },
  }),
};

const templatesAfter = (
  templates: readonly TemplateFacts[],
  { type, data }: AnnotationTemplateEvent,
): readonly TemplateFacts[] => {
  switch (type) {
    case 'AnnotationTemplateCreated': {
      const { project_id: _, organization_id: _of, template_id: id, ...facts } = data;
      // Idempotent: a redelivered event makes one template.
      return [...templates.filter((one) => one.id !== id), { id, ...facts }];
    }
    case 'AnnotationTemplateChanged':
      return templates.map((one) =>
        one.id === data.template_id ? { ...one, name: data.name, criteria: data.criteria } : one,
      );
    case 'AnnotationTemplateDeleted':
      return templates.filter((one) => one.id !== data.template_id);
    case 'AnnotationTemplatesReordered':
      return data.ordering.flatMap((id) => templates.find((one) => one.id === id) ?? []);
    default:
      return unreachable(type);
  }
};
