import {
  completePromptSettings,
  experimentAnswer,
  newExperiment,
  noAggregates,
  type ExperimentRecord,
} from '../../contract/experiment-record.js';
import {
  changeExperiment,
  createExperiment,
  creationComplaints,
  defaultTaskType,
  deleteExperiment,
  groupComplaints,
  type ExperimentCreation,
} from '../../contract/experiments.js';
import { writeRoute, type Route } from '../../contract/operation.js';
import type { Principal } from '../../contract/roles.js';
import type { ExperimentCreated } from '../../events/experiments.js';
import { Fault } from '../../kernel/fault.js';
import type { EventLog, Ids, Position } from '../../kernel/ports.js';
import type { DatasetId, JsonObject, ProjectId, RunId } from '../../kernel/schema-types.js';
import { loadStreamState, type Authorship, type JoinedDecision } from '../../kernel/transact.js';
import { loadUserBlock } from '../facts/users.js';
import { resolveRunScorers } from '../facts/scorer-settings.js';
import { experimentNames, runStream } from '../facts/runs.js';
import { change, create, experiments, isLive, remove, type Experiment } from './experiments.js';
import { findOrCreateGroup } from './experiment-groups.js';

type DatasetUse = {
  readonly dataset: DatasetId;
  readonly project: ProjectId;
  readonly run: RunId;
};
export type ExperimentNeeds = {
  readonly log: EventLog;
  readonly ids: Ids;
  /**
   * A version of a dataset that the caller may read, from the log; null when missing. `mayLink`:
   * the project is linked already, or the caller may share the dataset with it.
   */
  readonly datasetVersion: (
    principal: Principal,
    project: ProjectId,
    dataset: DatasetId,
    version: number,
  ) => Promise<{
    readonly name: string;
    readonly numRows: number;
    readonly mayLink: boolean;
  } | null>;
  /** Decision that links the dataset to the project for this experiment. */
  readonly linkDataset: (use: DatasetUse) => JoinedDecision;
  /** Removes that link, if the dataset is live; null when it was gone already. */
  readonly unlinkDataset: (use: DatasetUse, cause: Authorship) => Promise<Position | null>;
  /**
   * The record at this position or later (read-your-writes); for the answer only, never for a
   * decision. Throws Fault `read-model-behind`.
   */
  readonly experimentShown: (
    principal: Principal,
    project: ProjectId,
    id: RunId,
    position: Position,
  ) => Promise<ExperimentRecord>;
};

/** Write routes of experiments (contract 5.5). */
export const experimentWrites = (needs: ExperimentNeeds): readonly Route[] => [
  createExperimentRoute(needs),
  changeExperimentRoute(needs),
  deleteExperimentRoute(needs),
];

const createExperimentRoute = (needs: ExperimentNeeds): Route =>
  writeRoute(
    createExperiment,
    async ({ body, params: { project_id: project }, principal, cause, mint }) => {
      const dataset = await datasetVersionOf(needs, principal, project, body);
      const scorers = await resolveRunScorers(needs.log, principal, body.scorers ?? []);
      const group = await findOrCreateGroup(needs, project, body, cause);
      const id = mint('RunId');
      const created: ExperimentCreated = {
        run_id: id,
        project_id: project,
        organization_id: principal.organizationId,
        ...experimentSettings(body),
        scorers: [...scorers],
        dataset: dataset && {
          dataset_id: dataset.dataset_id,
          version_index: dataset.version_index,
          num_rows: dataset.num_rows,
        },
        group,
        created_by: principal.userId,
        created_at: cause.at,
      };
      const { position } = await experimentNames.transact(
        needs,
        id,
        experiments,
        create(created),
        cause,
        dataset && needs.linkDataset({ dataset: dataset.dataset_id, project, run: id }),
      );
      const user = await loadUserBlock(needs.log, principal.userId);
      const facts = newExperiment(created);
      return {
        position,
        body: experimentAnswer(facts, user, dataset?.name ?? null, noAggregates),
      };
    },
    ({ body }) => creationComplaints(body),
  );

const changeExperimentRoute = (needs: ExperimentNeeds): Route =>
  writeRoute(
    changeExperiment,
    async ({ body, params, principal, cause }) => {
      const { project_id: project, experiment_id: id } = params;
      await liveExperiment(needs.log, project, id);
      const group = await findOrCreateGroup(needs, project, body, cause);
      const wanted = { name: body.name, taskType: body.task_type ?? null, group };
      const decide = change(id, project, wanted);
      const { position } = await experimentNames.transact(needs, id, experiments, decide, cause);
      return { position, body: await needs.experimentShown(principal, project, id, position) };
    },
    ({ body }) => groupComplaints(body),
  );

const deleteExperimentRoute = (needs: ExperimentNeeds): Route =>
  writeRoute(deleteExperiment, async ({ params, cause }) => {
    const { project_id: project, experiment_id: id } = params;
    const { dataset } = await liveExperiment(needs.log, project, id);
    const decide = remove(id, project);
    const { position } = await experimentNames.transact(needs, id, experiments, decide, cause);
    const unlinked =
      dataset === null ? null : await needs.unlinkDataset({ dataset, project, run: id }, cause);
    return { position: unlinked ?? position, body: null };
  });

/** The live experiment of the project. Throws Fault `not-found` otherwise. */
export const liveExperiment = async (
  log: EventLog,
  project: ProjectId,
  id: RunId,
): Promise<Experiment> => {
  const { state } = await loadStreamState(log, runStream(id), experiments);
  if (!isLive(state, project)) throw new Fault('not-found', 'Experiment not found');
  return state;
};

const experimentSettings = (body: ExperimentCreation) => ({
  name: body.name,
  task_type: body.task_type ?? defaultTaskType,
  prompt_settings:
    body.prompt_settings == null
      ? null
      : (completePromptSettings(body.prompt_settings) as unknown as JsonObject),
  prompt: body.prompt == null ? null : promptOf(body.prompt),
  prompt_template_version_id: body.prompt_template_version_id ?? null,
  playground_id: body.playground_id ?? null,
  playground_prompt_id: body.playground_prompt_id ?? null,
});

/** Known members only: other members of a body are never stored (contract 1.2, rule 3). */
const promptOf = ({
  prompt_template_id,
  version_index,
  name,
  content,
}: NonNullable<ExperimentCreation['prompt']>) => ({
  prompt_template_id,
  version_index,
  name,
  content,
});

const datasetVersionOf = async (
  { datasetVersion }: ExperimentNeeds,
  principal: Principal,
  project: ProjectId,
  { dataset }: ExperimentCreation,
) => {
  if (dataset == null) return null;
  const { dataset_id, version_index } = dataset;
  const version = await datasetVersion(principal, project, dataset_id, version_index);
  if (version === null) throw new Fault('not-found', 'Dataset version not found');
  if (!version.mayLink) {
    throw new Fault('forbidden', 'Sharing a dataset with a project needs the right to change it');
  }
  return { dataset_id, version_index, num_rows: version.numRows, name: version.name };
};
