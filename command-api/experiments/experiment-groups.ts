import type { ExperimentGroup } from '../../events/experiments.js';
import { Fault } from '../../kernel/fault.js';
import type { EventLog, Ids } from '../../kernel/ports.js';
import type { ExperimentGroupId, ProjectId } from '../../kernel/schema-types.js';
import { loadStreamState, transact, type Authorship } from '../../kernel/transact.js';
import { experimentScopeStream } from '../facts/experiments.js';
import { makeGroup, experimentScopes } from './scopes.js';

type Needs = { readonly log: EventLog; readonly ids: Ids };

type GroupSelection = {
  readonly experiment_group_id?: ExperimentGroupId | null;
  readonly experiment_group_name?: string | null;
};

/**
 * Finds the group that a request names, or creates it when its name is new; null when the request
 * names no group. Its id is derived from project and name, so concurrent requests get the same one.
 * Throws Fault `not-found` for an unknown id.
 */
export const findOrCreateGroup = async (
  { log, ids }: Needs,
  project: ProjectId,
  { experiment_group_id: id, experiment_group_name: name }: GroupSelection,
  cause: Authorship,
): Promise<ExperimentGroup | null> => {
  if (id != null) {
    const { state } = await loadStreamState(log, experimentScopeStream(id), experimentScopes);
    if (state.group?.projectId !== project) {
      throw new Fault('not-found', 'Experiment group not found');
    }
    return { id, name: state.group.name };
  }
  if (name == null) return null;
  const made = ids.derive('ExperimentGroupId', 'experiment group', project, name);
  await transact(
    log,
    experimentScopeStream(made),
    experimentScopes,
    makeGroup(made, project, name),
    cause,
  );
  return { id: made, name };
};
