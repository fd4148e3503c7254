import { visibleDataset } from '../command-api/access/dataset-visibility.js';
import {
  datasets,
  datasetStream,
  projectsOfDataset,
  type Dataset,
  type DatasetFoldEvent,
} from '../command-api/facts/datasets.js';
import { factsOf } from '../command-api/datasets/dataset-facts.js';
import { link, unlink } from '../command-api/datasets/datasets.js';
import type { ExperimentNeeds } from '../command-api/experiments/routes.js';
import type { RequestAuthorizer } from '../contract/request-ports.js';
import type { EventLog, EventReader } from '../kernel/ports.js';
import { joinDecision, transact } from '../kernel/transact.js';
import type { DatasetReadNeeds } from '../query-api/datasets/routes.js';
import type { ResolveAsOf } from '../ledger/as-of-position.js';

type ExperimentDatasets = Pick<ExperimentNeeds, 'datasetVersion' | 'linkDataset'>;

/** Facts about datasets for experiments, from the log (contract 5.5). */
export const experimentDatasets = ({
  log,
  authorizer,
}: {
  readonly log: EventLog;
  readonly authorizer: Pick<RequestAuthorizer, 'visibleProject'>;
}): ExperimentDatasets => ({
  datasetVersion: async (principal, project, id, index) => {
    const needs = { log, visibleProject: authorizer.visibleProject };
    const seen = await visibleDataset(needs, principal, id);
    const version = seen?.dataset.versions.find((one) => one.version_index === index);
    return version === undefined || seen === null
      ? null
      : {
          name: seen.dataset.name,
          numRows: version.num_rows,
          mayLink: seen.write || projectsOfDataset(seen.dataset).includes(project),
        };
  },
  linkDataset: ({ dataset, project, run }) =>
    joinDecision(datasetStream(dataset), datasets, link(project, run)),
});

/** Removes an experiment's link from its dataset if that still exists. */
export const unlinkDatasetFrom =
  (log: EventLog): ExperimentNeeds['unlinkDataset'] =>
  async ({ dataset, project, run }, cause) => {
    const { position, events } = await transact(
      log,
      datasetStream(dataset),
      datasets,
      (state) => (state?.live === true ? unlink(project, run)(state) : []),
      cause,
    );
    return events.length === 0 ? null : position;
  };

/**
 * A dataset as of a position or a date-time (contract 5.14, rule 3), folded from its own stream. A
 * date-time resolves to the position of the dataset's last event until then, as no other stream
 * says anything about it.
 */
export const datasetAsOf =
  (log: EventReader, positionOf: ResolveAsOf): DatasetReadNeeds['datasetAt'] =>
  async (organization, id, asOf) => {
    const until = await positionOf(organization, asOf, 'as_of');
    const all = await log.read(datasetStream(id));
    const events = all.filter((event) => event.position <= until);
    const state = events.reduce<Dataset | null>(
      (dataset, event) => datasets.evolve(dataset, event as unknown as DatasetFoldEvent),
      datasets.initial,
    );
    const last = events.at(-1);
    if (state?.live !== true || last === undefined) return null;
    // The position may lie within its creation: a dataset exists from its first version on.
    if (state.versions.length === 0) return null;
    const position = 'position' in asOf ? asOf.position : last.position;
    return { facts: factsOf(state), position };
  };
