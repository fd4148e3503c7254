import {
  getAnnotationTemplate,
  listAnnotationTemplates,
  templateAnswers,
  type AnnotationTemplate,
} from '../../contract/annotation-templates.js';
import { readRoute, type Route } from '../../contract/operation.js';
import { Fault } from '../../kernel/fault.js';
import type { Documents } from '../../kernel/documents.js';
import type { RecordQueries } from '../../kernel/records/record-queries.js';
import type { ProjectId } from '../../kernel/schema-types.js';
import { annotationTemplateList } from '../../projections/annotation-template-list.js';
import { recordsCollection } from '../../projections/records/collection.js';
import { readLiveTemplates, templateUsage } from '../live-templates.js';

type Needs = { readonly documents: Documents; readonly records: Pick<RecordQueries, 'ratings'> };

/** Reads of annotation templates (contract 5.8). */
export const annotationTemplateReads = (needs: Needs): readonly Route[] => [
  listing(needs),
  showing(needs),
];

const reads = [annotationTemplateList.collection, recordsCollection];

const listing = (needs: Needs): Route =>
  readRoute(listAnnotationTemplates, reads, async ({ params }) => ({
    body: await answers(needs, params.project_id),
  }));

const showing = (needs: Needs): Route =>
  readRoute(getAnnotationTemplate, reads, async ({ params }) => {
    const shown = (await answers(needs, params.project_id)).find(
      ({ id }) => id === params.template_id,
    );
    if (shown === undefined) throw new Fault('not-found', 'Annotation template not found');
    return { body: shown };
  });

const answers = async (
  { documents, records }: Needs,
  project: ProjectId,
): Promise<AnnotationTemplate[]> =>
  templateAnswers(
    await readLiveTemplates(documents, project),
    await templateUsage(records, project),
  );
