import type { RequestAuthorizer, VisibilityRules } from '../../contract/request-ports.js';
import type { Visibility } from '../../contract/roles.js';
import type {
  MetricsTestingRunEvent,
  ScorerTaskEvent,
  ScorerTaskRequest,
} from '../../events/scorer-tasks.js';
import { unreachable, type Fold } from '../../kernel/decision.js';
import { type EventReader, streamNameOf, type StreamName } from '../../kernel/ports.js';
import { loadStreamState } from '../../kernel/transact.js';
import { runs, runStream } from './runs.js';

export const scorerTaskStream = (id: string): StreamName => streamNameOf('scorer-task', id);

/** Queue of the tasks of one project, or of one person's single samples. */
export const scorerQueueStream = (owner: string): StreamName => streamNameOf('scorer-queue', owner);

/** State of a validation task; null before it was requested. */
export type ScorerTask = {
  readonly request: ScorerTaskRequest;
  /** Number of attempts so far. */
  readonly attempts: number;
  /** Worker of the last attempt. */
  readonly worker: string | null;
  readonly isEnded: boolean;
};

export const scorerTasks: Fold<ScorerTask | null, ScorerTaskEvent> = {
  initial: null,
  evolve: (task, { type, data }) => {
    switch (type) {
      case 'ScorerValidationRequested':
        return { request: data, attempts: 0, worker: null, isEnded: false };
      case 'ScorerValidationStarted':
        return task && { ...task, attempts: data.attempt, worker: data.worker };
      case 'ScorerValidationCompleted':
      case 'ScorerValidationFailed':
        return task && { ...task, isEnded: true };
      default:
        return unreachable(type);
    }
  },
};

/** The task by its own id or by that of its run (contract 4.13). */
const findScorerTask = async (log: EventReader, id: string): Promise<ScorerTask | null> => {
  const { state } = await loadStreamState(log, scorerTaskStream(id), scorerTasks);
  if (state !== null) return state;
  const [first] = await log.read(runStream(id), { limit: 1 });
  if (first?.type !== 'MetricsTestingRunCreated') return null;
  const { task_id: task } = (first as unknown as MetricsTestingRunEvent).data;
  return (await loadStreamState(log, scorerTaskStream(task), scorerTasks)).state;
};

type Needs = {
  readonly log: EventReader;
  readonly visibleProject: RequestAuthorizer['visibleProject'];
};

/**
 * Visibility of tasks: viewers of the project; a single sample only to its sender; each within what
 * their key may see (contract 2.6, rule 5).
 */
export const scorerTaskVisibilityRules = ({ log, visibleProject }: Needs): VisibilityRules => {
  const sight: NonNullable<VisibilityRules['scorer-task']> = async (
    principal,
    id,
  ): Promise<Visibility> => {
    const task = await findScorerTask(log, id);
    if (task === null || task.request.organization_id !== principal.organizationId) return 'unseen';
    const { project_id: project, created_by: creator } = task.request;
    const isSeen =
      project === null
        ? creator === principal.userId && (principal.key?.projectId ?? null) === null
        : (await visibleProject(principal, project)) !== null;
    return isSeen ? 'allowed' : 'unseen';
  };
  // All scoring of a run is one job, with the run's id.
  const jobSight: typeof sight = async (principal, id) => {
    const seen = await sight(principal, id);
    if (seen !== 'unseen') return seen;
    const { state: run } = await loadStreamState(log, runStream(id), runs);
    const isSeen = run?.live === true && (await visibleProject(principal, run.projectId)) !== null;
    return isSeen ? 'allowed' : 'unseen';
  };
  return { 'scorer-task': sight, 'scorer-job': jobSight };
};
