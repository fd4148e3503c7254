import {
  changeDataset,
  createDataset,
  datasetAnswer,
  datasetTag,
  deleteDataset,
  linkDataset,
  unlinkDataset,
} from '../../contract/datasets.js';
import { mayWriteDataset } from '../../contract/dataset-rights.js';
import { writeRoute, type Route } from '../../contract/operation.js';
import {
  isRoleAtLeast,
  projectRoles,
  type Principal,
  type VisibleProject,
} from '../../contract/roles.js';
import { reject, type Decide } from '../../kernel/decision.js';
import type { DatasetEvent } from '../../events/datasets.js';
import { Fault } from '../../kernel/fault.js';
import { isIfMatchMet, type IfMatch } from '../../kernel/if-match.js';
import type { DatasetId } from '../../kernel/schema-types.js';
import type { Authorship, TransactResult } from '../../kernel/transact.js';
import { datasets, type Dataset } from '../facts/datasets.js';
import { visibleDataset } from '../access/dataset-visibility.js';
import { wantedName, type WantedName } from '../facts/free-names.js';
import { loadUserBlock } from '../facts/users.js';
import { factsOf, liveProjects } from './dataset-facts.js';
import { contentWrites } from './version-routes.js';
import { createDatasetFrom } from './creation.js';
import { change, link, remove, unlink } from './datasets.js';
import { mappingComplaints } from './column-mapping.js';
import { datasetNames, transactNamed } from './names.js';
import type { DatasetNeeds } from './needs.js';
type DecideDataset = Decide<Dataset | null, DatasetEvent>;

/** Write routes of datasets (contract 4.7, 5.11). */
export const datasetWrites = (needs: DatasetNeeds): readonly Route[] => [
  createDatasetRoute(needs),
  changeDatasetRoute(needs),
  deleteDatasetRoute(needs),
  linkDatasetRoute(needs),
  unlinkDatasetRoute(needs),
  ...contentWrites(needs),
];

const createDatasetRoute = (needs: DatasetNeeds): Route =>
  writeRoute(
    createDataset,
    async (request) => {
      const { dataset, position } = await createDatasetFrom(needs, request);
      return { position, body: await datasetAnswerOf(needs, dataset, request.principal) };
    },
    ({ body }) => mappingComplaints(body.column_mapping),
  );

const changeDatasetRoute = (needs: DatasetNeeds): Route =>
  writeRoute(
    changeDataset,
    async ({ body, params: { dataset_id: id }, ifMatch, principal, cause }) => {
      const wanted = {
        name: body.name == null ? null : wantedName(body.name),
        mapping: body.column_mapping ?? null,
        publish: body.draft === false,
      };
      const { dataset, position } = await changeDatasetFields(
        needs,
        { id, wanted, ifMatch },
        cause,
      );
      const shown = await datasetAnswerOf(needs, dataset, principal);
      return { position, body: shown, etag: datasetTag(dataset) };
    },
    ({ body }) => mappingComplaints(body.column_mapping),
  );

const deleteDatasetRoute = (needs: DatasetNeeds): Route =>
  writeRoute(deleteDataset, async ({ params: { dataset_id: id }, ifMatch, cause }) => {
    const { position } = await transactDataset(needs, id, ifMatching(ifMatch, remove()), cause);
    return { position, body: { message: 'The dataset is deleted; its rows are being erased.' } };
  });

const linkDatasetRoute = (needs: DatasetNeeds): Route =>
  writeRoute(linkDataset, async ({ params, project, principal, cause }) => {
    const seen = await visibleDataset(needs, principal, params.dataset_id);
    if (seen?.write !== true) {
      throw new Fault('forbidden', 'Sharing a dataset needs the right to change it');
    }
    const decide = link(params.project_id, null);
    const { dataset, position } = await changeLink(needs, { ...params, project }, decide, cause);
    return { position, body: await datasetAnswerOf(needs, dataset, principal) };
  });

const unlinkDatasetRoute = (needs: DatasetNeeds): Route =>
  writeRoute(unlinkDataset, async ({ params, project, principal, cause }) => {
    const decide = unlink(params.project_id, null);
    const { dataset, position } = await changeLink(needs, { ...params, project }, decide, cause);
    return { position, body: await datasetAnswerOf(needs, dataset, principal) };
  });

const transactDataset = async (
  needs: DatasetNeeds,
  id: DatasetId,
  decide: DecideDataset,
  cause: Authorship,
) => changedDataset(await datasetNames.transact(needs, id, datasets, decide, cause), cause);

const changedDataset = (done: TransactResult<Dataset | null, DatasetEvent>, cause: Authorship) => {
  const state = requireDataset(done.state);
  const changed = done.events.length > 0 && { updatedAt: cause.at };
  return { position: done.position, dataset: { ...state, ...changed } };
};

const changeDatasetFields = async (
  needs: DatasetNeeds,
  request: {
    readonly id: DatasetId;
    readonly wanted: DatasetChange;
    readonly ifMatch: IfMatch | null;
  },
  cause: Authorship,
) => {
  const { id, ifMatch } = request;
  const { name: wanted, ...rest } = request.wanted;
  const changeTo = (name: string | null) => ifMatching(ifMatch, change({ ...rest, name }));
  return wanted === null
    ? transactDataset(needs, id, changeTo(null), cause)
    : changedDataset(await transactNamed(needs, id, wanted, changeTo, cause), cause);
};

/** Links or unlinks a dataset; the caller must be an editor of the project. */
const changeLink = async (
  needs: DatasetNeeds,
  link: { readonly dataset_id: DatasetId; readonly project: VisibleProject | null },
  decide: DecideDataset,
  cause: Authorship,
) => {
  const { dataset_id: id, project } = link;
  if (project === null || !isRoleAtLeast(projectRoles, project.role, 'editor')) {
    throw new Fault('forbidden', 'Linking a dataset needs the role editor of the project');
  }
  return transactDataset(needs, id, decide, cause);
};

const requireDataset = (dataset: Dataset | null): Dataset => {
  if (dataset === null) throw new Fault('not-found', 'Dataset not found');
  return dataset;
};

/**
 * The decision under optimistic concurrency: refused when the dataset's ETag differs from
 * `If-Match` (contract 1.9).
 */
const ifMatching =
  (ifMatch: IfMatch | null, decide: DecideDataset): DecideDataset =>
  (dataset) =>
    isIfMatchMet(ifMatch, dataset?.live === true ? datasetTag(dataset) : null)
      ? decide(dataset)
      : reject('precondition-failed', 'The dataset was changed meanwhile');

type DatasetChange = Omit<Parameters<typeof change>[0], 'name'> & {
  readonly name: WantedName | null;
};

/** The dataset record as the caller may see it (contract 4.7), from the log. */
const datasetAnswerOf = async (
  { log, visibleProject }: DatasetNeeds,
  dataset: Dataset,
  principal: Principal,
) => {
  const facts = factsOf(dataset);
  const home = dataset.home === null ? null : await visibleProject(principal, dataset.home);
  return datasetAnswer(facts, {
    user: await loadUserBlock(log, dataset.createdBy),
    rights: { write: mayWriteDataset(principal, dataset, home?.role ?? null) },
    projectCount: await liveProjects(log, facts.projects),
  });
};
