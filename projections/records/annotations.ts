import type { Annotation } from '../../kernel/records/feedback.js';
import { annotationsOf } from '../../kernel/records/feedback.js';
import { byCodePoint } from '../../kernel/code-points.js';
import type { Json } from '../../kernel/schema-types.js';
import { removeMember, type RowBuilder } from './row-builder.js';

/**
 * Sets the user's rating of the trace by the template, or withdraws it (null). A rating does not
 * change the trace itself, so `updated_at` stays.
 */
export const annotate = (
  trace: RowBuilder,
  template: string,
  user: string,
  rating: Annotation | null,
): void => {
  const { [template]: ofTemplate = {}, ...others } = annotationsOf(trace);
  const { [user]: _, ...ofOthers } = ofTemplate;
  const after = rating === null ? ofOthers : { ...ofOthers, [user]: rating };
  const annotations = Object.keys(after).length === 0 ? others : { ...others, [template]: after };
  if (Object.keys(annotations).length === 0) removeMember(trace.body, 'annotations');
  else trace.body['annotations'] = annotations as Json;
  trace.annotators = Object.entries(annotations)
    .flatMap(([id, byUser]) => Object.keys(byUser).map((one) => `${id}/${one}`))
    .sort(byCodePoint);
};
