import {
  mayWriteDataset,
  seesAllDatasets,
  seesOwnDatasets,
} from '../../contract/dataset-rights.js';
import type { RequestAuthorizer, VisibilityRules } from '../../contract/request-ports.js';
import type { Principal } from '../../contract/roles.js';
import type { EventReader } from '../../kernel/ports.js';
import type { DatasetId } from '../../kernel/schema-types.js';
import { liveDataset, projectsOfDataset, type Dataset } from '../facts/datasets.js';

type DatasetVisibilityNeeds = {
  readonly log: EventReader;
  readonly visibleProject: RequestAuthorizer['visibleProject'];
};
type VisibleDataset = { readonly dataset: Dataset; readonly write: boolean };

/**
 * The dataset with the caller's write right (contract 2.6, rule 4); null when not visible to them.
 */
export const visibleDataset = async (
  { log, visibleProject }: DatasetVisibilityNeeds,
  principal: Principal,
  id: DatasetId,
): Promise<VisibleDataset | null> => {
  const dataset = await liveDataset(log, principal.organizationId, id);
  if (dataset === null) return null;
  const home = dataset.home === null ? null : await visibleProject(principal, dataset.home);
  const write = mayWriteDataset(principal, dataset, home?.role ?? null);
  const isOwn = dataset.createdBy === principal.userId && seesOwnDatasets(principal);
  if (write || home !== null || isOwn || seesAllDatasets(principal)) return { dataset, write };
  for (const project of projectsOfDataset(dataset)) {
    if ((await visibleProject(principal, project)) !== null) return { dataset, write };
  }
  return null;
};

/** Visibility rules of datasets, answered from the log. */
export const datasetVisibilityRules = (needs: DatasetVisibilityNeeds): VisibilityRules => {
  const find = (principal: Principal, id: string): Promise<VisibleDataset | null> =>
    visibleDataset(needs, principal, id as DatasetId);
  return {
    'dataset-read': async (principal, id) =>
      (await find(principal, id)) === null ? 'unseen' : 'allowed',
    'dataset-write': async (principal, id) => {
      const seen = await find(principal, id);
      if (seen === null) return 'unseen';
      return seen.write ? 'allowed' : 'forbidden';
    },
  };
};
