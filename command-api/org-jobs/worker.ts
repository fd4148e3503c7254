import type { OrgJobResult } from '../../contract/org-jobs.js';
import type { OrgJobRequested } from '../../events/org-jobs.js';
import type { Clock, EventLog, Ids, Position, StreamName } from '../../kernel/ports.js';
import type {
  DeletionId,
  OrganizationId,
  OrgJobId,
  ProjectId,
  SessionId,
  TraceId,
} from '../../kernel/schema-types.js';
import { loadStreamState, transact, type Authorship } from '../../kernel/transact.js';
import { orgJobs, orgJobStream } from '../facts/org-jobs.js';
import { deleteRecords, deletions, eraseRecords, splitDeletion } from '../work/record-deletions.js';
import { deletionStream } from '../facts/deletions.js';
import { beginOrgJob, completeOrgJob, failOrgJob } from './org-jobs.js';
import type { TextSealer } from '../../kernel/credentials.js';
import { serviceAuthorship } from '../work/service-authorship.js';
import { streamNames } from '../work/stream-names.js';
import { startWorker, type Worker } from '../work/polling-loop.js';

/** What has a metadata entry in a project, as the read models have it after all that was logged. */
type MatchingRecords = {
  readonly sessionIds: readonly SessionId[];
  readonly traceIds: readonly TraceId[];
  readonly spans: number;
};
export type OrgJobWork = {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly secrets: { readonly jobValues: Pick<TextSealer, 'open'> };
  /** These two throw Fault `unavailable` when the signal aborts while they wait. */
  readonly projectsOf: (
    organization: OrganizationId,
    signal: AbortSignal,
  ) => Promise<readonly ProjectId[]>;
  /** At most `limit` sessions, or traces when no session matches; a session brings its traces. */
  readonly matching: (
    project: ProjectId,
    entry: { readonly key: string; readonly value: string },
    limit: number,
    signal: AbortSignal,
  ) => Promise<MatchingRecords>;
  /** Told why a step failed; it is tried again. */
  readonly trouble: (error: unknown) => void;
};

/** How soon a request is noticed, and a step that failed tried again. */
const restMs = 500;
const scanEvents = 2_000;
/** Records of one step: some ten milliseconds, between which others have their turn. */
const stepRecords = 100;

/**
 * Works off org jobs from now until `stop`, the immediate ones first, then the oldest. All of it is
 * derived from the log, so a kill costs a look and never a second effect.
 */
export const startOrgJobWorker = (work: OrgJobWork): Worker => {
  const board = openJobQueue(work.log);
  return startWorker({ ...work, restMs }, async (signal) => {
    const job = await board.next();
    if (job === null) return false;
    if (await runJob(work, job, signal)) board.done(job.job_id);
    return true;
  });
};

/** The jobs that are not over: all streams once, then what the log adds. */
const openJobQueue = (log: EventLog) => {
  const open = new Map<string, OrgJobRequested>();
  let position: Position | null = null;
  const note = async (name: StreamName): Promise<void> => {
    const { state: job } = await loadStreamState(log, name, orgJobs);
    if (job?.status === 'pending' || job?.status === 'processing') {
      open.set(job.request.job_id, job.request);
    }
  };
  const lookAtAll = async (): Promise<Position> => {
    const head = await log.head();
    for await (const name of streamNames(log, 'org-job-')) await note(name);
    return head;
  };
  const lookOn = async (from: Position): Promise<Position> => {
    let through = from;
    for (;;) {
      const page = await log.page(through, scanEvents, ['OrgJobRequested']);
      for (const event of page.events) await note(event.stream);
      if (page.through <= through) return through;
      through = page.through;
    }
  };
  return {
    next: async (): Promise<OrgJobRequested | null> => {
      position = position === null ? await lookAtAll() : await lookOn(position);
      const [first = null] = [...open.values()].sort(byUrgency);
      return first;
    },
    done: (id: OrgJobId): void => {
      open.delete(id);
    },
  };
};

const byUrgency = (one: OrgJobRequested, other: OrgJobRequested): number =>
  Number(other.immediate) - Number(one.immediate) || (one.created_at < other.created_at ? -1 : 1);

/** What a job has deleted, and the number of its next step. */
type Progress = OrgJobResult & { readonly steps: number; readonly in: ReadonlySet<ProjectId> };

