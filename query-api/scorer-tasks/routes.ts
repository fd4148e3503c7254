import { moreRowsHeader } from '../../contract/envelope.js';
import {
  getJob,
  listRunJobs,
  runJobsMax,
  scoringJob,
  validationJob,
  type Job,
  type RunScoringFacts,
} from '../../contract/jobs.js';
import { readRoute, type Route } from '../../contract/operation.js';
import {
  pollScorerValidation,
  scorerTaskAnswer,
  type ScorerTaskFacts,
} from '../../contract/scorer-validation.js';
import { backfillJob } from '../../contract/scoring-backfill.js';
import { Fault } from '../../kernel/fault.js';
import type { Documents } from '../../kernel/documents.js';
import {
  metricsTestingRunList,
  type MetricsTestingRun,
} from '../../projections/metrics-testing-run-list.js';
import {
  scoringBackfillList,
  type ScoringBackfillsOfRun,
} from '../../projections/scoring-backfill-list.js';
import { runScoringList } from '../../projections/run-scoring-list.js';
import { scorerTaskList } from '../../projections/scorer-task-list.js';
import { runCollections, runKinds, type RunInProject } from '../run-selection.js';
import type { TaskProgressCache } from './task-progress-cache.js';

type ScorerTaskReadNeeds = {
  readonly documents: Documents;
  readonly progresses: TaskProgressCache;
  readonly runInProject: RunInProject;
};

const { collection } = scorerTaskList;

/**
 * Reads of scorer tasks (contract 4.13, and the jobs of 5.13). The right to see a task was checked
 * against the log.
 */
export const scorerTaskReads = (needs: ScorerTaskReadNeeds): readonly Route[] => [
  polling(needs),
  showing(needs),
  listing(needs),
];

const reads = [collection, metricsTestingRunList.collection];
const jobs = [...reads, runScoringList.collection, scoringBackfillList.collection];

const polling = ({ documents, progresses }: ScorerTaskReadNeeds): Route =>
  readRoute(pollScorerValidation, reads, async ({ params }) => {
    const facts = await findTask(documents, params.task_id);
    if (facts === null) throw new Fault('not-found', 'Task not found');
    return { body: scorerTaskAnswer(facts, progresses.of(facts.id)) };
  });

const showing = ({ documents, progresses }: ScorerTaskReadNeeds): Route =>
  readRoute(getJob, jobs, async ({ params }) => {
    const scoring = await scoringOf(documents, params.job_id);
    if (scoring !== null) return { body: scoring };
    const facts = await findTask(documents, params.job_id);
    if (facts === null) throw new Fault('not-found', 'Job not found');
    return { body: validationJob(facts, progresses.of(facts.id)) };
  });

const listing = (needs: ScorerTaskReadNeeds): Route =>
  readRoute(listRunJobs, [...jobs, ...runCollections], async ({ params }) => {
    const { project_id: project, run_id: id } = params;
    const known = await Promise.all(
      runKinds.map((kind) => needs.runInProject(project, { kind, id })),
    );
    if (!known.includes(true)) throw new Fault('not-found', 'Run not found');
    const found = await needs.documents.find<ScorerTaskFacts>(collection, {
      scope: project,
      filter: {
        kind: 'id',
        column: 'run_id',
        operator: 'eq',
        values: [id],
        caseSensitive: true,
      },
      limit: runJobsMax,
    });
    const validations = found.documents.map((one) =>
      validationJob(one.body, needs.progresses.of(one.key)),
    );
    const scoring = await scoringOf(needs.documents, id);
    const past = (
      await needs.documents.get<ScoringBackfillsOfRun>(scoringBackfillList.collection, id)
    )?.body;
    const all = [
      ...(scoring === null ? [] : [scoring]),
      ...Object.values(past ?? {}).map(backfillJob),
      ...validations,
    ];
    const more = found.more || all.length > runJobsMax;
    return { body: all.sort(newestFirst).slice(0, runJobsMax), notes: moreRowsHeader(more) };
  });

const scoringOf = async (documents: Documents, run: string): Promise<Job | null> => {
  const found = await documents.get<RunScoringFacts>(runScoringList.collection, run);
  return found && scoringJob(found.body);
};

const newestFirst = (one: Job, other: Job): number =>
  one.created_at < other.created_at ? 1 : one.created_at > other.created_at ? -1 : 0;

/** Finds a task by its own id or by that of its run. */
const findTask = async (documents: Documents, id: string): Promise<ScorerTaskFacts | null> => {
  const found = await documents.get<ScorerTaskFacts>(collection, id);
  if (found !== null) return found.body;
  const run = await documents.get<MetricsTestingRun>(metricsTestingRunList.collection, id);
  if (run === null) return null;
  return (await documents.get<ScorerTaskFacts>(collection, run.body.task_id))?.body ?? null;
};
