import type { ComparedMetric, ExperimentComparison } from '../contract/experiment-comparison.js';
import { Fault } from '../kernel/fault.js';
import type { Json, JsonObject } from '../kernel/schema-types.js';
import type { ServiceAccess } from './api-client.js';
import { mcpTools } from './mcp/tool-list.js';
import type { McpResult } from './mcp/answer-limit.js';
import { openNameResolver } from './mcp/name-resolver.js';
import { openServiceClient, type NextSteps } from './mcp/service-client.js';
import { printRows, type PrintedRow } from './terminal/print-rows.js';
import type { TargetOptions } from './run-target.js';
import { escapeControls } from './terminal/terminal-escape.js';
import { parseCondition } from './filter-condition.js';

export type ListedNoun = 'traces' | 'sessions' | 'experiments';

type ListArguments = TargetOptions & {
  readonly where: readonly string[];
  /** A column; `-` before it: descending. Null: newest first. */
  readonly sort: string | null;
  readonly limit: number;
  readonly json: boolean;
};

/** `assay traces`, `sessions` and `experiments`: a table, or one JSON object a line. */
export const listRecords = async (
  noun: ListedNoun,
  access: ServiceAccess,
  wishes: ListArguments,
): Promise<void> => {
  const { project, logStream, experiment, sort, limit, json } = wishes;
  const isRecords = noun !== 'experiments';
  const found = await runMcpTool(
    access,
    project,
    isRecords ? `search_${noun}` : 'list_experiments',
    {
      limit,
      ...(isRecords && wishes.where.length > 0 && { where: wishes.where.map(parseCondition) }),
      ...(logStream !== undefined && { log_stream: logStream }),
      ...(experiment !== undefined && { experiment }),
      ...(sort !== null && { sort_by: sort.replace(/^-/, ''), ascending: !sort.startsWith('-') }),
    },
  );
  printFound(found, json, isRecords ? recordRow : experimentRow);
};

/** `assay compare A B …`: the metrics of experiments against the first of them. */
export const compareExperiments = async (
  experiments: readonly string[],
  access: ServiceAccess,
  { project, limit, json }: Pick<ListArguments, 'project' | 'limit' | 'json'>,
): Promise<void> => {
  const found = await runMcpTool(access, project, 'compare_experiments', { experiments, limit });
  if (json) {
    process.stdout.write(
      `${escapeControls(JSON.stringify({ ...found.head, rows: found.items }))}\n`,
    );
    return;
  }
  const { metrics, experiments: compared } = found.head as unknown as Compared;
  const names = new Map(compared.map(({ experiment_id: id, name }) => [id, name]));
  const rows = metrics.flatMap((metric) =>
    metric.experiments.map((one) => comparedRow(metric, names.get(one.experiment_id) ?? '', one)),
  );
  printRows(rows, false);
  for (const note of found.notes ?? []) process.stderr.write(`${escapeControls(note)}\n`);
};

/** `assay columns`: the columns that records of a project can be filtered and sorted by. */
export const listColumns = async (
  population: ListedPopulation,
  access: ServiceAccess,
  { project, logStream, experiment, json }: TargetOptions & { readonly json: boolean },
): Promise<void> => {
  const found = await runMcpTool(access, project, 'list_columns', {
    population,
    ...(logStream !== undefined && { log_stream: logStream }),
    ...(experiment !== undefined && { experiment }),
  });
  printFound(found, json, ({ id, kind, data_type, unit, description }) => ({
    column: formatCell(id),
    kind: formatCell(kind),
    type: formatCell(data_type),
    unit: formatCell(unit),
    description: formatCell(description),
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
    mean: formatNumber(mean),
    difference: formatNumber(against?.mean_difference ?? null),
    '95 % interval':
      interval === null ? '' : `${formatNumber(interval.lower)} … ${formatNumber(interval.upper)}`,
    wins: against?.wins ?? '',
    losses: against?.losses ?? '',
    ties: against?.ties ?? '',
  };
};
const formatNumber = (value: number | null): string =>
  value === null ? '' : String(Number(value.toPrecision(4)));

const cliNextSteps: NextSteps = {
  unreached: 'Start it, or say where it is with --url or ASSAY_URL',
  columns: 'assay columns lists what there is',
  key: 'Give another by ASSAY_API_KEY or --key',
  names: 'is an id wrong, or the address not that of the API?',
};

const runMcpTool = async (
  { url, apiKey }: ServiceAccess,
  project: string | undefined,
  name: string,
  args: object,
): Promise<McpResult> => {
  if (project === undefined) throw new Fault('invalid', 'which project? --project NAME or ID');
  const tool = mcpTools(false).find((one) => one.name === name);
  if (tool === undefined) throw new Error(`${name} is not a tool`);
  const ask = openServiceClient(url, apiKey, cliNextSteps)(new AbortController().signal);
  return tool.run(args as never, { call: ask, names: openNameResolver(ask, project) });
};

const printFound = (
  found: McpResult,
  json: boolean,
  rowOf: (item: JsonObject) => PrintedRow,
): void => {
  if (json) {
    for (const item of found.items)
      process.stdout.write(`${escapeControls(JSON.stringify(item))}\n`);
  } else printRows(found.items.map(rowOf), false);
  printNotes(found);
};

/** Printed on stderr, so that piped output is rows only. */
const printNotes = ({ next, notes = [] }: McpResult): void => {
  for (const note of notes) process.stderr.write(`${escapeControls(note)}\n`);
  if (next !== null) process.stderr.write('there are more: a higher --limit shows them\n');
};

const cellMax = 40;
const formatCell = (value: Json | undefined): string => {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > cellMax ? `${line.slice(0, cellMax - 1)}…` : line;
};

/** The columns that every listed noun has. */
const commonColumns = (item: JsonObject): PrintedRow => ({
  created_at: formatCell(item['created_at']).slice(0, 19),
  id: formatCell(item['id']),
  name: formatCell(item['name']),
});

/** One `name=value` a line. */
const valuesOf = (values: Json | undefined): string =>
  Object.entries((values ?? {}) as JsonObject)
    .map(([name, value]) => `${name}=${formatCell(value)}`)
    .join('\n');

const recordRow = (item: JsonObject): PrintedRow => ({
  ...commonColumns(item),
  input: formatCell(item['input']),
  output: formatCell(item['output']),
  status: formatCell(item['status_code']),
  metrics: valuesOf(item['metrics']),
});

const experimentRow = (item: JsonObject): PrintedRow => ({
  ...commonColumns(item),
  rank: formatCell(item['rank']),
  traces: formatCell(item['traces']),
  averages: valuesOf(item['averages']),
});
