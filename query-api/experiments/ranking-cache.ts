import type { Criterion } from '../../contract/experiment-ranking.js';
import type { ExperimentFacts } from '../../contract/experiment-record.js';
import { boundedMap } from '../../kernel/bounded-map.js';
import { registryType } from '../../kernel/records/column-value.js';
import type { Documents } from '../../kernel/documents.js';
import type { RecordQueries } from '../../kernel/records/record-queries.js';
import type { TypedMetric } from '../../kernel/records/measures.js';
import type { ProjectId } from '../../kernel/schema-types.js';
import {
  experimentMembers,
  memberPartsMax,
  type GroupByExperiment,
} from '../../projections/experiment-members.js';
import { experimentWinners } from '../../projections/experiment-winners.js';
import {
  isAnnotationColumn,
  resolveMeasure,
  measureName,
  metricType,
} from '../filters/catalogue.js';
import { openTemplatesOf } from '../live-templates.js';
import { effectiveCriteria, type CriteriaScope } from './criteria.js';
import { isWinner, rankScope, type Averages, type RankedScope } from './ranking.js';

export type ExperimentRank = {
  readonly ranking_score: number | null;
  readonly rank: number | null;
  readonly winner: boolean | null;
  /**
   * Source of the winner: a user's choice, or rank 1. Null unless this experiment is the winner.
   */
  readonly winner_source: 'chosen' | 'rank' | null;
};
export type ExperimentRanks = {
  /** Rank of each of these experiments in its scope, in their order. */
  of(
    place: CriteriaScope,
    experiments: readonly Pick<ExperimentFacts, 'id' | 'group'>[],
  ): Promise<readonly ExperimentRank[]>;
};

type Needs = {
  readonly documents: Documents;
  readonly records: Pick<
    RecordQueries,
    'aggregate' | 'metricTypes' | 'runAverages' | 'changedRuns'
  >;
};

/** Projects whose averages are cached; a project of 50,000 experiments takes some 20 MB. */
const projectsMax = 50;
/** Limit of runs named in a query: beyond it, averages are read for all runs at once. */
const changedRunsMax = 1_000;

/**
 * Cached ranking of one project. Every part is a copy of read model data, refreshed as soon as the
 * read models report a change; so each search reads only what changed since the one before, even
 * with thousands of experiments.
 */
type ProjectRanking = {
  /** Highest `changed` position seen among the parts of `experimentMembers`. */
  seen: number;
  readonly parts: Map<string, GroupByExperiment>;
  /** Scope by experiment: its group, or the project when it is in none. */
  readonly scopes: Map<string, string>;
  readonly members: Map<string, Set<string>>;
  criteria: readonly Criterion[];
  /** Criteria and metrics that `averages` belong to, as JSON. */
  metrics: string;
  token: string | null;
  averages: Map<string, Averages>;
  /** Rankings by scope; invalidated on change and recomputed on demand. */
  readonly ranked: Map<string, RankedScope>;
  running: Promise<void>;
  queued: Promise<void> | null;
};

/**
 * LRU cache of ranks, scores and winners (contract 4.6), validated against the read models on each
 * call.
 */
export const openRankingCache = (needs: Needs): ExperimentRanks => {
  const boards = boundedMap<ProjectId, ProjectRanking>(projectsMax);
  const boardOf = (project: ProjectId): ProjectRanking => {
    const board = boards.get(project) ?? emptyRanking();
    // LRU: moves to the end; the least recently used project is evicted.
    boards.set(project, board);
    return board;
  };
  return {
    of: async (place, experiments) => {
      const { project } = place;
      const board = boardOf(project);
      // A refresh fails with the request that started it; a waiting one then starts another.
      await refreshSingleFlight(needs, place, board).catch(() =>
        refreshSingleFlight(needs, place, board),
      );
      const scopeOf = (group: ExperimentFacts['group']): string => group?.id ?? project;
      const keys = [...new Set(experiments.map(({ group }) => scopeOf(group)))];
      const winners = await needs.documents.load(experimentWinners.collection, keys);
      return experiments.map(({ id, group }) => {
        const key = scopeOf(group);
        const chosen = (winners.get(key)?.body as { readonly run_id: string } | undefined)?.run_id;
        const counts = chosen !== undefined && board.scopes.get(chosen) === key;
        const scope = rankedScope(board, key);
        // An experiment that is not among the members yet, or no longer, is shown without a score.
        const isMember = board.scopes.get(id) === key;
        const own = isMember ? scope.rankOf(board.averages.get(id)) : null;
        const winner = isWinner(id, own, counts ? chosen : null, scope);
        return {
          ranking_score: own?.score ?? null,
          rank: own?.rank ?? null,
          winner,
          winner_source: winner === true ? (counts ? 'chosen' : 'rank') : null,
        };
      });
    },
  };
};

const emptyRanking = (): ProjectRanking => ({
  seen: -1,
  parts: new Map(),
  scopes: new Map(),
  members: new Map(),
  criteria: [],
  metrics: '',
  token: null,
  averages: new Map(),
  ranked: new Map(),
  running: Promise.resolve(),
  queued: null,
});

/**
 * Single flight: one refresh from the read models at a time. Callers during a refresh share the
 * next one, since the running one may have started before the changes that they must see.
 */
