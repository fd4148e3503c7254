import type { TemplateFacts } from '../../contract/annotation-templates.js';
import type { AnnotationTemplateEvent } from '../../events/annotation-templates.js';
import { unreachable, type Fold } from '../../kernel/decision.js';
import { streamNameOf, type StreamName } from '../../kernel/ports.js';

export const annotationTemplatesStream = (project: string): StreamName =>
  streamNameOf('annotation-templates', project);

/** The live annotation templates of a project in their order. */
export type AnnotationTemplates = readonly TemplateFacts[];

export const annotationTemplates: Fold<AnnotationTemplates, AnnotationTemplateEvent> = {
  initial: [],
  evolve: (templates, { type, data }) => {
    switch (type) {
      case 'AnnotationTemplateCreated': {
        const { project_id: _, organization_id: _of, template_id: id, ...facts } = data;
        return [...templates, { id, ...facts }];
      }
      case 'AnnotationTemplateChanged':
        return templates.map((one) =>
          one.id === data.template_id ? { ...one, name: data.name, criteria: data.criteria } : one,
        );
      case 'AnnotationTemplateDeleted':
        return templates.filter(({ id }) => id !== data.template_id);
      case 'AnnotationTemplatesReordered':
        return data.ordering.flatMap((id) => templates.find((one) => one.id === id) ?? []);
      default:
        return unreachable(type);
    }
  },
};
