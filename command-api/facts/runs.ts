import type { ExperimentEvent } from '../../events/experiments.js';
import type { LogStreamEvent } from '../../events/log-streams.js';
import type { MetricsTestingRunEvent } from '../../events/scorer-tasks.js';
import { type Decision, unreachable, type Fold } from '../../kernel/decision.js';
import { Fault } from '../../kernel/fault.js';
import {
  type EventLog,
  type EventReader,
  type Ids,
  type Position,
  type StreamName,
  streamNameOf,
} from '../../kernel/ports.js';
import type {
  OrganizationId,
  ProjectId,
  RunId,
  UserId,
  Instant,
} from '../../kernel/schema-types.js';
import { transact, type Authorship } from '../../kernel/transact.js';
import { stateCacheOf } from './state-cache.js';
import { scopedNames } from './reservations.js';
import { type RunKind, selectedRun } from '../../contract/selectors.js';
import type { Principal } from '../../contract/roles.js';

export const runStream = (id: string): StreamName => streamNameOf('run', id);

/** State of a run; null before it was created. */
export type Run = {
  readonly id: RunId;
  readonly projectId: ProjectId;
  readonly kind: RunKind;
  readonly name: string;
  readonly createdBy: UserId;
  readonly createdAt: Instant;
  readonly live: boolean;
};

type RunEvent = LogStreamEvent | ExperimentEvent | MetricsTestingRunEvent;

export const runs: Fold<Run | null, RunEvent> = {
  initial: null,
  evolve: (run, { type, data }) => {
    switch (type) {
      case 'LogStreamCreated':
      case 'ExperimentCreated':
        return {
          id: data.run_id,
          projectId: data.project_id,
          kind: type === 'LogStreamCreated' ? 'log_stream' : 'experiment',
          name: data.name,
          createdBy: data.created_by,
          createdAt: data.created_at,
          live: true,
        };
      case 'MetricsTestingRunCreated':
        return {
          id: data.run_id,
          projectId: data.project_id,
          kind: 'metrics_testing',
          name: '',
          createdBy: data.created_by,
          createdAt: data.created_at,
          live: true,
        };
      case 'LogStreamRenamed':
      case 'ExperimentRenamed':
        return run && { ...run, name: data.name };
      case 'LogStreamDeleted':
      case 'ExperimentDeleted':
        return run && { ...run, live: false };
      case 'ExperimentGroupAssigned':
      case 'ExperimentTagged':
      case 'ExperimentTagChanged':
      case 'ExperimentUntagged':
        return run;
      default:
        return unreachable(type);
    }
  },
};

/** The live run; null when unknown, deleted or of another project. */
export const liveRun = async (
  log: EventReader,
  project: ProjectId,
  id: RunId,
): Promise<Run | null> => (await liveRunAndPosition(log, project, id))?.run ?? null;

/** Cache of run states: consecutive requests often concern the same run. */
const runStates = stateCacheOf({ fold: runs, weightOf: () => runWeight, weightMax: 4_000_000 });
const runWeight = 500;

/** The live run with the position of its last event. */
export const liveRunAndPosition = async (
  log: EventReader,
  project: ProjectId,
  id: RunId,
): Promise<{ readonly run: Run; readonly position: Position } | null> => {
  const { state: run, position } = await runStates(log).load(runStream(id));
  return run?.live === true && run.projectId === project ? { run, position } : null;
};

/** Log stream names, unique in their project (contract 5.5). */
export const logStreamNames = scopedNames({
  what: 'log-stream',
  scope: 'projectId',
  called: 'A log stream',
  holder: runStream,
  fold: runs,
});

/** Experiment names, unique in their project (contract 5.5). */
export const experimentNames = scopedNames({
  what: 'experiment',
  scope: 'projectId',
  called: 'An experiment',
  holder: runStream,
  fold: runs,
});

/** Name of the log stream for records that name no run (contract 5.6, rule 1). */
export const defaultLogStreamName = 'default';

/**
 * The project's log stream `default`, created when missing. Concurrent calls get the same one: its
 * id is derived from the project and from how often a stream of that name was made.
 */
export const ensureDefaultLogStream = (
  log: EventLog,
  ids: Ids,
  place: Omit<LogStreamKey, 'name'>,
  createdBy: UserId,
  authorship: Authorship,
): Promise<Run> =>
  ensureLogStream(log, ids, { ...place, name: defaultLogStreamName }, createdBy, authorship);

type LogStreamKey = {
  readonly projectId: ProjectId;
  readonly organizationId: OrganizationId;
  readonly name: string;
};

/** The log stream of this name, created when missing (contract 5.12, rule 1). */
export const ensureLogStream = async (
  log: EventLog,
  ids: Ids,
  { name, ...place }: LogStreamKey,
  createdBy: UserId,
  authorship: Authorship,
): Promise<Run> => {
  const names = { scope: place.projectId, name };
  const known = await logStreamNames.find({ log, ids }, names);
  if (known !== null) return known;
  const idAfter = (revision: string) => ids.derive('RunId', place.projectId, name, revision);
  const { holder } = await logStreamNames.settle({ log, ids }, names, idAfter, authorship);
  const { state } = await transact(
    log,
    runStream(holder),
    runs,
    (run): Decision<LogStreamEvent> =>
      run !== null
        ? []
        : [
            {
              type: 'LogStreamCreated',
              data: {
                run_id: holder as RunId,
                project_id: place.projectId,
                organization_id: place.organizationId,
                name,
                created_by: createdBy,
                created_at: authorship.at,
              },
            },
          ],
    authorship,
  );
  if (state?.live !== true || state.name !== name) {
    throw new Fault('conflict', `The log stream ${name} is being renamed; try again`);
  }
  return state;
};

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