/**
 * Works on one job until it is over (true) or `signal` aborts. Exported for tests of single kills.
 */
export const runJob = async (
  work: OrgJobWork,
  asked: OrgJobRequested,
  signal: AbortSignal,
): Promise<boolean> => {
  const { log, secrets, projectsOf } = work;
  const { job_id: id, organization_id: organization, metadata_key: key } = asked;
  const author = authorOf(work, asked);
  const tell = (decide: ReturnType<typeof beginOrgJob>) =>
    transact(log, orgJobStream(id), orgJobs, decide, author());
  const value = secrets.jobValues.open(asked.value_sealed, id);
  if (value === null) {
    await tell(failOrgJob(id, 'The metadata value cannot be read: the secret key changed'));
    return true;
  }
  await tell(beginOrgJob(id));
  let progress = await resumeProgress(work, asked);
  for (;;) {
    let found = false;
    for (const project of await projectsOf(organization, signal)) {
      for (;;) {
        if (signal.aborted) return false;
        const match = await work.matching(project, { key, value }, stepRecords, signal);
        if (match.sessionIds.length + match.traceIds.length === 0) break;
        found = true;
        progress = await deleteMatching(work, asked, { project, match }, progress);
      }
    }
    // A whole look in which nothing matched: that is what `completed` says.
    if (!found) break;
  }
  const { projects, sessions, traces, spans } = progress;
  await tell(completeOrgJob(id, { projects, sessions, traces, spans }));
  return true;
};

/** Deletes what was found, tombstones, content and all, and counts it as the log has it. */
const deleteMatching = async (
  work: OrgJobWork,
  asked: OrgJobRequested,
  { project, match }: { readonly project: ProjectId; readonly match: MatchingRecords },
  progress: Progress,
): Promise<Progress> => {
  const { log, ids } = work;
  const author = authorOf(work, asked);
  const parts = splitDeletion(
    {
      project_id: project,
      job_id: asked.job_id,
      session_ids: [...match.sessionIds],
      trace_ids: [...match.traceIds],
      spans: match.spans,
    },
    (part) => deletionOf(ids, asked.job_id, progress.steps + part),
  );
  for (const part of parts) {
    await deleteRecords(log, part, author());
    const { state } = await loadStreamState(log, deletionStream(part.deletion_id), deletions);
    if (state !== null) await eraseRecords(log, state.deleted, author());
  }
  return countSteps(work, asked.job_id, progress);
};

/**
 * What earlier lives of the job did: each step is a stream of its own, numbered. The last one may
 * have been cut short, so it is done again, which changes nothing when it was not.
 */
const resumeProgress = async (work: OrgJobWork, asked: OrgJobRequested): Promise<Progress> => {
  const progress = await countSteps(work, asked.job_id, {
    projects: 0,
    sessions: 0,
    traces: 0,
    spans: 0,
    steps: 0,
    in: new Set(),
  });
  if (progress.steps === 0) return progress;
  const last = deletionStream(deletionOf(work.ids, asked.job_id, progress.steps - 1));
  const { state } = await loadStreamState(work.log, last, deletions);
  if (state !== null) await eraseRecords(work.log, state.deleted, authorOf(work, asked)());
  return progress;
};

const countSteps = async (
  { log, ids }: OrgJobWork,
  job: OrgJobId,
  from: Progress,
): Promise<Progress> => {
  let progress = from;
  for (;;) {
    const name = deletionStream(deletionOf(ids, job, progress.steps));
    const { state } = await loadStreamState(log, name, deletions);
    if (state === null) return progress;
    const { project_id: project, session_ids, trace_ids, spans } = state.deleted;
    const known = new Set([...progress.in, project]);
    progress = {
      projects: known.size,
      sessions: progress.sessions + session_ids.length,
      traces: progress.traces + trace_ids.length,
      spans: progress.spans + spans,
      steps: progress.steps + 1,
      in: known,
    };
  }
};

const deletionOf = (ids: Pick<Ids, 'derive'>, job: OrgJobId, step: number): DeletionId =>
  ids.derive('DeletionId', job, String(step));

const authorOf =
  (work: OrgJobWork, { job_id: job, organization_id: organization }: OrgJobRequested) =>
  (): Authorship =>
    serviceAuthorship(work, organization, job, job);
