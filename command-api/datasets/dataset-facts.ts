import type { DatasetFacts } from '../../contract/datasets.js';
import type { EventReader } from '../../kernel/ports.js';
import type { ProjectId } from '../../kernel/schema-types.js';
import { loadStreamState } from '../../kernel/transact.js';
import { currentVersion, projectsOfDataset, type Dataset } from '../facts/datasets.js';
import { projects, projectStream } from '../facts/projects.js';

/** Facts of a dataset from the log, in the form that projections/dataset-list.ts keeps. */
export const factsOf = (dataset: Dataset): DatasetFacts => {
  const { num_rows, columns, version_index } = currentVersion(dataset);
  return {
    id: dataset.id,
    name: dataset.name,
    created_at: dataset.createdAt,
    updated_at: dataset.updatedAt,
    created_by: dataset.createdBy,
    home_project: dataset.home,
    projects: projectsOfDataset(dataset),
    num_rows,
    column_names: columns.map(({ name }) => name),
    current_version_index: version_index,
    draft: dataset.draft,
    column_mapping: dataset.mapping,
    revision: dataset.revision,
  };
};

/** Number of these projects that are live. */
export const liveProjects = async (
  log: EventReader,
  ids: readonly ProjectId[],
): Promise<number> => {
  const found = await Promise.all(
    ids.map(async (id) => (await loadStreamState(log, projectStream(id), projects)).state),
  );
  return found.filter((project) => project?.live === true).length;
};
