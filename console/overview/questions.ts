import type { AssayFault } from '../../clients/typescript/src/fault.js';
import type {
  CustomSearch,
  CustomSearchResponse,
} from '../../clients/typescript/src/generated/metrics-types.js';
import type { FilterNode } from '../../clients/typescript/src/generated/traces-types.js';
import type { Operations } from '../client/operations.js';
import {
  both,
  evaluationErrors,
  treeLimitMessage,
  withErrors,
  type FilterTree,
} from '../language/filter-tree.js';
import { countOf, intervalsFrom, windowBefore, type OverviewWindow } from './model.js';

/** Question behind the overview: one window, filter and run, and the widgets of its charts. */
type OverviewQuestion = {
  readonly projectId: string;
  readonly window: OverviewWindow;
  readonly run: Pick<CustomSearch, 'log_stream_id' | 'experiment_id' | 'metrics_testing_id'>;
  readonly filter: FilterTree | null;
  readonly widgets: CustomSearch['metric_details'];
  readonly by: string | null;
};

/** Answers of one moment: all and failed records, now and in the window before. */
export type OverviewAnswer = {
  readonly window: OverviewWindow;
  /** Length of a bucket. */
  readonly minutes: number;
  /** True where the usual length had too many buckets for the service. */
  readonly isLengthened: boolean;
  readonly all: CustomSearchResponse;
  readonly errors: CustomSearchResponse;
  readonly before: CustomSearchResponse;
  readonly errorsBefore: CustomSearchResponse;
  /** Records with an evaluation error of the widgets' metrics; null: none, or not counted. */
  readonly failedEvaluations: number | null;
  /** Column that the records are grouped by; null: none. */
  readonly by: string | null;
  /** True where buckets are by group; all of these count the same records. */
  readonly isGrouped: boolean;
};

/** Asks all at once; where buckets are too many, again with longer ones. */
export const askOverview = async (
  operations: Operations,
  question: OverviewQuestion,
  signal: AbortSignal,
): Promise<OverviewAnswer> => {
  const intervals = intervalsFrom(question.window);
  for (const [index, minutes] of intervals.entries()) {
    try {
      const answers = await askWith(operations, question, minutes, signal);
      return { ...answers, minutes, isLengthened: index > 0 };
    } catch (error) {
      const isTooFine = (error as AssayFault).complaints?.some(({ loc }) =>
        loc.includes('interval_minutes'),
      );
      if (!isTooFine || index === intervals.length - 1) throw error;
    }
  }
  throw new Error('No interval fits the window');
};

const askWith = async (
  operations: Operations,
  question: OverviewQuestion,
  minutes: number,
  signal: AbortSignal,
) => {
  const { window: bounds, filter, widgets, by } = question;
  const ask = (parts: Partial<CustomSearch>): Promise<CustomSearchResponse> =>
    operations.metrics.search(
      {
        project_id: question.projectId,
        ...question.run,
        ...boundsOf(bounds),
        interval_minutes: minutes,
        metric_details: widgets,
        filter_tree: filter,
        // Grouping decides what is counted, so that totals are asked with it, too.
        group_by: by,
        ...parts,
      },
      { signal },
    );
  const before = { ...boundsOf(windowBefore(bounds)), interval_minutes: null };
  const failed = { metric_details: [], filter_tree: withErrors(filter) as FilterNode };
  const [all, errors, earlier] = await Promise.all([ask({}), ask(failed), ask(before)]);
  const errorsBefore = await ask({ ...failed, ...before });
  const unscored = all.ems_captured_error ? failedTree(question, all.population) : null;
  const counted =
    unscored === null
      ? null
      : await ask({ metric_details: [], interval_minutes: null, filter_tree: unscored });
  const failedEvaluations = counted && counted.aggregate_metrics[countOf(counted)];
  return {
    window: bounds,
    all,
    errors,
    before: earlier,
    errorsBefore,
    failedEvaluations,
    by,
    isGrouped: by !== null,
  };
};

/** The filter, of records with an evaluation error; null where it has too many conditions. */
const failedTree = (
  { filter, widgets }: OverviewQuestion,
  population: CustomSearchResponse['population'],
): FilterTree | null => {
  const metrics = [...new Set(widgets.map(({ metric_name }) => metric_name))];
  const tree = both(filter, evaluationErrors(metrics, population, null));
  return treeLimitMessage(tree) === null ? tree : null;
};

const boundsOf = ({ from, to }: OverviewWindow) => ({ start_time: from, end_time: to });
