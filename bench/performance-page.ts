import {
  commandOf,
  figureText,
  machineKey,
  machinesOf,
  measuredOf,
  moreOf,
  type PageFigure,
  type PerformanceFigures,
} from './performance-figures.js';
import type { BenchMachine, StoredResult } from './result-rows.js';
import { processorParts } from './thread-times.js';

const intro = `# Performance

What a span costs, and how fast it is stored and read, on one machine. \`npm run performance\`
writes this page and its picture from [results.jsonl](../bench/results.jsonl), the newest
result of each row. To measure again, run the command of a row and then that one.
[scale.md](scale.md) has medians of several runs and says what to do at which limit.

![Processor time of a span by thread, and times of four questions](pictures/performance.svg)

The load generator runs on the same cores. Wall times depend on what else a machine does;
**processor time** does less, so compare that first. A machine is a row of the last table; *load*
is its load average when a result was stored, the bench included.`;

const budgetText = `## Processor time of a span

Microseconds of processor from the request until reads show the span, by thread. *Accepting* is
the main thread: HTTP, checks, decisions. *Log writer* appends and syncs. *Read side* folds the
log and fills the columns. *V8 platform* collects garbage for all of them; the *libuv pool* runs
DuckDB's statements and hashes.`;

const questionText = `## Four questions

One after the other, each about another trace, tag or words, so no cache answers it. Milliseconds
at the client, and processor time of the service for one.`;

/** The page of all figures, in Markdown. */
export const performancePage = (figures: PerformanceFigures): string => {
  const machines = [...machinesOf(figures)];
  const letters = new Map(machines.map(([key], at) => [key, letterOf(at)]));
  const source = (figure: PageFigure): readonly string[] => [
    figure.result === null ? 'not measured yet' : dayAndLoad(figure.result),
    figure.result === null ? '–' : (letters.get(machineKey(figure.result.machine)) ?? '–'),
    `\`${commandOf(figure)}\``,
  ];
  const plain = (title: string, section: readonly PageFigure[]): string =>
    `## ${title}\n\n${tableOf(
      ['what', 'figure', 'compared with', ...sourceHead],
      section.map((figure) => [withSize(figure), ...plainCells(figure), ...source(figure)]),
    )}`;
  const parts = [
    intro,
    `${budgetText}\n\n${tableOf(
      ['what', ...processorParts, 'sum', 'test server', ...sourceHead],
      figures.budget.map((figure) => [
        figure.what,
        ...[...processorParts, 'sum', 'test server'].map((part) =>
          figureText(moreOf(figure, `${part} µs`)),
        ),
        ...source(figure),
      ]),
    )}`,
    plain('Ingest', figures.ingest),
    `${questionText}\n\n${tableOf(
      ['what', 'spans', 'P50', 'P95', 'P99', 'processor', ...sourceHead],
      figures.questions.map((figure) => [
        figure.what,
        figureText(figure.spans ?? null),
        ...['p50 ms', 'p95 ms', 'p99 ms', 'sum ms'].map((name) => figureText(moreOf(figure, name))),
        ...source(figure),
      ]),
    )}`,
    plain('Reads', figures.reads),
    plain('Start, memory and rebuild', figures.start),
    `## Machines and versions\n\n${tableOf(
      ['machine', 'cores', 'memory', 'processor', 'Node', 'DuckDB', 'SQLite'],
      machines.map(([, machine], at) => [letterOf(at), ...machineCells(machine)]),
    )}\n\nAn older result names only cores and Node.`,
  ];
  return `${parts.join('\n\n')}\n`;
};

const sourceHead = ['date', 'machine', 'command'];
const letterOf = (at: number): string => String.fromCharCode('A'.charCodeAt(0) + at);

const dayAndLoad = ({ at, load }: StoredResult): string =>
  load === undefined ? at.slice(0, 10) : `${at.slice(0, 10)}, load ${load}`;

const tableOf = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

/** The description with the number of spans where two sizes are measured. */
const withSize = ({ row, what, spans }: PageFigure): string =>
  row.endsWith('search') ? `${what}, of ${figureText(spans ?? null)} spans` : what;

const plainCells = ({ result }: PageFigure): readonly string[] => {
  if (result === null) return ['–', '–'];
  const { value, baseline } = measuredOf(result);
  return [value, baseline ?? '–'];
};

const machineCells = (machine: BenchMachine): readonly string[] => [
  String(machine.cores),
  machine.memory_gb === undefined ? '–' : `${machine.memory_gb} GB`,
  machine.cpu ?? '–',
  machine.node.replace('v', ''),
  machine.duckdb?.replace('v', '') ?? '–',
  machine.sqlite ?? '–',
];
