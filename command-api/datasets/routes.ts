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
import { route, type Route } from '../../contract/operation.js';
import {
  atLeast,
  projectRoles,
  type Principal,
  type ProjectInSight,
} from '../../contract/roles.js';
import { isRejection, reject, type Decide } from '../../kernel/decision.js';
import type { DatasetEvent } from '../../events/datasets.js';
import { Fault } from '../../kernel/fault.js';
import { isMet, type IfMatch } from '../../kernel/precondition.js';
import type { DatasetId } from '../../kernel/shapes.js';
import { load, transact, type Authorship } from '../../kernel/transact.js';
import { datasets, datasetStream, type Dataset } from '../facts/datasets.js';
import { datasetInSight } from '../access/dataset-sight.js';
import { userBlockOf } from '../facts/users.js';
import { factsOf, liveProjects } from './answer.js';
import { contentWrites } from './content-routes.js';
import { createFrom } from './creation.js';
import { change, link, remove, unlink } from './datasets.js';
import { mappingComplaints } from './mapping.js';
import { datasetNames, takeName } from './names.js';
import type { DatasetNeeds } from './needs.js';
type Deciding = Decide<Dataset | null, DatasetEvent>;

/** The writes of contract 4.7 and 5.11. */
export const datasetWrites = (needs: DatasetNeeds): readonly Route[] => [
  creating(needs),
  changing(needs),
  deleting(needs),
  linking(needs),
  unlinking(needs),
  ...contentWrites(needs),
];

const creating = (needs: DatasetNeeds): Route =>
  route(
    createDataset,
    async (request) => {
      const { dataset, position } = await createFrom(needs, request);
      return { position, body: await answered(needs, dataset, request.principal) };
    },
    ({ body }) => mappingComplaints(body.column_mapping),
  );

const changing = (needs: DatasetNeeds): Route =>
  route(
    changeDataset,
    async ({ body, params: { dataset_id: id }, ifMatch, principal, cause }) => {
      const wanted = {
        name: wantedName(body.name),
        mapping: body.column_mapping ?? null,
        publish: body.draft === false,
      };
      const { dataset, position } = await needs.inTurn([datasetStream(id)], () =>
        changed(needs, { id, wanted, ifMatch }, cause),
      );
      const shown = await answered(needs, dataset, principal);
      return { position, body: shown, etag: datasetTag(dataset) };
    },
    ({ body }) => mappingComplaints(body.column_mapping),
  );

const deleting = (needs: DatasetNeeds): Route =>
  route(deleteDataset, async ({ params: { dataset_id: id }, ifMatch, cause }) => {
    const { dataset, position } = await needs.inTurn([datasetStream(id)], () =>
      record(needs, id, met(ifMatch, remove()), cause),
    );
    const { organizationId: scope, name } = dataset;
    await datasetNames.release(needs, { scope, name }, id, cause);
    return { position, body: { message: 'The dataset is deleted; its rows are being erased.' } };
  });

const linking = (needs: DatasetNeeds): Route =>
  route(linkDataset, async ({ params, project, principal, cause }) => {
    const seen = await datasetInSight(needs, principal, params.dataset_id);
    if (seen?.write !== true) {
      throw new Fault('forbidden', 'Sharing a dataset needs the right to change it');
    }
    const decide = link(params.project_id, null);
    const { dataset, position } = await decidedOn(needs, { ...params, project }, decide, cause);
    return { position, body: await answered(needs, dataset, principal) };
  });

const unlinking = (needs: DatasetNeeds): Route =>
  route(unlinkDataset, async ({ params, project, principal, cause }) => {
    const decide = unlink(params.project_id, null);
    const { dataset, position } = await decidedOn(needs, { ...params, project }, decide, cause);
    return { position, body: await answered(needs, dataset, principal) };
  });

const record = async (
  { log }: DatasetNeeds,
  id: DatasetId,
  decide: Deciding,
  cause: Authorship,
) => {
  const done = await transact(log, datasetStream(id), datasets, decide, cause);
  const state = present(done.state);
  const changed = done.events.length > 0 && { updatedAt: cause.at };
  return { position: done.position, dataset: { ...state, ...changed } };
};

const changed = async (
  needs: DatasetNeeds,
  asked: { readonly id: DatasetId; readonly wanted: Wanted; readonly ifMatch: IfMatch | null },
  cause: Authorship,
) => {
  const { id, ifMatch } = asked;
  const { name: wanted, ...rest } = asked.wanted;
  const before = present((await load(needs.log, datasetStream(id), datasets)).state);
  // Before a name is taken for what will not happen.
  refuse(met(ifMatch, change({ ...rest, name: null }))(before));
  const name =
    wanted === null || wanted.name === before.name
      ? null
      : await takeName(needs, { organization: before.organizationId, id }, wanted, cause);
  let old = before.name;
  const done = await record(
    needs,
    id,
    (now) => {
      old = now?.name ?? old;
      return met(ifMatch, change({ ...rest, name }))(now);
    },
    cause,
  );
  if (name !== null && name !== old) {
    const oldName = { scope: done.dataset.organizationId, name: old };
    await datasetNames.release(needs, oldName, id, cause);
  }
  return done;
};

/** A link, made or undone by an editor of the project. */
const decidedOn = async (
  needs: DatasetNeeds,
  link: { readonly dataset_id: DatasetId; readonly project: ProjectInSight | null },
  decide: Deciding,
  cause: Authorship,
) => {
  const { dataset_id: id, project } = link;
  if (project === null || !atLeast(projectRoles, project.role, 'editor')) {
    throw new Fault('forbidden', 'Linking a dataset needs the role editor of the project');
  }
  return needs.inTurn([datasetStream(id)], () => record(needs, id, decide, cause));
};

const present = (dataset: Dataset | null): Dataset => {
  if (dataset === null) throw new Fault('not-found', 'Dataset not found');
  return dataset;
};

/** The decision, unless the dataset is another one than the client knows (contract 1.9). */
const met =
  (ifMatch: IfMatch | null, decide: Deciding): Deciding =>
  (dataset) =>
    isMet(ifMatch, dataset?.live === true ? datasetTag(dataset) : null)
      ? decide(dataset)
      : reject('precondition-failed', 'The dataset was changed meanwhile');

const refuse = (decision: ReturnType<Deciding>): void => {
  if (isRejection(decision)) throw new Fault(decision.rejected, decision.detail, decision.details);
};

type Wanted = Omit<Parameters<typeof change>[0], 'name'> & {
  readonly name: ReturnType<typeof wantedName>;
};
type NameGiven =
  | string
  | { readonly value: string; readonly append_suffix_if_duplicate?: boolean }
  | null
  | undefined;
const wantedName = (given: NameGiven) => {
  if (given == null) return null;
  if (typeof given === 'string') return { name: given, suffixed: false };
  return { name: given.value, suffixed: given.append_suffix_if_duplicate === true };
};

/** The record of 4.7 as the caller may see it, from the log. */
const answered = async (
  { log, projectInSight }: DatasetNeeds,
  dataset: Dataset,
  principal: Principal,
) => {
  const facts = factsOf(dataset);
  const home = dataset.home === null ? null : await projectInSight(principal, dataset.home);
  return datasetAnswer(facts, {
    user: await userBlockOf(log, dataset.createdBy),
    rights: { write: mayWriteDataset(principal, dataset, home?.role ?? null) },
    projectCount: await liveProjects(log, facts.projects),
  });
};
