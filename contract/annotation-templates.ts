import { Type, type Static, type TSchema } from 'typebox';
import { id, instant, nullish, name, namedSchema, nullable } from '../kernel/schema-types.js';
import { unreachable } from '../kernel/decision.js';
import { type Complaint, valueComplaint } from '../kernel/fault.js';
import type { NamedTemplate } from '../kernel/records/feedback.js';
import { exampleIds } from './example-ids.js';
import { message } from './envelope.js';
import { operation } from './operation.js';

/** Live templates per project: each trace shows an aggregate of every one of them. */
export const templatesMax = 200;
/** Labels of a `tags` or `choice` template, and tags of one rating. */
export const labelsMax = 100;
export const labelMax = 255;
/** Limit of explanations; the contract sets none. */
const criteriaMax = 16_384;

const label = Type.String({ minLength: 1, maxLength: labelMax });
const labels = Type.Array(label, { minItems: 1, maxItems: labelsMax });
const bound = Type.Integer({ minimum: 0 });

const plain = <const T extends string>(component: string, type: T) =>
  namedSchema(component, Type.Object({ annotation_type: Type.Literal(type) }));
const like = plain('LikeConstraints', 'like_dislike');
const star = plain('StarConstraints', 'star');
const text = plain('TextConstraints', 'text');
const score = namedSchema(
  'ScoreConstraints',
  Type.Object({ annotation_type: Type.Literal('score'), min: bound, max: bound }),
);
/** Constraints with `allowOther` as sent (optional) or as shown (always there). */
const constraintsWith = <A extends TSchema>(allowOther: A, suffix: '' | 'Input') =>
  namedSchema(
    `Constraints${suffix}`,
    Type.Union([
      like,
      star,
      text,
      score,
      namedSchema(
        `TagsConstraints${suffix}`,
        Type.Object({
          annotation_type: Type.Literal('tags'),
          tags: labels,
          allow_other: allowOther,
        }),
      ),
      namedSchema(
        `ChoiceConstraints${suffix}`,
        Type.Object({
          annotation_type: Type.Literal('choice'),
          choices: labels,
          allow_other: allowOther,
        }),
      ),
    ]),
  );
const sentConstraints = constraintsWith(nullish(Type.Boolean({ default: false })), 'Input');
const constraints = constraintsWith(Type.Boolean(), '');
/** Ratings that a template allows (contract 5.8); lists have no repeats. */
export type Constraints = Static<typeof constraints>;

/** Annotation template (contract 5.8). */
const annotationTemplate = namedSchema(
  'AnnotationTemplate',
  Type.Object({
    id: id('TemplateId'),
    name: Type.String(),
    include_explanation: Type.Boolean(),
    criteria: nullable(Type.String()),
    constraints,
    created_at: instant,
    created_by: id('UserId'),
    /** Index among the live templates of the project, from 0. */
    position: Type.Integer(),
    /** Number of current ratings by all users on all traces of the project. */
    usage_count: Type.Integer(),
  }),
);
export type AnnotationTemplate = Static<typeof annotationTemplate>;

const shared = { section: '5.8' } as const;
const path = '/v2/projects/{project_id}/annotation/templates';
const listed = Type.Array(annotationTemplate, { maxItems: templatesMax });

export const createAnnotationTemplate = operation({
  ...shared,
  operationId: 'createAnnotationTemplate',
  summary: 'Create an annotation template',
  description: '`constraints` say what a rating can be, and never change.',
  example: {
    name: 'Helpful',
    include_explanation: true,
    criteria: 'Did the answer help?',
    constraints: { annotation_type: 'like_dislike' },
  },
  method: 'POST',
  path,
  requires: 'editor',
  body: Type.Object({
    name: name(),
    include_explanation: nullish(Type.Boolean({ default: false })),
    criteria: nullish(Type.String({ maxLength: criteriaMax })),
    constraints: sentConstraints,
  }),
  response: annotationTemplate,
  faults: ['already-exists'],
});

