import { formatNumber, type BenchMachine, type StoredResult } from './result-rows.js';

/** A row of the bench that the page shows, by name and, where sizes differ, by spans. */
type FigureSource = { readonly row: string; readonly what: string; readonly spans?: number };

/** A figure of the page: the newest result of its source; null: not measured yet. */
export type PageFigure = FigureSource & { readonly result: StoredResult | null };

const million = 1_000_000;
/** Figures of the page, by section. */
const sources = {
  budget: [
    { row: 'ingest-budget', what: 'spans of 1 KB' },
    { row: 'ingest-budget-450', what: 'spans of 450 bytes of all kinds' },
    { row: 'ingest-budget-eventstore', what: 'spans of 1 KB, log on the EventStoreDB test server' },
  ],
  ingest: [
    { row: 'ingest', what: 'accepted and durable, spans of 1 KB' },
    { row: 'ingest-projected', what: 'the same until reads show them' },
    { row: 'load', what: 'spans of 450 bytes until reads show 1,000,000', spans: million },
    { row: 'ingest-lag', what: 'greatest lag of reads at a steady rate' },
    {
      row: 'visible',
      what: 'from an acknowledgement to a read that shows it, P99',
      spans: million,
    },
    { row: 'disk-big', what: 'log and records on disk for a span of 450 bytes', spans: million },
  ],
  questions: [million, 10 * million].flatMap((spans) => [
    { row: 'question-tree', what: 'a trace with its tree of ten spans', spans },
    { row: 'question-span', what: 'one span', spans },
    { row: 'question-list', what: 'a page of 100 spans by status and tag', spans },
    { row: 'question-words', what: 'a page of 100 spans by words of their inputs', spans },
  ]),
  reads: [
    { row: 'read-trace', what: 'processor time of reading a trace of ten spans' },
    { row: 'read-span', what: 'processor time of reading a span' },
    ...[million, 10 * million].flatMap((spans) => [
      { row: 'custom-search', what: 'nested filter, grouped, by day, P95', spans },
      { row: 'search', what: 'a page of 100 traces by a nested filter, P95', spans },
    ]),
    { row: 'heavy-neighbour-count', what: 'a count beside a project that logs a lot, P99' },
    { row: 'heavy-neighbour-trace', what: 'a trace beside a project that logs a lot, P99' },
    { row: 'heavy-neighbours-count', what: 'a count beside four such projects, P99' },
    { row: 'heavy-neighbours-trace', what: 'a trace beside four such projects, P99' },
  ],
  start: [
    { row: 'start-empty', what: 'start on an empty folder' },
    { row: 'start-big', what: 'start on 1,000,000 spans', spans: million },
    { row: 'memory-idle', what: 'memory after a start' },
    { row: 'memory-big', what: 'memory with 1,000,000 spans, after questions', spans: million },
    { row: 'rebuild', what: 'rebuild of all read models, events of ten spans', spans: million },
  ],
} as const satisfies Readonly<Record<string, readonly FigureSource[]>>;

export type PerformanceFigures = Readonly<Record<keyof typeof sources, readonly PageFigure[]>>;

/** Picks the newest result of each figure from the text of the results file. */
export const performanceFigures = (lines: string): PerformanceFigures => {
  const results = lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as StoredResult);
  const newest = (source: FigureSource): PageFigure => ({
    ...source,
    result: results.findLast((result) => isOf(source, result)) ?? null,
  });
  return {
    budget: sources.budget.map(newest),
    ingest: sources.ingest.map(newest),
    questions: sources.questions.map(newest),
    reads: sources.reads.map(newest),
    start: sources.start.map(newest),
  };
};

const isOf = ({ row, spans }: FigureSource, { name, parameters }: StoredResult): boolean => {
  if (name !== row) return false;
  if (spans === undefined) return true;
  const measured = parameters['spans'];
  if (typeof measured === 'number') return measured === spans;
  // A rebuild counts events of ten spans; a few belong to projects and keys.
  const events = Number(parameters['events']) * Number(parameters['spans an event']);
  return events >= spans && events < 2 * spans;
};

/** Command that measures a figure again. */
export const commandOf = ({ row, spans }: FigureSource): string =>
  `npm run bench -- --only ${row}${spans === 10 * million ? ` --spans ${spans}` : ''}`;

/** The figure of a row with its unit and what it is compared with; events are counted in spans. */
export const measuredOf = ({ unit, measured, baseline, parameters }: StoredResult) => {
  const spans = unit === 'events/s' ? Number(parameters['spans an event']) : 1;
  const inSpans = unit === 'events/s' ? 'spans/s' : unit;
  return {
    value: figureText(measured.value * spans, inSpans),
    baseline: baseline && `${figureText(baseline.value * spans, inSpans)}: ${baseline.what}`,
  };
};

/** Member of `more` of a result. */
export const moreOf = ({ result }: PageFigure, name: string): number | null =>
  result?.more[name] ?? null;

export const figureText = (value: number | null, unit = ''): string =>
  value === null ? '–' : `${formatNumber(value)}${unit === '' ? '' : ` ${unit}`}`;

/** Letters of the machines and versions, in the order of the page. */
export const machinesOf = (figures: PerformanceFigures): ReadonlyMap<string, BenchMachine> =>
  new Map(
    Object.values(figures)
      .flat()
      .flatMap(({ result }) => (result === null ? [] : [result.machine]))
      .map((machine) => [machineKey(machine), machine] as const),
  );

export const machineKey = (machine: BenchMachine): string => JSON.stringify(machine);
