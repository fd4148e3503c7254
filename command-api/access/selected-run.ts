import { selectedRun } from '../../contract/selectors.js';
import type { Principal } from '../../contract/roles.js';
import { Fault } from '../../kernel/fault.js';
import type { EventLog, Ids } from '../../kernel/ports.js';
import type { ProjectId } from '../../kernel/schema-types.js';
import type { Authorship } from '../../kernel/transact.js';
import { type Run, ensureDefaultLogStream, liveRun } from '../facts/runs.js';

type RunSelection = {
  readonly body: Parameters<typeof selectedRun>[0];
  readonly params: { readonly project_id: ProjectId };
  readonly principal: Principal;
  readonly cause: Authorship;
};

/**
 * The run that records go to: the one that the request names, else the project's log stream
 * `default`, created when missing (contract 5.6, rule 1). Read from the log each time, so a deleted
 * run is refused at once. Throws Fault `not-found` for a run that the project does not have.
 */
export const runForRecords = async (
  { log, ids }: { readonly log: EventLog; readonly ids: Ids },
  { body, params: { project_id: project }, principal, cause }: RunSelection,
): Promise<Run> => {
  const named = selectedRun(body);
  if (named === null) {
    const place = { projectId: project, organizationId: principal.organizationId };
    return ensureDefaultLogStream(log, ids, place, principal.userId, cause);
  }
  const run = await liveRun(log, project, named.id);
  if (run === null || run.kind !== named.kind) throw new Fault('not-found', 'Run not found');
  return run;
};

/** The members of an answer that name the run; those of other kinds are null. */
export const runMembers = ({ id, kind }: Pick<Run, 'id' | 'kind'>) => ({
  log_stream_id: kind === 'log_stream' ? id : null,
  experiment_id: kind === 'experiment' ? id : null,
  metrics_testing_id: kind === 'metrics_testing' ? id : null,
});
