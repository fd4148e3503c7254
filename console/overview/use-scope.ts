import { useQuery } from '../client/queries.js';
import { both, type FilterTree } from '../language/filter-tree.js';
import { allRuns, streamScope } from '../parts/record-scope.js';

/** Runs that a project lists at most, the newest (contract 5.3). */
const runsMax = 100;
/** Log streams of one answer. */
const streamsMax = 1_000;

type ViewScope = {
  readonly run: string;
  /** Condition on the run alone; null: none. */
  readonly runs: FilterTree | null;
  /** That condition, and the filter of the view. */
  readonly tree: FilterTree | null;
  /** True where the project has other runs, which this leaves out. */
  readonly hasOthers: boolean;
};

/** Run and filter of a view: without a run those of the log streams; undefined until known. */
export const useScope = (
  projectId: string,
  run: string,
  filter: FilterTree | null,
): ViewScope | undefined => {
  const project = useQuery({
    key: ['projects', projectId],
    ask: (operations, signal) => operations.projects.get({ project_id: projectId }, { signal }),
    freshMs: 60_000,
  });
  const runs = project.value?.runs;
  const isCut = runs !== undefined && runs.length >= runsMax;
  const streams = useQuery({
    key: ['log-streams', 'scope', projectId],
    ask: async (operations, signal) => {
      const asked = { project_id: projectId, limit: streamsMax };
      const page = await operations.logStreams.page(asked, { signal });
      return page.log_streams.map(({ id }) => id);
    },
    freshMs: 60_000,
    isEnabled: isCut && run === '',
  });
  if (run !== '') {
    return { run: run === allRuns ? '' : run, runs: null, tree: filter, hasOthers: false };
  }
  if (runs === undefined || (isCut && streams.value === undefined)) return undefined;
  const listed = runs.filter(({ kind }) => kind === 'log_stream').map(({ id }) => id);
  const known = isCut ? (streams.value ?? []) : listed;
  const { run: only, condition } = streamScope(known, isCut || listed.length < runs.length);
  return {
    run: only,
    runs: condition,
    tree: condition === null ? filter : both(filter, condition),
    hasOthers: only !== '' || condition !== null,
  };
};
