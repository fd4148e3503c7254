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

/** Records with a metadata entry in a project, from read models caught up with the log. */
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
  /** Both throw Fault `unavailable` when the signal aborts while they wait. */
  readonly projectsOf: (
    organization: OrganizationId,
    signal: AbortSignal,
  ) => Promise<readonly ProjectId[]>;
  /**
   * Matching sessions, `limit` at most, or traces when no session matches; a session includes its
   * traces.
   */
  readonly matching: (
    project: ProjectId,
    entry: { readonly key: string; readonly value: string },
    limit: number,
    signal: AbortSignal,
  ) => Promise<MatchingRecords>;
  /** Reports a failed step, which is retried. */
  readonly onError: (error: unknown) => void;
};

/** Polling interval: delay until a request is noticed, or a failed step is retried. */
const restMs = 500;
const scanEvents = 2_000;
/** Records of one step: some ten milliseconds, after which the event loop is free. */
const stepRecords = 100;

/**
 * Starts the worker of org jobs, which runs until `stop`: immediate jobs first, then the oldest.
 * Its state is derived from the log, so a kill costs a scan and never a second effect.
 */
export const startOrgJobWorker = (work: OrgJobWork): Worker => {
  const queue = openJobQueue(work.log);
  return startWorker({ ...work, restMs }, async (signal) => {
    const job = await queue.next();
    if (job === null) return false;
    if (await runJob(work, job, signal)) queue.done(job.job_id);
    return true;
  });
};

/** Queue of the open jobs: all job streams once, then new events of the log. */
const openJobQueue = (log: EventLog) => {
  const open = new Map<string, OrgJobRequested>();
  let position: Position | null = null;
  const load = async (name: StreamName): Promise<void> => {
    const { state: job } = await loadStreamState(log, name, orgJobs);
    if (job?.status === 'pending' || job?.status === 'processing') {
      open.set(job.request.job_id, job.request);
    }
  };
  const scanAll = async (): Promise<Position> => {
    const head = await log.head();
    for await (const name of streamNames(log, 'org-job-')) await load(name);
    return head;
  };
  const catchUp = async (from: Position): Promise<Position> => {
    let through = from;
    for (;;) {
      const page = await log.page(through, scanEvents, ['OrgJobRequested']);
      for (const event of page.events) await load(event.stream);
      if (page.through <= through) return through;
      through = page.through;
    }
  };
  return {
    next: async (): Promise<OrgJobRequested | null> => {
      position = position === null ? await scanAll() : await catchUp(position);
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

/** Totals deleted by a job so far, and the number of its next step. */
type Progress = OrgJobResult & { readonly steps: number; readonly in: ReadonlySet<ProjectId> };

/**
 * Runs one job until it ends (true) or `signal` aborts (false). Exported for tests of single kills.
 */
export const runJob = async (
  work: OrgJobWork,
  request: OrgJobRequested,
  signal: AbortSignal,
): Promise<boolean> => {
  const { log, secrets, projectsOf } = work;
  const { job_id: id, organization_id: organization, metadata_key: key } = request;
  const author = authorOf(work, request);
  const record = (decide: ReturnType<typeof beginOrgJob>) =>
    transact(log, orgJobStream(id), orgJobs, decide, author());
  const value = secrets.jobValues.open(request.value_sealed, id);
  if (value === null) {
    await record(
      failOrgJob(id, 'The metadata value cannot be decrypted: the secret key was changed'),
    );
    return true;
  }
  await record(beginOrgJob(id));
  let progress = await resumeProgress(work, request);
  for (;;) {
    let found = false;
    for (const project of await projectsOf(organization, signal)) {
      for (;;) {
        if (signal.aborted) return false;
        const match = await work.matching(project, { key, value }, stepRecords, signal);
        if (match.sessionIds.length + match.traceIds.length === 0) break;
        found = true;
        progress = await deleteMatching(work, request, { project, match }, progress);
      }
    }
    // A whole pass without a match: that is what `completed` says.
    if (!found) break;
  }
  const { projects, sessions, traces, spans } = progress;
  await record(completeOrgJob(id, { projects, sessions, traces, spans }));
  return true;
};

/**
 * Deletes the matching records with tombstones and content, and returns the totals from the log.
 */
const deleteMatching = async (
  work: OrgJobWork,
  request: OrgJobRequested,
  { project, match }: { readonly project: ProjectId; readonly match: MatchingRecords },
  progress: Progress,
): Promise<Progress> => {
  const { log, ids } = work;
  const author = authorOf(work, request);
  const parts = splitDeletion(
    {
      project_id: project,
      job_id: request.job_id,
      session_ids: [...match.sessionIds],
      trace_ids: [...match.traceIds],
      spans: match.spans,
    },
    (part) => deletionOf(ids, request.job_id, progress.steps + part),
  );
  for (const part of parts) {
    await deleteRecords(log, part, author());
    const { state } = await loadStreamState(log, deletionStream(part.deletion_id), deletions);
    if (state !== null) await eraseRecords(log, state.deleted, author());
  }
  return countSteps(work, request.job_id, progress);
};

/**
 * Totals of earlier runs of the job: each step has a stream of its own, numbered. The last step may
 * have been interrupted, so it is repeated (idempotent).
 */
const resumeProgress = async (work: OrgJobWork, request: OrgJobRequested): Promise<Progress> => {
  const progress = await countSteps(work, request.job_id, {
    projects: 0,
    sessions: 0,
    traces: 0,
    spans: 0,
    steps: 0,
    in: new Set(),
  });
  if (progress.steps === 0) return progress;
  const last = deletionStream(deletionOf(work.ids, request.job_id, progress.steps - 1));
  const { state } = await loadStreamState(work.log, last, deletions);
  if (state !== null) await eraseRecords(work.log, state.deleted, authorOf(work, request)());
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
