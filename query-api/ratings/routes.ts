import { readRoute, type Route } from '../../contract/operation.js';
import { readRating, type Rating } from '../../contract/ratings.js';
import { Fault } from '../../kernel/fault.js';
import { annotationsOf } from '../../kernel/records/feedback.js';
import type { Documents } from '../../kernel/documents.js';
import type { RecordQueries } from '../../kernel/records/record-queries.js';
import type { RecordRow } from '../../kernel/records/record.js';
import type { ProjectId, TraceId } from '../../kernel/schema-types.js';
import { annotationTemplateList } from '../../projections/annotation-template-list.js';
import { recordsCollection } from '../../projections/records/collection.js';
import { readLiveTemplates } from '../live-templates.js';

type Needs = { readonly documents: Documents; readonly records: Pick<RecordQueries, 'search'> };

/** Read of the caller's own rating (contract 5.8). */
export const ratingReads = ({ documents, records }: Needs): readonly Route[] => [
  readRoute(
    readRating,
    [annotationTemplateList.collection, recordsCollection],
    async ({ params, principal }) => {
      const { project_id: project, template_id: template, trace_id: id } = params;
      const templates = await readLiveTemplates(documents, project);
      if (!templates.some((one) => one.id === template)) throw missing('Annotation template');
      const trace = await traceOf(records, project, id);
      if (trace === null) throw missing('Trace');
      const given = annotationsOf(trace)[template]?.[principal.userId];
      if (given === undefined) throw missing('Rating');
      const { annotation_type, value, explanation, given_at } = given;
      return {
        body: {
          rating: { annotation_type, value } as Rating,
          explanation,
          created_at: given_at,
          created_by: principal.userId,
        },
      };
    },
  ),
];

const missing = (noun: string): Fault => new Fault('not-found', `${noun} not found`);

/** The trace's own row, without its spans. */
const traceOf = async (
  records: Pick<RecordQueries, 'search'>,
  project: ProjectId,
  id: TraceId,
): Promise<RecordRow | null> => {
  const { rows } = await records.search({
    project,
    run: null,
    from: null,
    to: null,
    population: 'trace',
    kinds: null,
    templates: [],
    filter: { kind: 'id', column: 'id', operator: 'eq', values: [id], caseSensitive: true },
    sort: null,
    offset: 0,
    limit: 1,
  });
  return rows[0] ?? null;
};
