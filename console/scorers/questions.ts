import { useEffect, useState } from 'preact/hooks';
import type { Dataset } from '../../clients/typescript/src/generated/datasets-types.js';
import type {
  Scorer,
  ScorerPage,
  ScorerTask,
} from '../../clients/typescript/src/generated/scorers-types-2.js';
import type { ScorerVersion } from '../../clients/typescript/src/generated/scorers-types.js';
import type { TraceFields } from '../../clients/typescript/src/generated/traces-types-4.js';
import type { Column } from '../../clients/typescript/src/generated/traces-types.js';
import { containsFilter } from '../client/contains-filter.js';
import { useQuery, type Query } from '../client/queries.js';

/** Scorers of a list; the others are found by name. */
export const scorersMax = 100;

/** Scorers whose name has the text, by name. */
export const useScorers = (find: string): Query<ScorerPage> =>
  useQuery({
    key: ['scorers', 'list', find],
    ask: async (operations, signal) =>
      operations.scorers.list(
        {
          limit: scorersMax,
          filters: containsFilter('name', find),
        },
        { signal },
      ),
    keepsPrevious: true,
  });

export const useScorer = (id: string): Query<Scorer> =>
  useQuery({
    key: ['scorers', 'one', id],
    ask: (operations, signal) => operations.scorers.get({ scorer_id: id }, { signal }),
  });

/** Code of a version, which never changes; not asked for null. */
export const useVersionCode = (id: string, version: number | null): Query<string> =>
  useQuery({
    key: ['scorer-code', id, version],
    ask: async (operations, signal) => {
      const code = await operations.scorers.code(
        { scorer_id: id, ...(version !== null && { version }) },
        { signal },
      );
      return code.text();
    },
    isEnabled: version !== null,
    freshMs: Number.POSITIVE_INFINITY,
  });

/** Versions of a list; older ones are asked for by number. */
const versionsMax = 1_000;

/** Versions of a scorer, newest first. */
export const useVersions = (id: string): Query<readonly ScorerVersion[]> =>
  useQuery({
    key: ['scorers', 'versions', id],
    ask: async (operations, signal) => {
      const asked = { scorer_id: id, limit: versionsMax };
      const page = await operations.scorers.listVersions(asked, { signal });
      return page.versions;
    },
  });

const pollMs = 1_000;

/** A validation, asked for each second until it is over; null: none. */
export const useTask = (id: string | null): Query<ScorerTask> => {
  const [isPending, setIsPending] = useState(true);
  const task = useQuery({
    key: ['scorer-tasks', id],
    ask: (operations, signal) =>
      operations.scorers.pollValidation({ task_id: id ?? '' }, { signal }),
    isEnabled: id !== null,
    everyMs: isPending && pollMs,
  });
  const status = task.value?.status ?? 'pending';
  useEffect(() => setIsPending(status === 'pending'), [id, status]);
  return task;
};

const datasetsMax = 100;

/** Datasets to validate on: the first hundred by name whose name has the text. */
export const useDatasets = (find: string) =>
  useQuery({
    key: ['datasets', 'to validate on', find],
    ask: async (operations, signal) => {
      const page = await operations.datasets.query(
        {
          limit: datasetsMax,
          sort: { name: 'name' },
          filters: containsFilter('name', find),
        },
        { signal },
      );
      return { datasets: page.datasets, isCut: page.next_starting_token !== null };
    },
    freshMs: 30_000,
    keepsPrevious: true,
  });

/** The chosen dataset, which the list may lack; null: none. */
export const useDataset = (id: string | null): Query<Dataset> =>
  useQuery({
    key: ['datasets', 'one', id],
    ask: (operations, signal) => operations.datasets.get({ dataset_id: id ?? '' }, { signal }),
    isEnabled: id !== null,
    freshMs: 30_000,
  });

/** Name of the metric of a validation's run (contract 4.11, rule 4). */
const testedMetric = 'registered_scorer_validation';
const tracesMax = 1_000;

export type ScoredTraces = {
  readonly traces: readonly TraceFields[];
  /** Column of the metric under test, and of required scorers that have values. */
  readonly columns: readonly Column[];
};

/** Scored rows of a completed validation on a dataset, with the columns of contract 4.12. */
export const useScoredTraces = (task: ScorerTask, scorer: Scorer): Query<ScoredTraces> => {
  const { metrics_experiment_id: run, project_id: project } = task;
  return useQuery({
    key: ['traces', 'of validation', run],
    ask: async (operations, signal) => {
      const place = { project_id: project ?? '', metrics_testing_id: run ?? '' };
      const { columns } = await operations.metrics.testingColumns(
        {
          ...place,
          name: scorer.label === '' ? scorer.name : scorer.label,
          metric_key: testedMetric,
          required_scorers: scorer.required_scorers,
        },
        { signal },
      );
      const required = new Set(scorer.required_scorers.map((name) => `metrics/${name}`));
      const shown = columns.filter(
        ({ id, is_empty }) => id === `metrics/${testedMetric}` || (required.has(id) && !is_empty),
      );
      const page = await operations.traces.search(
        {
          ...place,
          limit: tracesMax,
          fields: ['name', 'input', 'output', 'dataset_output', ...shown.map(({ id }) => id)],
        },
        { signal },
      );
      return { traces: page.records, columns: shown };
    },
    isEnabled: run !== null && project !== null,
    freshMs: Number.POSITIVE_INFINITY,
  });
};
