import type { VisibilityRules } from '../../contract/request-ports.js';
import type { Principal } from '../../contract/roles.js';
import type { EventReader } from '../../kernel/ports.js';
import type { DatasetId } from '../../kernel/schema-types.js';
import { liveDataset, projectsOfDataset, type Dataset } from '../facts/datasets.js';
import { rightsAtHome, type VisibleProjects } from './home-visibility.js';

type DatasetVisibilityNeeds = VisibleProjects & { readonly log: EventReader };
type VisibleDataset = { readonly dataset: Dataset; readonly write: boolean };

/**
 * The dataset with the caller's write right (contract 2.6, rule 4); null when not visible to them.
 */
export const visibleDataset = async (
  needs: DatasetVisibilityNeeds,
  principal: Principal,
  id: DatasetId,
): Promise<VisibleDataset | null> => {
  const dataset = await liveDataset(needs.log, principal.organizationId, id);
  if (dataset === null) return null;
  const rights = await rightsAtHome(needs, principal, dataset, projectsOfDataset(dataset));
  return rights && { dataset, ...rights };
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
