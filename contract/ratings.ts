import { Type, type Static } from 'typebox';
import { type Complaint, valueComplaint } from '../kernel/fault.js';
import { id, instant, nullish, namedSchema, nullable } from '../kernel/schema-types.js';
import { exampleIds } from './example-ids.js';
import { labelMax, labelsMax } from './annotation-templates.js';
import { message } from './envelope.js';
import { operation } from './operation.js';

/** Limits of contract 1.11: operations, traces, and their product in one request. */
const ratingOperationsMax = 20;
const ratedTracesMax = 1_000;
const ratingItemsMax = 5_000;
const explanationMax = 4_096;
const starsMax = 5;

const label = Type.String({ minLength: 1, maxLength: labelMax });
/** Rating value, by `annotation_type` (contract 4.8). */
const rating = namedSchema(
  'RatingValue',
  Type.Union([
    namedSchema(
      'LikeRating',
      Type.Object({ annotation_type: Type.Literal('like_dislike'), value: Type.Boolean() }),
    ),
    namedSchema(
      'StarRating',
      Type.Object({
        annotation_type: Type.Literal('star'),
        value: Type.Integer({ minimum: 1, maximum: starsMax }),
      }),
    ),
    namedSchema(
      'ScoreRating',
      Type.Object({ annotation_type: Type.Literal('score'), value: Type.Integer() }),
    ),
    namedSchema(
      'TagsRating',
      Type.Object({
        annotation_type: Type.Literal('tags'),
        value: Type.Array(label, { maxItems: labelsMax }),
      }),
    ),
    namedSchema(
      'TextRating',
      Type.Object({
        annotation_type: Type.Literal('text'),
        value: Type.String({ minLength: 1, maxLength: explanationMax }),
      }),
    ),
    namedSchema(
      'ChoiceRating',
      Type.Object({ annotation_type: Type.Literal('choice'), value: label }),
    ),
  ]),
);
export type Rating = Static<typeof rating>;
const explanation = nullish(Type.String({ minLength: 1, maxLength: explanationMax }));

const operationTypes = ['create', 'delete'] as const;
type OperationType = (typeof operationTypes)[number];
/**
 * Operation on ratings; its members depend on `operation_type`, which has a default, as a union's
 * tag cannot.
 */
const ratingOperation = namedSchema(
  'RatingOperation',
  Type.Object({
    operation_type: Type.Optional(Type.String({ default: 'create' })),
    annotation_template_id: id('TemplateId'),
    rating: nullish(rating),
    explanation,
  }),
);
type SentOperation = Static<typeof ratingOperation>;

const ratingResult = namedSchema(
  'RatingResult',
  Type.Object({
    operation: Type.Unsafe<OperationType>(Type.String({ enum: [...operationTypes] })),
    success: Type.Boolean(),
    message: Type.String(),
    selector: Type.Literal('traces'),
    /** Index of the operation in `operations`. */
    index: Type.Integer(),
    trace: id('TraceId'),
  }),
);
export type RatingResult = Static<typeof ratingResult>;

const schemes = ['K', 'B', 'P'] as const;

export const rateTraces = operation({
  operationId: 'rateTraces',
  summary: 'Give or withdraw ratings on many traces',
  description: 'Each operation is applied to each trace, and has a result of its own for it.',
  example: {
    operations: [
      {
        annotation_template_id: exampleIds.template_id,
        rating: { annotation_type: 'like_dislike', value: true },
        explanation: 'to the point',
      },
    ],
    selector: { traces: [exampleIds.trace_id] },
  },
  section: '4.8',
  method: 'POST',
  path: '/v2/projects/{project_id}/annotation/ratings',
  schemes,
  requires: 'annotator',
  body: Type.Object({
    operations: Type.Array(ratingOperation, { minItems: 1, maxItems: ratingOperationsMax }),
    selector: namedSchema(
      'TraceSelector',
      Type.Object({
        traces: Type.Array(id('TraceId'), { minItems: 1, maxItems: ratedTracesMax }),
        selector_type: Type.Optional(Type.Literal('traces', { default: 'traces' })),
      }),
    ),
  }),
  response: Type.Array(ratingResult, { maxItems: ratingItemsMax }),
});

const ofTrace = {
  section: '5.8',
  path: '/v2/projects/{project_id}/annotation/templates/{template_id}/traces/{trace_id}/rating',
  schemes,
} as const;
/** Caller's own rating; `created_at` is when it was last set. */
const ownRating = namedSchema(
  'Rating',
  Type.Object({
    rating,
    explanation: nullable(Type.String()),
    created_at: instant,
    created_by: id('UserId'),
  }),
);

export const giveRating = operation({
  ...ofTrace,
  operationId: 'giveRating',
  summary: "Give or replace the caller's rating of a trace",
  description: 'Everyone has one rating of a trace under a template.',
  example: {
    rating: { annotation_type: 'like_dislike', value: true },
    explanation: 'to the point',
  },
  method: 'PUT',
  requires: 'annotator',
  body: Type.Object({ rating, explanation }),
  response: ownRating,
});

export const readRating = operation({
  ...ofTrace,
  operationId: 'readRating',
  summary: "The caller's rating of a trace",
  description: 'Not found if the caller gave none.',
  method: 'GET',
  requires: 'viewer',
  response: ownRating,
});

export const withdrawRating = operation({
  ...ofTrace,
  operationId: 'withdrawRating',
  summary: "Withdraw the caller's rating of a trace",
  description: 'Not found if the caller gave none.',
  method: 'DELETE',
  requires: 'annotator',
  response: message,
});

export const ratingsOperations = [rateTraces, giveRating, readRating, withdrawRating];

export const typeOfOperation = ({ operation_type: type }: SentOperation): OperationType =>
  type === 'delete' ? 'delete' : 'create';

type RatingsBody = {
  readonly operations: readonly SentOperation[];
  readonly selector: { readonly traces: readonly unknown[] };
};

/** Complaints about a request beyond the schema (contract 4.8, rule 1; 1.11). */
export const complaintsAboutRatings = ({
  operations,
  selector,
}: RatingsBody): readonly Complaint[] => [
  ...operations.flatMap((one, index) => complaintAbout(one, ['body', 'operations', String(index)])),
  ...(operations.length * selector.traces.length > ratingItemsMax
    ? [valueComplaint(['body'], `operations times traces must be at most ${ratingItemsMax}`)]
    : []),
];

const complaintAbout = (sent: SentOperation, loc: readonly string[]): readonly Complaint[] => {
  const type = sent.operation_type ?? 'create';
  if (type !== 'create' && type !== 'delete') {
    const msg =
      `Input tag '${type}' found using 'operation_type' does not match ` +
      "any of the expected tags: 'create', 'delete'";
    return [{ loc, msg, type: 'union_tag_invalid' }];
  }
  const at = [...loc, 'rating'];
  if (type === 'delete' || (sent.rating !== undefined && sent.rating !== null)) return [];
  return sent.rating === undefined
    ? [{ loc: at, msg: 'Field required', type: 'missing' }]
    : [{ loc: at, msg: 'Input should be a valid object', type: 'dict_type' }];
};
