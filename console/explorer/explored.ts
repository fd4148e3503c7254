import { useState } from 'preact/hooks';
import { useSurroundings } from '../client/context.js';
import type { Column } from '../../clients/typescript/src/generated/traces-types.js';
import type { FilterContext } from '../language/catalogue.js';
import type { FilterTree } from '../language/filter-tree.js';
import { openWindowOf, runSelector, windowOf } from '../parts/record-scope.js';
import type { Population } from '../../kernel/records/record.js';
import { lastAskedAt, rememberAskedAt } from './asked-at.js';
import { searchFields } from './model.js';
import { useRecordCount, useRecordPages, withFilter } from './questions.js';
import type { ExplorerView } from './state.js';

export type RecordsProps = {
  readonly projectId: string;
  readonly context: FilterContext;
  readonly view: ExplorerView;
  readonly tree: FilterTree | null;
  readonly onChange: (change: Partial<ExplorerView>) => void;
  /** Applies a filter that was clicked together. */
  readonly onTree: (tree: FilterTree | null) => void;
};

const liveMs = 5_000;

/**
 * The records of a view as they were when asked for, and how many came since. `shown`: the columns
 * to ask for; undefined while they are not known.
 */
export const useExploredRecords = (
  projectId: string,
  population: Population,
  view: ExplorerView,
  tree: FilterTree | null,
  shown: readonly Column[] | undefined,
) => {
  const { service } = useSurroundings();
  const [now, setNow] = useState(() => lastAskedAt(projectId, service.now()));
  const refresh = (): void => {
    setNow(rememberAskedAt(projectId, service.now()));
  };
  const place = { project_id: projectId, ...runSelector(view.run) };
  const everything = { ...place, ...windowOf(view.t, now) };
  const question = withFilter(everything, tree);
  const sort =
    view.sort === null ? null : { column_id: view.sort.column, ascending: view.sort.ascending };
  const pages = useRecordPages(
    population,
    {
      ...question,
      ...(sort !== null && { sort }),
      fields: searchFields(shown ?? []),
    },
    { now, isEnabled: shown !== undefined },
  );
  const isReady = pages.first.value !== undefined;
  // Counts and charts scan the same columns as the rows, on the same two threads: rows come first.
  const isAnswered = isReady && !pages.first.isPrevious;
  const counted = { name: 'count', now, isEnabled: isAnswered };
  const matching = useRecordCount(population, question, counted);
  const all = useRecordCount(population, everything, counted);
  const live = useRecordCount(
    population,
    withFilter({ ...place, ...openWindowOf(view.t, now) }, tree),
    {
      name: 'live count',
      now,
      isEnabled: typeof view.t === 'string' && matching.value !== undefined,
      everyMs: liveMs,
    },
  );
  const since = (live.value ?? 0) - (matching.value ?? Number.POSITIVE_INFINITY);
  return {
    ...pages,
    everything,
    question,
    sort,
    isReady,
    /** True once the rows answer this very question. */
    isAnswered,
    matching: matching.value,
    all: all.value,
    /** Counts the records again and again while the range moves with the clock. */
    live,
    /** Records that came since the shown ones were asked for. */
    added: Math.max(0, since),
    refresh,
  };
};