export const listAnnotationTemplates = operation({
  ...shared,
  operationId: 'listAnnotationTemplates',
  summary: 'Annotation templates of a project, by position',
  description: 'At most 200.',
  method: 'GET',
  path,
  requires: 'viewer',
  response: listed,
});

export const reorderAnnotationTemplates = operation({
  ...shared,
  operationId: 'reorderAnnotationTemplates',
  summary: 'Put the annotation templates of a project in order',
  description: '`ordering` names every live template once.',
  example: { ordering: [exampleIds.template_id] },
  method: 'POST',
  path: `${path}/reorder`,
  requires: 'editor',
  body: Type.Object({ ordering: Type.Array(id('TemplateId'), { maxItems: templatesMax }) }),
  response: listed,
});

export const getAnnotationTemplate = operation({
  ...shared,
  operationId: 'getAnnotationTemplate',
  summary: 'One annotation template',
  description: 'With the number of its current ratings.',
  method: 'GET',
  path: `${path}/{template_id}`,
  requires: 'viewer',
  response: annotationTemplate,
});

export const changeAnnotationTemplate = operation({
  ...shared,
  operationId: 'changeAnnotationTemplate',
  summary: 'Change name or criteria of an annotation template',
  description: 'What a rating can be does not change.',
  example: { name: 'Helpful?', criteria: 'Did the answer solve the problem?' },
  method: 'PATCH',
  path: `${path}/{template_id}`,
  requires: 'editor',
  body: Type.Object({
    name: nullish(name()),
    criteria: nullish(Type.String({ maxLength: criteriaMax })),
  }),
  response: annotationTemplate,
  faults: ['already-exists'],
});

export const deleteAnnotationTemplate = operation({
  ...shared,
  operationId: 'deleteAnnotationTemplate',
  summary: 'Delete an annotation template; its ratings count no more',
  description: 'Its ratings are left out of aggregates from then on.',
  method: 'DELETE',
  path: `${path}/{template_id}`,
  requires: 'editor',
  response: message,
});

export const annotationTemplateOperations = [
  createAnnotationTemplate,
  listAnnotationTemplates,
  reorderAnnotationTemplates,
  getAnnotationTemplate,
  changeAnnotationTemplate,
  deleteAnnotationTemplate,
];

/** Complaints beyond the schema: a range must have its low end first. */
export const complaintsAboutConstraints = (
  sent: Static<typeof sentConstraints>,
): readonly Complaint[] =>
  sent.annotation_type === 'score' && sent.min > sent.max
    ? [valueComplaint(['body', 'constraints', 'max'], 'max must not be less than min')]
    : [];

/** Constraints as stored and shown: with the members of their type only. */
export const constraintsOf = (sent: Static<typeof sentConstraints>): Constraints => {
  const { annotation_type } = sent;
  switch (annotation_type) {
    case 'like_dislike':
    case 'star':
    case 'text':
      return { annotation_type };
    case 'score':
      return { annotation_type, min: sent.min, max: sent.max };
    case 'tags':
      return { annotation_type, tags: [...new Set(sent.tags)], ...others(sent) };
    case 'choice':
      return { annotation_type, choices: [...new Set(sent.choices)], ...others(sent) };
    default:
      return unreachable(annotation_type);
  }
};
const others = ({ allow_other: allowed }: { readonly allow_other?: boolean | null }) => ({
  allow_other: allowed ?? false,
});

/** Template as folded from the log; its position is its index in the list. */
export type TemplateFacts = Omit<AnnotationTemplate, 'position' | 'usage_count'>;

export const feedbackTemplate = ({
  id: template,
  name: called,
  constraints: { annotation_type: type },
}: Pick<TemplateFacts, 'id' | 'name' | 'constraints'>): NamedTemplate => ({
  id: template,
  name: called,
  type,
});

/** Templates as shown; `usage` has the current ratings by template id. */
export const templateAnswers = (
  templates: readonly TemplateFacts[],
  usage: ReadonlyMap<string, number>,
): AnnotationTemplate[] =>
  templates.map((facts, position) => ({
    ...facts,
    position,
    usage_count: usage.get(facts.id) ?? 0,
  }));
