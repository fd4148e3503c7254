import type { ComparedMetric, ExperimentComparison } from '../contract/experiment-comparison.js';
import { Fault } from '../kernel/fault.js';
import type { Json, JsonObject } from '../kernel/shapes.js';
import type { ServiceAccess } from './api-client.js';
import { mcpTools } from './mcp/all.js';
import type { McpFound } from './mcp/bounds.js';
import { openPlaces } from './mcp/places.js';
import { openMcpService, type NextSteps } from './mcp/service.js';
import { printRows, type PrintedRow } from './rows.js';
import type { PlaceOptions } from './run-place.js';
import { visible } from './visible.js';
import { conditionOf } from './where.js';

export type ListedNoun = 'traces' | 'sessions' | 'experiments';

type ListWishes = PlaceOptions & {
  readonly where: readonly string[];
  /** A column; `-` before it: descending. Null: newest first. */
  readonly sort: string | null;
  readonly limit: number;
  readonly json: boolean;
};

/** `assay traces`, `sessions` and `experiments`: a table, or one JSON object a line. */
export const list = async (
  noun: ListedNoun,
  access: ServiceAccess,
  wishes: ListWishes,
): Promise<void> => {
  const { project, logStream, experiment, sort, limit, json } = wishes;
  const isRecords = noun !== 'experiments';
  const found = await asked(access, project, isRecords ? `search_${noun}` : 'list_experiments', {
    limit,
    ...(isRecords && wishes.where.length > 0 && { where: wishes.where.map(conditionOf) }),
    ...(logStream !== undefined && { log_stream: logStream }),
    ...(experiment !== undefined && { experiment }),
    ...(sort !== null && { sort_by: sort.replace(/^-/, ''), ascending: !sort.startsWith('-') }),
  });
  printed(found, json, isRecords ? recordRow : experimentRow);
};

/** `assay compare A B …`: the metrics of experiments against the first of them. */
export const compare = async (
  experiments: readonly string[],
  access: ServiceAccess,
  { project, limit, json }: Pick<ListWishes, 'project' | 'limit' | 'json'>,
): Promise<void> => {
  const found = await asked(access, project, 'compare_experiments', { experiments, limit });
  if (json) {
    process.stdout.write(`${visible(JSON.stringify({ ...found.head, rows: found.items }))}\n`);
    return;
  }
  const { metrics, experiments: compared } = found.head as unknown as Compared;
  const names = new Map(compared.map(({ experiment_id: id, name }) => [id, name]));
  const rows = metrics.flatMap((metric) =>
    metric.experiments.map((one) => comparedRow(metric, names.get(one.experiment_id) ?? '', one)),
  );
  printRows(rows, false);
  for (const note of found.notes ?? []) process.stderr.write(`${visible(note)}\n`);
};

/** `assay columns`: what records of a project can be filtered and sorted by. */
export const columns = async (
  population: ListedPopulation,
  access: ServiceAccess,
  { project, logStream, experiment, json }: PlaceOptions & { readonly json: boolean },
): Promise<void> => {
  const found = await asked(access, project, 'list_columns', {
    population,
    ...(logStream !== undefined && { log_stream: logStream }),
    ...(experiment !== undefined && { experiment }),
  });
  printed(found, json, ({ id, kind, data_type, unit, description }) => ({
    column: cell(id),
    kind: cell(kind),
    type: cell(data_type),
    unit: cell(unit),
    description: cell(description),
  }));
};
export type ListedPopulation = 'traces' | 'spans' | 'sessions';

type Compared = Pick<ExperimentComparison, 'experiments' | 'metrics'>;

const comparedRow = (
  { metric, direction }: ComparedMetric,
  experiment: string,
  { num_rows: rows, mean, against_baseline: against }: ComparedMetric['experiments'][number],
): PrintedRow => {
  const interval = against?.confidence_interval ?? null;
  return {
    metric: `${metric} (${direction} is better)`,
    experiment,
    rows,
    mean: rounded(mean),
    difference: rounded(against?.mean_difference ?? null),
    '95 % interval':
      interval === null ? '' : `${rounded(interval.lower)} … ${rounded(interval.upper)}`,
    wins: against?.wins ?? '',
    losses: against?.losses ?? '',
    ties: against?.ties ?? '',
  };
};
const rounded = (value: number | null): string =>
  value === null ? '' : String(Number(value.toPrecision(4)));

const steps: NextSteps = {
  unreached: 'Start it, or say where it is with --url or ASSAY_URL',
  columns: 'assay columns lists what there is',
  key: 'Give another by ASSAY_API_KEY or --key',
  names: 'is an id wrong, or the address not that of the API?',
};

const asked = async (
  { url, apiKey }: ServiceAccess,
  project: string | undefined,
  name: string,
  args: object,
): Promise<McpFound> => {
  if (project === undefined) throw new Fault('invalid', 'which project? --project NAME or ID');
  const tool = mcpTools(false).find((one) => one.name === name);
  if (tool === undefined) throw new Error(`${name} is not a tool`);
  const ask = openMcpService(url, apiKey, steps)(new AbortController().signal);
  return tool.run(args as never, { ask, places: openPlaces(ask, project) });
};

const printed = (found: McpFound, json: boolean, rowOf: (item: JsonObject) => PrintedRow): void => {
  if (json) {
    for (const item of found.items) process.stdout.write(`${visible(JSON.stringify(item))}\n`);
  } else printRows(found.items.map(rowOf), false);
  said(found);
};

/** On stderr, so that what is piped stays rows. */
const said = ({ next, notes = [] }: McpFound): void => {
  for (const note of notes) process.stderr.write(`${visible(note)}\n`);
  if (next !== null) process.stderr.write('there are more: a higher --limit shows them\n');
};

const cellMax = 40;
const cell = (value: Json | undefined): string => {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > cellMax ? `${line.slice(0, cellMax - 1)}…` : line;
};

/** The columns that every listed noun has. */
const headOf = (item: JsonObject): PrintedRow => ({
  created_at: cell(item['created_at']).slice(0, 19),
  id: cell(item['id']),
  name: cell(item['name']),
});

/** One `name=value` a line. */
const valuesOf = (values: Json | undefined): string =>
  Object.entries((values ?? {}) as JsonObject)
    .map(([name, value]) => `${name}=${cell(value)}`)
    .join('\n');

const recordRow = (item: JsonObject): PrintedRow => ({
  ...headOf(item),
  input: cell(item['input']),
  output: cell(item['output']),
  status: cell(item['status_code']),
  metrics: valuesOf(item['metrics']),
});

const experimentRow = (item: JsonObject): PrintedRow => ({
  ...headOf(item),
  rank: cell(item['rank']),
  traces: cell(item['traces']),
  averages: valuesOf(item['averages']),
});
