import { datasetInSight } from '../command-api/access/dataset-sight.js';
import { datasets, datasetStream } from '../command-api/access/datasets.js';
import { link, unlink } from '../command-api/datasets/datasets.js';
import type { ExperimentNeeds } from '../command-api/experiments/routes.js';
import type { Gate } from '../contract/gate.js';
import type { EventLog } from '../kernel/ports.js';
import { transact } from '../kernel/transact.js';

type Answers = Pick<ExperimentNeeds, 'datasetVersion' | 'linkDataset' | 'unlinkDataset'>;

/** What experiments ask of datasets, from the log (contract 5.5). */
export const datasetUse = ({
  log,
  gate,
}: {
  readonly log: EventLog;
  readonly gate: Pick<Gate, 'projectInSight'>;
}): Answers => ({
  datasetVersion: async (principal, id, index) => {
    const needs = { log, projectInSight: gate.projectInSight };
    const seen = await datasetInSight(needs, principal, id);
    const version = seen?.dataset.versions.find((one) => one.version_index === index);
    return version === undefined || seen === null
      ? null
      : { name: seen.dataset.name, numRows: version.num_rows };
  },
  linkDataset: async ({ dataset, project, run }, cause) => {
    await transact(log, datasetStream(dataset), datasets, link(project, run), cause);
  },
  unlinkDataset: async ({ dataset, project, run }, cause) => {
    const { position, events } = await transact(
      log,
      datasetStream(dataset),
      datasets,
      (state) => (state?.live === true ? unlink(project, run)(state) : []),
      cause,
    );
    return events.length === 0 ? null : position;
  },
});
