import { annotationTemplates } from '../../command-api/facts/annotation-templates.js';
import {
  change,
  create,
  remove,
  reorder,
} from '../../command-api/annotation-templates/templates.js';
import { templatesMax } from '../../contract/annotation-templates.js';
import type { AnnotationTemplateEvent } from '../../events/annotation-templates.js';
import { deciderSpec } from '../support/decider-spec.js';
import { organization, projectId, templateId, userId } from '../support/access-events.js';
import { instantAfter } from '../support/test-log.js';

const given = deciderSpec(annotationTemplates);
const project = projectId(1);
const creation = (number: number, name = `template ${number}`) => ({
  project_id: project,
  organization_id: organization,
  template_id: templateId(number),
  name,
  include_explanation: false,
  criteria: null,
  constraints: { annotation_type: 'star' } as const,
  created_by: userId(1),
  created_at: instantAfter(0),
});
const made = (number: number, name?: string): AnnotationTemplateEvent => ({
  type: 'AnnotationTemplateCreated',
  data: creation(number, name),
});
const changed = (number: number, name: string, criteria: string | null) =>
  ({
    type: 'AnnotationTemplateChanged',
    data: { project_id: project, template_id: templateId(number), name, criteria },
  }) as const;
const deleted = (number: number): AnnotationTemplateEvent => ({
  type: 'AnnotationTemplateDeleted',
  data: { project_id: project, template_id: templateId(number) },
});

describe('deciding on annotation templates', () => {
  it('creates one', () =>
    given()
      .when(create(creation(1)))
      .then(made(1)));

  it('refuses the name of a live template, and accepts that of a deleted one', () => {
    given(made(1))
      .when(create(creation(2, 'template 1')))
      .thenRejected('already-exists');
    given(made(1), deleted(1))
      .when(create(creation(2, 'template 1')))
      .then(made(2, 'template 1'));
  });

  it('refuses more templates than a trace can show', () =>
    given(...Array.from({ length: templatesMax }, (_, at) => made(at)))
      .when(create(creation(templatesMax)))
      .thenRejected('conflict', 'at most'));

  it('changes what is given and leaves what is not', () => {
    given(made(1))
      .when(change(project, templateId(1), { name: 'new' }))
      .then(changed(1, 'new', null));
    given(made(1))
      .when(change(project, templateId(1), { criteria: 'be fair', name: null }))
      .then(changed(1, 'template 1', 'be fair'));
    given(made(1))
      .when(change(project, templateId(1), { name: 'template 1', criteria: null }))
      .thenNothing();
  });

  it('refuses to change an unknown template, or to take the name of another', () => {
    given(made(1), deleted(1))
      .when(change(project, templateId(1), { name: 'new' }))
      .thenRejected('not-found');
    given(made(1), made(2))
      .when(change(project, templateId(1), { name: 'template 2' }))
      .thenRejected('already-exists');
  });

  it('deletes once', () => {
    given(made(1))
      .when(remove(project, templateId(1)))
      .then(deleted(1));
    given()
      .when(remove(project, templateId(1)))
      .thenNothing();
  });

  it('accepts an order of all of them, no fewer and no more', () => {
    const ordering = [templateId(2), templateId(1)];
    given(made(1), made(2))
      .when(reorder(project, ordering))
      .then({ type: 'AnnotationTemplatesReordered', data: { project_id: project, ordering } });
    given(made(1), made(2))
      .when(reorder(project, [templateId(1), templateId(2)]))
      .thenNothing();
    for (const wrong of [[1], [1, 1], [1, 2, 3], [1, 3], []]) {
      given(made(1), made(2))
        .when(reorder(project, wrong.map(templateId)))
        .thenRejected('invalid');
    }
  });
});
