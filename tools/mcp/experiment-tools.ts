import { Type } from 'typebox';
import type { Json, JsonObject } from '../../kernel/schema-types.js';
import { cutTexts } from './answer-limit.js';
import { unknownColumnNotes } from './record-tools.js';
import {
  nameContains,
  nameFilters,
  pageMembers,
  projectMember,
  readTool,
  type McpCall,
  type McpPage,
  type McpTool,
} from './tool.js';

type Aggregates = Readonly<
  Record<string, { readonly avg: number | null; readonly pct: number | null }>
>;
type Experiment = JsonObject & {
  readonly structured_aggregate_metrics: Aggregates & JsonObject;
  readonly aggregate_metrics: JsonObject;
  readonly tags: Readonly<Record<string, readonly { readonly value: string }[]>> & JsonObject;
};

const groupMember = {
  group: Type.Optional(Type.String({ description: 'Only of the experiment group of this name.' })),
};
const metricsMember = {
  metrics: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: 20,
      description: 'Averages of these metrics only; a boolean has its share of true.',
    }),
  ),
};
type ExperimentArguments = {
  readonly name_contains?: string;
  readonly group?: string;
  readonly limit: number;
  readonly starting_token: number;
  readonly sort: JsonObject;
};

const fetchExperiments = async (
  ask: McpCall['call'],
  projectId: string,
  { name_contains, group, limit, starting_token, sort }: ExperimentArguments,
): Promise<McpPage<'experiments', Experiment>> => {
  const ofGroup =
    group === undefined ? [] : [{ name: 'experiment_group_name', operator: 'eq', value: group }];
  const path = `/projects/${projectId}/experiments/search`;
  const { body } = await ask<McpPage<'experiments', Experiment>>('POST', path, {
    body: { limit, starting_token, sort, filters: [...nameFilters(name_contains), ...ofGroup] },
    place: (loc) => (loc[1] === 'sort' ? 'sort_by' : loc.slice(1).join('.')),
  });
  return body;
};

const shownExperiment = (one: Experiment, metrics: readonly string[] | undefined): JsonObject => {
  const { id = '', name = '', created_at = null, dataset = null, prompt_model } = one;
  const group = one['experiment_group_name'] ?? null;
  const tags = Object.entries(one.tags).map(([key, list]) => [key, list.map(({ value }) => value)]);
  return {
    id,
    name,
    rank: one['rank'] ?? null,
    ranking_score: one['ranking_score'] ?? null,
    winner: one['winner'] ?? null,
    traces: one.aggregate_metrics['total_responses'] ?? null,
    averages: averagesOf(one.structured_aggregate_metrics, metrics),
    created_at,
    ...(group !== null && { group }),
    ...(dataset !== null && { dataset }),
    ...(prompt_model && { model: prompt_model }),
    ...(tags.length > 0 && { tags: Object.fromEntries(tags) as JsonObject }),
  };
};

const averagesOf = (all: Aggregates, metrics: readonly string[] | undefined): JsonObject =>
  Object.fromEntries(
    Object.entries(all)
      .map(([name, { avg, pct }]): readonly [string, Json] => [name, avg ?? pct])
      .filter(([name, value]) => value !== null && (metrics?.includes(name) ?? true)),
  );

const listExperiments = readTool({
  name: 'list_experiments',
  title: 'Experiments',
  description:
    'Experiments of a project, newest first, with their averages: runs of an application over a ' +
    'dataset. experiment_leaderboard ranks them, compare_experiments goes row by row.',
  list: 'experiments',
  members: {
    ...projectMember,
    ...nameContains,
    ...groupMember,
    ...metricsMember,
    sort_by: Type.Optional(
      Type.String({ description: 'created_at, updated_at, name, rank, metrics/NAME …' }),
    ),
    ascending: Type.Optional(Type.Boolean({ default: false })),
    ...pageMembers(20, 100),
  },
  run: async (asked, { call, names }) => {
    const { sort_by = 'created_at', ascending = false, limit = 20, starting_token = 0 } = asked;
    const projectId = await names.project(asked.project);
    const sort = { name: sort_by, ascending };
    const page = await fetchExperiments(call, projectId, { ...asked, limit, starting_token, sort });
    return {
      head: { project_id: projectId },
      items: page.experiments.map((one) => shownExperiment(one, asked.metrics)),
      start: starting_token,
      next: page.next_starting_token,
      hint: 'metrics with few names and name_contains make it shorter',
    };
  },
});