const refreshSingleFlight = (
  needs: Needs,
  place: CriteriaScope,
  board: ProjectRanking,
): Promise<void> => {
  board.queued ??= board.running
    .catch(() => undefined)
    .then(() => {
      board.queued = null;
      board.running = refresh(needs, place, board);
      return board.running;
    });
  return board.queued;
};

const refresh = async (
  needs: Needs,
  place: CriteriaScope,
  board: ProjectRanking,
): Promise<void> => {
  const { project } = place;
  const added = await readMembers(needs, project, board);
  const criteria = await effectiveCriteria(needs, place);
  if (JSON.stringify(criteria) !== JSON.stringify(board.criteria)) {
    board.criteria = criteria;
    board.ranked.clear();
  }
  try {
    await readAverages(needs, project, board, added);
  } catch (error) {
    // Added experiments have no averages yet: the next refresh reads all.
    board.token = null;
    throw error;
  }
};

/** Reads changed members; returns the added experiments. */
const readMembers = async (
  { documents }: Needs,
  project: ProjectId,
  board: ProjectRanking,
): Promise<readonly string[]> => {
  const { documents: parts } = await documents.find<GroupByExperiment>(
    experimentMembers.collection,
    {
      scope: project,
      filter:
        board.seen < 0
          ? null
          : { kind: 'number', column: 'changed', operator: 'gt', values: [board.seen] },
      limit: memberPartsMax,
    },
  );
  const added: string[] = [];
  for (const { key, fields, body } of parts) {
    const before = board.parts.get(key) ?? {};
    for (const run of Object.keys(before)) if (!(run in body)) moveMember(board, run, null);
    for (const [run, group] of Object.entries(body)) {
      if (!(run in before)) added.push(run);
      if (!(run in before) || before[run] !== group) moveMember(board, run, group ?? project);
    }
    board.parts.set(key, body);
    board.seen = Math.max(board.seen, Number(fields['changed']));
  }
  return added;
};

const moveMember = (board: ProjectRanking, run: string, scope: string | null): void => {
  const before = board.scopes.get(run);
  if (before !== undefined) {
    board.members.get(before)?.delete(run);
    board.ranked.delete(before);
  }
  board.scopes.delete(run);
  if (scope === null) return;
  board.scopes.set(run, scope);
  board.ranked.delete(scope);
  const members = board.members.get(scope);
  if (members === undefined) board.members.set(scope, new Set([run]));
  else members.add(run);
};

const readAverages = async (
  { documents, records }: Needs,
  project: ProjectId,
  board: ProjectRanking,
  added: readonly string[],
): Promise<void> => {
  const metrics = await typedMetrics({ documents, records }, project, board.criteria);
  const name = JSON.stringify([board.criteria.map(({ metric }) => metric), metrics]);
  const isOther = name !== board.metrics;
  // The token is read first: changes during the reads are then read again.
  const { token, runs } = await records.changedRuns(project, isOther ? null : board.token);
  const changed = runs === null ? null : runs.filter((run) => board.scopes.has(run));
  const wanted = changed === null ? null : [...new Set([...changed, ...added])];
  if (wanted === null || wanted.length > changedRunsMax) {
    const all = await records.runAverages(project, metrics, null);
    board.averages = new Map(
      [...all].map(([run, values]) => [run, inCriteriaOrder(values, metrics, board)]),
    );
    board.ranked.clear();
  } else if (wanted.length > 0) {
    const some = await records.runAverages(project, metrics, wanted);
    for (const run of wanted) {
      const values = some.get(run);
      if (values === undefined) board.averages.delete(run);
      else board.averages.set(run, inCriteriaOrder(values, metrics, board));
      board.ranked.delete(board.scopes.get(run) ?? '');
    }
  }
  board.metrics = name;
  board.token = token;
};

/** Criteria with numeric or boolean values to average, without those of deleted templates. */
const typedMetrics = async (
  { documents, records }: Pick<Needs, 'documents' | 'records'>,
  project: ProjectId,
  criteria: readonly Criterion[],
): Promise<readonly TypedMetric[]> => {
  const own = criteria.map(({ metric }) => metric).filter((one) => registryType(one) === null);
  const types = own.length === 0 ? new Map() : await records.metricTypes(project, own);
  const isRated = criteria.some(({ metric }) => isAnnotationColumn(metric));
  const templates = isRated ? await openTemplatesOf(documents)(project) : [];
  return criteria.flatMap(({ metric }) => {
    const one = isAnnotationColumn(metric)
      ? resolveMeasure(metric, types, templates)
      : { metric, type: metricType(metric, types) };
    const { type } = one;
    return type === null || type === 'text' || type === 'string_list' ? [] : [{ ...one, type }];
  });
};

/** Reorders values from the order of the requested metrics to that of the criteria. */
const inCriteriaOrder = (
  values: Averages,
  metrics: readonly TypedMetric[],
  { criteria }: ProjectRanking,
): Averages =>
  metrics.length === criteria.length
    ? values
    : criteria.map(
        ({ metric }) => values[metrics.findIndex((one) => measureName(one) === metric)] ?? null,
      );

const rankedScope = (board: ProjectRanking, key: string): RankedScope => {
  const known = board.ranked.get(key);
  if (known !== undefined) return known;
  const averages: Averages[] = [];
  for (const run of board.members.get(key) ?? []) {
    const values = board.averages.get(run);
    if (values !== undefined) averages.push(values);
  }
  const scope = rankScope(averages, board.criteria);
  board.ranked.set(key, scope);
  return scope;
};
