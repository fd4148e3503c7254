import { useEffect, useState } from 'preact/hooks';
import type { FilterNode } from '../../clients/typescript/src/generated/traces-types.js';
import type { Job } from '../../clients/typescript/src/generated/jobs-types.js';
import type {
  InsightsSettings,
  LogStream,
  LogStreamPage,
} from '../../clients/typescript/src/generated/log-streams-types.js';
import type { Scorer } from '../../clients/typescript/src/generated/scorers-types-2.js';
import type {
  CountedRunScorer,
  PastScoringJob,
} from '../../clients/typescript/src/generated/scorers-types.js';
import { containsFilter } from '../client/contains-filter.js';
import { useQuery, type Query } from '../client/queries.js';
import { isUnfinished } from './model.js';

/** Ids of a run within its project. */
export type RunIds = { readonly projectId: string; readonly runId: string };

/** Log streams of a list; the others are found by name. */
export const logStreamsMax = 100;

export const useLogStreams = (projectId: string, find: string): Query<LogStreamPage> =>
  useQuery({
    key: ['log-streams', 'list', projectId, find],
    ask: async (operations, signal) =>
      operations.logStreams.search(
        {
          project_id: projectId,
          limit: logStreamsMax,
          include_counts: true,
          sort: { name: 'name' },
          filters: containsFilter('name', find),
        },
        { signal },
      ),
    keepsPrevious: true,
  });

/** One log stream with its counts; null: not found. */
export const useLogStream = ({ projectId, runId }: RunIds): Query<LogStream | null> =>
  useQuery({
    key: ['log-streams', 'one', projectId, runId],
    ask: async (operations, signal) => {
      const page = await operations.logStreams.search(
        {
          project_id: projectId,
          limit: 1,
          include_counts: true,
          filters: [{ name: 'id', operator: 'eq', value: runId }],
        },
        { signal },
      );
      return page.log_streams[0] ?? null;
    },
  });

export type RunScorers = {
  readonly scorers: readonly CountedRunScorer[];
  /** Names of those that score nothing, for lack of a version. */
  readonly withoutVersion: ReadonlySet<string>;
};

/** Scorers of a run with the counts of their records. */
export const useRunScorers = ({ projectId, runId }: RunIds, everyMs: number | false) =>
  useQuery({
    key: ['scorer-settings', projectId, runId],
    ask: async (operations, signal): Promise<RunScorers> => {
      let names = '';
      const { scorers } = await operations.scorers.settings(
        { project_id: projectId, run_id: runId },
        {
          signal,
          onAnswer: ({ headers }) => {
            names = headers.get('X-Scorers-Without-Version') ?? '';
          },
        },
      );
      const listed = names === '' ? [] : names.split(',').map(decodeURIComponent);
      return { scorers, withoutVersion: new Set(listed) };
    },
    everyMs,
  });

const scorersMax = 1_000;

/** Scorers that a run may have, by name. */
export const useScorerChoice = (): Query<readonly Scorer[]> =>
  useQuery({
    key: ['scorers', 'choice'],
    ask: async (operations, signal) =>
      (await operations.scorers.list({ limit: scorersMax }, { signal })).scorers,
  });

type TaggedInsights = {
  readonly settings: InsightsSettings;
  /** Tag for a change that expects these settings; undefined without one. */
  readonly tag: string | undefined;
};

/** Insights settings of a run. */
export const useInsights = ({ projectId, runId }: RunIds): Query<TaggedInsights> =>
  useQuery({
    key: ['insights-settings', projectId, runId],
    ask: async (operations, signal): Promise<TaggedInsights> => {
      let tag: string | undefined;
      const settings = await operations.logStreams.insightsSettings(
        { project_id: projectId, run_id: runId },
        {
          signal,
          onAnswer: ({ headers }) => {
            tag = headers.get('ETag') ?? undefined;
          },
        },
      );
      return { settings, tag };
    },
  });

const unfinishedMs = 2_000;

/** Jobs of a run, newest first, asked for every two seconds while one has work left. */
export const useJobs = ({ projectId, runId }: RunIds) => {
  const [isLive, setIsLive] = useState(false);
  const everyMs = isLive && unfinishedMs;
  const jobs = useQuery({
    key: ['jobs', projectId, runId],
    ask: (operations, signal) =>
      operations.jobs.listOfRun({ project_id: projectId, run_id: runId }, { signal }),
    everyMs,
  });
  const { value } = jobs;
  useEffect(() => setIsLive(value?.some(isUnfinished) ?? false), [value]);
  return { jobs, everyMs };
};

/** The newest past scoring of a run by a scorer, where the jobs of the run have one. */
export const usePastScoring = (
  { projectId, runId }: RunIds,
  scorer: Scorer | undefined,
  jobs: readonly Job[] | undefined,
): Query<PastScoringJob> => {
  const job = jobs?.find(
    ({ job_name, request_data }) =>
      job_name === 'score_records' && request_data['scorer'] === scorer?.name,
  );
  const [isLive, setIsLive] = useState(true);
  const past = useQuery({
    key: ['jobs', 'past scoring', projectId, runId, scorer?.id, job?.id],
    ask: (operations, signal) =>
      operations.scorers.pastScoring(
        { project_id: projectId, run_id: runId, scorer_id: scorer?.id ?? '' },
        { signal },
      ),
    isEnabled: job !== undefined,
    everyMs: isLive && unfinishedMs,
  });
  const status = past.value?.status ?? 'unstarted';
  useEffect(() => setIsLive(isUnfinished({ status })), [job?.id, status]);
  return past;
};

/** Traces of a choice; complete ones alone are scored. */
export const useTraceCount = (
  question: {
    readonly project_id: string;
    readonly log_stream_id: string;
    readonly start_time?: string;
    readonly end_time?: string;
    readonly filter_tree?: FilterNode;
  },
  isEnabled: boolean,
) =>
  useQuery({
    key: ['traces', 'to score', question],
    ask: async (operations, signal) =>
      (await operations.traces.count(question, { signal })).total_count,
    keepsPrevious: true,
    isEnabled,
  });