type Criteria = {
  readonly criteria: readonly (JsonObject & { readonly metric: string })[];
  readonly default: boolean;
};

const leaderboard = readTool({
  name: 'experiment_leaderboard',
  title: 'Leaderboard of experiments',
  description:
    'Experiments of a project from the best to the worst, with rank, score and the averages of ' +
    'the metrics that they are ranked by. Ranks count within an experiment group, or among those ' +
    'in none.',
  list: 'experiments',
  members: { ...projectMember, ...groupMember, ...metricsMember, ...pageMembers(20, 100) },
  run: async (asked, { call, names }) => {
    const { limit = 20, starting_token = 0 } = asked;
    const projectId = await names.project(asked.project);
    const sort = { name: 'rank', ascending: true };
    const [page, criteria] = await Promise.all([
      fetchExperiments(call, projectId, { ...asked, limit, starting_token, sort }),
      call<Criteria>('GET', `/projects/${projectId}/experiments/ranking_criteria`),
    ]);
    const ranked = criteria.body.criteria.map(({ metric }) => metric.replace(/^metrics\//, ''));
    return {
      head: {
        project_id: projectId,
        criteria: criteria.body.criteria,
        criteria_are_default: criteria.body.default,
      },
      items: page.experiments.map((one) => shownExperiment(one, asked.metrics ?? ranked)),
      start: starting_token,
      next: page.next_starting_token,
      hint: 'metrics with few names make it shorter',
    };
  },
});

type Comparison = McpPage<'rows', JsonObject> & {
  readonly experiments: readonly JsonObject[];
  readonly metrics: readonly JsonObject[];
  readonly total_rows: number;
  readonly rows_in_all: number;
  readonly method: string;
};
const rowCharacters = 300;

const compareExperiments = readTool({
  name: 'compare_experiments',
  title: 'Compare experiments',
  description:
    'Experiments against the first of them, the baseline: the mean difference of each metric ' +
    'with a 95 % confidence interval, wins and losses, and then the rows of the dataset side by ' +
    'side. An interval that contains 0 shows no difference.',
  list: 'rows',
  members: {
    ...projectMember,
    experiments: Type.Array(Type.String(), {
      minItems: 2,
      maxItems: 10,
      description: 'Names or ids; the first is the baseline.',
    }),
    metrics: Type.Optional(
      Type.Array(Type.String(), { maxItems: 20, description: 'Left out: all that have values.' }),
    ),
    text_chars: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000, default: rowCharacters })),
    ...pageMembers(10, 100),
  },
  run: async (asked, { call, names }) => {
    const { limit = 10, starting_token = 0, text_chars = rowCharacters } = asked;
    const projectId = await names.project(asked.project);
    const ids: string[] = [];
    for (const named of asked.experiments) ids.push(await names.experiment(projectId, named));
    const path = `/projects/${projectId}/experiments/compare`;
    const { body, unknownColumns } = await call<Comparison>('POST', path, {
      body: { experiment_ids: ids, metrics: asked.metrics ?? null, limit, starting_token },
      place: (loc) =>
        loc
          .slice(1)
          .join('.')
          .replace(/^experiment_ids/, 'experiments'),
    });
    const { experiments, metrics, total_rows, rows_in_all, method } = body;
    return {
      head: { experiments, metrics, total_rows, rows_in_all, method },
      items: body.rows.map(
        (row) => cutTexts(row, { start: 0, characters: text_chars }) as JsonObject,
      ),
      start: starting_token,
      next: body.next_starting_token,
      hint: 'metrics with few names and a smaller text_chars make it shorter',
      notes: unknownColumnNotes(unknownColumns),
    };
  },
});

/** Tools that list, rank and compare experiments. */
export const experimentTools: readonly McpTool[] = [
  listExperiments,
  leaderboard,
  compareExperiments,
];
