// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type } from 'typebox';
import { id, instant, nullable } from '../kernel/schema-types.js';
import type { Noun } from './noun.js';
import { event, type DataOf, type EventOf } from './schemas.js';

/** Constraints of a rating, after defaults and without repeats in lists. */
const constraints = Type.Union([
  Type.Object({ annotation_type: Type.Literal('like_dislike') }),
  Type.Object({ annotation_type: Type.Literal('star') }),
  Type.Object({ annotation_type: Type.Literal('text') }),
  Type.Object({ annotation_type: Type.Literal('score'), min: Type.Integer(), max: Type.Integer() }),
  Type.Object({
    annotation_type: Type.Literal('tags'),
    tags: Type.Array(Type.String()),
    allow_other: Type.Boolean(),
  }),
  Type.Object({
    annotation_type: Type.Literal('choice'),
    choices: Type.Array(Type.String()),
    allow_other: Type.Boolean(),
  }),
]);

export const annotationTemplateEvents = {
  /**
   * Stream `annotation-templates-<project>`: order and names are decided for all of them at once.
   */
  AnnotationTemplateCreated: event('entity create', {
    project_id: id('ProjectId'),
    organization_id: id('OrganizationId'),
    template_id: id('TemplateId'),
    name: Type.String(),
    include_explanation: Type.Boolean(),
    criteria: nullable(Type.String()),
    constraints,
    created_by: id('UserId'),
    created_at: instant,
  }),
  /** New name and criteria. */
  AnnotationTemplateChanged: event('entity update', {
    project_id: id('ProjectId'),
    template_id: id('TemplateId'),
    name: Type.String(),
    criteria: nullable(Type.String()),
  }),
  /** Its ratings stay on the traces and no longer count. */
  AnnotationTemplateDeleted: event('entity delete', {
    project_id: id('ProjectId'),
    template_id: id('TemplateId'),
  }),
  /** All live templates in their order. */
  AnnotationTemplatesReordered: event('entity update', {
    project_id: id('ProjectId'),
    ordering: Type.Array(id('TemplateId')),
  }),
};

export const annotationTemplateNoun: Noun = {
  stream: { name: 'annotation-templates-<project>', subject: 'template', erasedWith: 'project' },
  events: annotationTemplateEvents,
};

export type AnnotationTemplateEvent = EventOf<typeof annotationTemplateEvents>;

export type AnnotationTemplateCreated = DataOf<
  AnnotationTemplateEvent,
  'AnnotationTemplateCreated'
>;
