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
} from '../../kernel/shapes.js';
import { load, transact, type Authorship } from '../../kernel/transact.js';
import { orgJobs, orgJobStream } from '../facts/org-jobs.js';
import { deleteRecords, deletions, eraseRecords, inParts } from '../work/record-deletions.js';
import { deletionStream } from '../facts/deletions.js';
import { begin, complete, fail } from './org-jobs.js';
import type { TextSeal } from '../../kernel/credentials.js';
import { byItself } from '../work/service-author.js';
import { streamNames } from '../work/stream-names.js';
import { startWorker, type Worker } from '../work/worker.js';

/** What has a metadata entry in a project, as the read models have it after all that was logged. */
type Matching = {
  readonly sessionIds: readonly SessionId[];
  readonly traceIds: readonly TraceId[];
  readonly spans: number;
};
export type OrgJobWork = {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly secrets: { readonly jobValues: Pick<TextSeal, 'open'> };
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
  ) => Promise<Matching>;
  /** Told why a step failed; it is tried again. */
  readonly trouble: (error: unknown) => void;
};

/** How soon a request is noticed, and a step that failed tried again. */
const restMs = 500;
const lookEvents = 2_000;
/** Records of one step: some ten milliseconds, between which others have their turn. */
const stepRecords = 100;

/**
 * Works off org jobs from now until `stop`, the immediate ones first, then the oldest. All of it is
 * derived from the log, so a kill costs a look and never a second effect.
 */
export const startOrgJobs = (work: OrgJobWork): Worker => {
  const board = openBoard(work.log);
  return startWorker({ ...work, restMs }, async (signal) => {
    const job = await board.next();
    if (job === null) return false;
    if (await runJob(work, job, signal)) board.done(job.job_id);
    return true;
  });
};

/** The jobs that are not over: all streams once, then what the log adds. */
const openBoard = (log: EventLog) => {
  const open = new Map<string, OrgJobRequested>();
  let position: Position | null = null;
  const note = async (name: StreamName): Promise<void> => {
    const { state: job } = await load(log, name, orgJobs);
    if (job?.status === 'pending' || job?.status === 'processing') {
      open.set(job.asked.job_id, job.asked);
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
      const page = await log.page(through, lookEvents, ['OrgJobRequested']);
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
  const tell = (decide: ReturnType<typeof begin>) =>
    transact(log, orgJobStream(id), orgJobs, decide, author());
  const value = secrets.jobValues.open(asked.value_sealed, id);
  if (value === null) {
    await tell(fail(id, 'The metadata value cannot be read: the secret key changed'));
    return true;
  }
  await tell(begin(id));
  let progress = await resumed(work, asked);
  for (;;) {
    let found = false;
    for (const project of await projectsOf(organization, signal)) {
      for (;;) {
        if (signal.aborted) return false;
        const match = await work.matching(project, { key, value }, stepRecords, signal);
        if (match.sessionIds.length + match.traceIds.length === 0) break;
        found = true;
        progress = await step(work, asked, { project, match }, progress);
      }
    }
    // A whole look in which nothing matched: that is what `completed` says.
    if (!found) break;
  }
  const { projects, sessions, traces, spans } = progress;
  await tell(complete(id, { projects, sessions, traces, spans }));
  return true;
};

/** Deletes what was found, tombstones, content and all, and counts it as the log has it. */
const step = async (
  work: OrgJobWork,
  asked: OrgJobRequested,
  { project, match }: { readonly project: ProjectId; readonly match: Matching },
  progress: Progress,
): Promise<Progress> => {
  const { log, ids } = work;
  const author = authorOf(work, asked);
  const parts = inParts(
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
    const { state } = await load(log, deletionStream(part.deletion_id), deletions);
    if (state !== null) await eraseRecords(log, state.deleted, author());
  }
  return counted(work, asked.job_id, progress);
};

/**
 * What earlier lives of the job did: each step is a stream of its own, numbered. The last one may
 * have been cut short, so it is done again, which changes nothing when it was not.
 */
const resumed = async (work: OrgJobWork, asked: OrgJobRequested): Promise<Progress> => {
  const progress = await counted(work, asked.job_id, {
    projects: 0,
    sessions: 0,
    traces: 0,
    spans: 0,
    steps: 0,
    in: new Set(),
  });
  if (progress.steps === 0) return progress;
  const last = deletionStream(deletionOf(work.ids, asked.job_id, progress.steps - 1));
  const { state } = await load(work.log, last, deletions);
  if (state !== null) await eraseRecords(work.log, state.deleted, authorOf(work, asked)());
  return progress;
};

const counted = async (
  { log, ids }: OrgJobWork,
  job: OrgJobId,
  from: Progress,
): Promise<Progress> => {
  let progress = from;
  for (;;) {
    const name = deletionStream(deletionOf(ids, job, progress.steps));
    const { state } = await load(log, name, deletions);
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
    byItself(work, organization, job, job);
