import {
  mayWriteDataset,
  seesAllDatasets,
  seesOwnDatasets,
} from '../../contract/dataset-rights.js';
import type { Gate, Sights } from '../../contract/gate.js';
import type { Principal } from '../../contract/roles.js';
import type { EventReader } from '../../kernel/ports.js';
import type { DatasetId } from '../../kernel/shapes.js';
import { liveDataset, projectsOf, type Dataset } from '../facts/datasets.js';

type DatasetSightNeeds = {
  readonly log: EventReader;
  readonly projectInSight: Gate['projectInSight'];
};
type DatasetInSight = { readonly dataset: Dataset; readonly write: boolean };

/** The dataset as the caller may see it (contract 2.6, rule 4); null when it is out of sight. */
export const datasetInSight = async (
  { log, projectInSight }: DatasetSightNeeds,
  principal: Principal,
  id: DatasetId,
): Promise<DatasetInSight | null> => {
  const dataset = await liveDataset(log, principal.organizationId, id);
  if (dataset === null) return null;
  const home = dataset.home === null ? null : await projectInSight(principal, dataset.home);
  const write = mayWriteDataset(principal, dataset, home?.role ?? null);
  const isOwn = dataset.createdBy === principal.userId && seesOwnDatasets(principal);
  if (write || home !== null || isOwn || seesAllDatasets(principal)) return { dataset, write };
  for (const project of projectsOf(dataset)) {
    if ((await projectInSight(principal, project)) !== null) return { dataset, write };
  }
  return null;
};

/** The requirements about datasets, from the log. */
export const datasetSights = (needs: DatasetSightNeeds): Sights => {
  const ask = (principal: Principal, id: string): Promise<DatasetInSight | null> =>
    datasetInSight(needs, principal, id as DatasetId);
  return {
    'dataset-read': async (principal, id) =>
      (await ask(principal, id)) === null ? 'unseen' : 'allowed',
    'dataset-write': async (principal, id) => {
      const seen = await ask(principal, id);
      if (seen === null) return 'unseen';
      return seen.write ? 'allowed' : 'forbidden';
    },
  };
};
