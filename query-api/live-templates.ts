import { feedbackTemplate } from '../contract/annotation-templates.js';
import type { Documents } from '../kernel/documents.js';
import type { RecordQueries } from '../kernel/records/record-queries.js';
import type { ProjectId } from '../kernel/schema-types.js';
import {
  annotationTemplateList,
  type TemplateList,
} from '../projections/annotation-template-list.js';
import type { TemplatesOf } from './run-selection.js';

/** Live templates in their order, from the read model. */
export const readLiveTemplates = async (
  documents: Documents,
  project: ProjectId,
): Promise<TemplateList['templates']> => {
  const found = await documents.get<TemplateList>(annotationTemplateList.collection, project);
  return found?.body.templates ?? [];
};

/** Live templates in the form that ratings use. */
export const openTemplatesOf =
  (documents: Documents): TemplatesOf =>
  async (project) =>
    (await readLiveTemplates(documents, project)).map(feedbackTemplate);

/** Current ratings by template id, in all runs of the project. */
export const templateUsage = async (
  records: Pick<RecordQueries, 'ratings'>,
  project: ProjectId,
): Promise<ReadonlyMap<string, number>> => {
  const usage = new Map<string, number>();
  for (const { template, ratings } of await records.ratings(project, null)) {
    usage.set(template, (usage.get(template) ?? 0) + ratings);
  }
  return usage;
};
