import type { ExperimentTag } from '../../contract/experiment-record.js';
import {
  changeExperimentTag,
  tagExperiment,
  untagExperiment,
} from '../../contract/experiment-tags.js';
import { writeRoute, type Route } from '../../contract/operation.js';
import { Fault } from '../../kernel/fault.js';
import type { EventLog } from '../../kernel/ports.js';
import type { TagId } from '../../kernel/schema-types.js';
import { transact } from '../../kernel/transact.js';
import { runStream } from '../facts/runs.js';
import { changeTag, experiments, tag, untag, type Experiment } from './experiments.js';
import { liveExperiment } from './routes.js';

type Needs = { readonly log: EventLog };

/** Write routes of experiment tags (contract 5.5). */
export const experimentTagWrites = (needs: Needs): readonly Route[] => [
  addTagRoute(needs),
  changeTagRoute(needs),
  removeTagRoute(needs),
];

const addTagRoute = ({ log }: Needs): Route =>
  writeRoute(tagExperiment, async ({ body, params, principal, cause, mint }) => {
    const { project_id: project, experiment_id: run } = params;
    const id = mint('TagId');
    const { key, value, tag_type } = body;
    const decide = tag(
      { run, project, tag: id, at: cause.at },
      { key, value, tag_type },
      principal.userId,
    );
    const { state, position } = await transact(log, runStream(run), experiments, decide, cause);
    return { position, body: requireTag(state, id) };
  });

const changeTagRoute = ({ log }: Needs): Route =>
  writeRoute(changeExperimentTag, async ({ body, params, cause }) => {
    const { project_id: project, experiment_id: run, tag_id: id } = params;
    const { key, value, tag_type } = body;
    const decide = changeTag({ run, project, tag: id, at: cause.at }, { key, value, tag_type });
    const { state, position } = await transact(log, runStream(run), experiments, decide, cause);
    return { position, body: requireTag(state, id) };
  });

const removeTagRoute = ({ log }: Needs): Route =>
  writeRoute(untagExperiment, async ({ params, cause }) => {
    const { project_id: project, experiment_id: run, tag_id: id } = params;
    requireTag(await liveExperiment(log, project, run), id);
    const decide = untag(run, project, id);
    const { position } = await transact(log, runStream(run), experiments, decide, cause);
    return { position, body: { message: 'The tag is removed from the experiment.' } };
  });

const requireTag = (experiment: Experiment | null, id: TagId): ExperimentTag => {
  const found = experiment?.tags.get(id);
  if (found === undefined) throw new Fault('not-found', 'Tag not found');
  return found;
};
