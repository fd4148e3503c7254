import {
  figureText,
  measuredOf,
  moreOf,
  type PageFigure,
  type PerformanceFigures,
} from './performance-figures.js';
import type { StoredResult } from './result-rows.js';
import { processorParts } from './thread-times.js';

const width = 800;
const margin = 24;
/** Left end of bars and of the axis of times; labels stand before it. */
const plotLeft = 290;
const plotRight = 640;

const style = `
  text { font: 13px system-ui, sans-serif; fill: #24292f; }
  .title { font-size: 19px; font-weight: 600; }
  .head { font-size: 15px; font-weight: 600; }
  .big { font-size: 19px; font-weight: 600; }
  .soft { fill: #57606a; }
  .inside { fill: #ffffff; font-weight: 600; }
  .page { fill: #ffffff; stroke: #d0d7de; }
  .grid { stroke: #d0d7de; }
  .range { stroke: #3a6ea5; stroke-width: 3; }
  .mark { fill: #3a6ea5; }
  .p0 { fill: #3a6ea5; } .p1 { fill: #8a6d1f; } .p2 { fill: #2f7d5b; }
  .p3 { fill: #7a5c99; } .p4 { fill: #9c5a4a; } .p5 { fill: #6e7781; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .soft { fill: #9da7b3; }
    .inside { fill: #ffffff; }
    .page { fill: #161b22; stroke: #3d444d; }
    .grid { stroke: #3d444d; }
    .range { stroke: #7fb0e0; }
    .mark { fill: #7fb0e0; }
  }`;

/** A piece of the picture and the height that it takes. */
type Panel = { readonly height: number; readonly draw: (top: number) => readonly string[] };

/** Picture of the figures: calm, readable at 800 pixels, on light and dark pages. */
export const performancePicture = (figures: PerformanceFigures): string => {
  const panels = [
    headPanel(figures),
    budgetPanel(figures.budget.filter(isMeasured)),
    questionPanel(figures.questions.filter(isMeasured)),
    tilePanel(figures),
  ].filter((panel) => panel !== null);
  const height = margin + panels.reduce((sum, panel) => sum + panel.height, 0);
  let top = margin;
  const drawn = panels.flatMap((panel) => {
    const lines = panel.draw(top);
    top += panel.height;
    return lines;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" ` +
      `height="${height}" role="img" aria-labelledby="title desc">`,
    `<title id="title">${pictureTitle}</title>`,
    `<desc id="desc">${escaped(description(figures))}</desc>`,
    `<style>${style}\n</style>`,
    `<rect class="page" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>`,
    ...drawn,
    '</svg>',
    '',
  ].join('\n');
};

const pictureTitle = 'What a span costs, and how fast it is read';
const isMeasured = ({ result }: PageFigure): boolean => result !== null;

const headPanel = (figures: PerformanceFigures): Panel => ({
  height: 62,
  draw: (top) => [
    textAt(margin, top + 14, pictureTitle, 'title'),
    textAt(margin, top + 36, subtitleOf(figures), 'soft'),
  ],
});

/** The machine of the newest figure. */
const subtitleOf = (figures: PerformanceFigures): string => {
  const newest = Object.values(figures)
    .flat()
    .flatMap(({ result }) => (result === null ? [] : [result]))
    .reduce((one, other) => (other.at > one.at ? other : one));
  const { cores, memory_gb, node, duckdb } = newest.machine;
  const memory = memory_gb === undefined ? '' : `, ${memory_gb} GB`;
  const engine = duckdb === undefined ? '' : `, DuckDB ${duckdb.replace('v', '')}`;
  const versions = `Node ${node.replace('v', '')}${engine}`;
  return `One machine: ${cores} cores with the load on them${memory}, ${versions}`;
};

const barHeight = 24;
const barStep = 36;

const budgetPanel = (budgets: readonly PageFigure[]): Panel | null => {
  if (budgets.length === 0) return null;
  const most = Math.max(...budgets.map((budget) => moreOf(budget, 'sum µs') ?? 0));
  const scale = (plotRight - plotLeft) / most;
  return {
    height: 28 + budgets.length * barStep + 56,
    draw: (top) => [
      textAt(margin, top + 12, 'Processor time of one span, in microseconds by thread', 'head'),
      textAt(width - margin, top + 12, daysOf(budgets), 'soft', 'end'),
      ...budgets.flatMap((budget, at) => barOf(budget, top + 28 + at * barStep, scale)),
      ...legendOf(top + 28 + budgets.length * barStep + 12),
    ],
  };
};

const barOf = (budget: PageFigure, y: number, scale: number): readonly string[] => {
  const lines = [textAt(margin, y + 17, shortLabel(budget.what))];
  let x = plotLeft;
  for (const [at, part] of processorParts.entries()) {
    const value = moreOf(budget, `${part} µs`) ?? 0;
    const wide = value * scale;
    lines.push(
      `<rect class="p${at}" x="${fixed(x)}" y="${y}" ` +
        `width="${fixed(wide)}" height="${barHeight}"/>`,
    );
    if (wide >= 30) lines.push(textAt(x + wide / 2, y + 17, figureText(value), 'inside', 'middle'));
    x += wide;
  }
  const server = moreOf(budget, 'test server µs');
  const beside = server === null ? '' : ` + server ${figureText(server)}`;
  lines.push(textAt(x + 8, y + 17, `${figureText(moreOf(budget, 'sum µs'))} µs${beside}`));
  return lines;
};

/** A description that fits before the plot. */
const shortLabel = (what: string): string =>
  what
    .replace(' on the EventStoreDB test server', ' on EventStoreDB')
    .replace(' of ten spans', '')
    .replace('a page of 100', '100')
    .replace(' of their inputs', '');

const legendOf = (y: number): readonly string[] => {
  const step = (width - 2 * margin) / processorParts.length;
  return processorParts.flatMap((part, at) => {
    const x = margin + at * step;
    return [
      `<rect class="p${at}" x="${fixed(x)}" y="${y}" width="12" height="12" rx="2"/>`,
      textAt(x + 18, y + 11, part, 'soft'),
    ];
  });
};

const rowStep = 26;
/** Milliseconds at the ends of the logarithmic axis. */
const [axisFrom, axisTo] = [1, 10_000];
const axisX = (ms: number): number => {
  const share = Math.log(Math.max(ms, axisFrom) / axisFrom) / Math.log(axisTo / axisFrom);
  return plotLeft + Math.min(1, share) * (plotRight - plotLeft);
};

const questionPanel = (questions: readonly PageFigure[]): Panel | null => {
  if (questions.length === 0) return null;
  const sizes = new Set(questions.map(({ spans }) => spans)).size;
  const bottom = 44 + questions.length * rowStep;
  return {
    height: bottom + 40,
    draw: (top) => [
      textAt(margin, top + 12, 'Four questions, in milliseconds: P50, P95, P99', 'head'),
      textAt(width - margin, top + 12, daysOf(questions), 'soft', 'end'),
      ...[1, 10, 100, 1_000, 10_000].flatMap((ms) => [
        `<line class="grid" x1="${fixed(axisX(ms))}" y1="${top + 32}" ` +
          `x2="${fixed(axisX(ms))}" y2="${top + bottom - 4}"/>`,
        textAt(axisX(ms), top + bottom + 12, figureText(ms), 'soft', 'middle'),
      ]),
      ...questions.flatMap((question, at) => rangeOf(question, top + 44 + at * rowStep, sizes > 1)),
    ],
  };
};

const rangeOf = (question: PageFigure, y: number, namesSize: boolean): readonly string[] => {
  const [p50 = 0, p95 = 0, p99 = 0] = timesOf(question);
  const size = namesSize ? `, ${(question.spans ?? 0) / 1_000_000} million` : '';
  const [from, mid, to] = [axisX(p50), axisX(p95), axisX(p99)];
  return [
    textAt(margin, y + 4, `${shortLabel(question.what)}${size}`),
    `<line class="range" x1="${fixed(from)}" y1="${y}" x2="${fixed(to)}" y2="${y}"/>`,
    `<circle class="mark" cx="${fixed(from)}" cy="${y}" r="5"/>`,
    `<line class="range" x1="${fixed(mid)}" y1="${y - 6}" x2="${fixed(mid)}" y2="${y + 6}"/>`,
    `<line class="range" x1="${fixed(to)}" y1="${y - 6}" x2="${fixed(to)}" y2="${y + 6}"/>`,
    textAt(
      width - margin,
      y + 4,
      timesOf(question)
        .map((ms) => figureText(ms))
        .join(' · '),
      '',
      'end',
    ),
  ];
};

const timesOf = (question: PageFigure): readonly number[] =>
  ['p50 ms', 'p95 ms', 'p99 ms'].map((name) => moreOf(question, name) ?? 0);

type Tile = { readonly figure: string; readonly what: string; readonly day: string };

/** Figures that stand for themselves. */
const tilesOf = ({ ingest, start }: PerformanceFigures): readonly Tile[] =>
  [
    tileOf(ingest, 'ingest', 'accepted and durable'),
    tileOf(ingest, 'ingest-projected', 'until reads show them'),
    tileOf(start, 'rebuild', 'rebuild of read models'),
    tileOf(start, 'start-big', 'start on 1,000,000 spans'),
  ].filter((tile) => tile !== null);

const tileOf = (section: readonly PageFigure[], row: string, what: string): Tile | null => {
  const result = section.find((figure) => figure.row === row)?.result ?? null;
  if (result === null) return null;
  return { figure: measuredOf(result).value, what, day: dayOf(result) };
};

const dayOf = ({ at }: StoredResult): string => at.slice(0, 10);
/** Days of the results of a panel. */
const daysOf = (figures: readonly PageFigure[]): string =>
  [...new Set(figures.flatMap(({ result }) => (result === null ? [] : [dayOf(result)])))]
    .sort((one, other) => (one < other ? -1 : 1))
    .join(', ');

const tilePanel = (figures: PerformanceFigures): Panel | null => {
  const tiles = tilesOf(figures);
  if (tiles.length === 0) return null;
  const step = (width - 2 * margin) / tiles.length;
  return {
    height: 84,
    draw: (top) =>
      tiles.flatMap(({ figure, what, day }, at) => [
        textAt(margin + at * step, top + 22, figure, 'big'),
        textAt(margin + at * step, top + 44, what),
        textAt(margin + at * step, top + 62, day, 'soft'),
      ]),
  };
};

/** All figures of the picture in words. */
const description = (figures: PerformanceFigures): string =>
  [
    `${subtitleOf(figures)}.`,
    ...figures.budget
      .filter(isMeasured)
      .map((one) => `${one.what}: ${figureText(moreOf(one, 'sum µs'))} µs of processor each.`),
    ...figures.questions.filter(isMeasured).map((one) => {
      const [p50, p95, p99] = timesOf(one).map((ms) => figureText(ms));
      return `${one.what}, ${figureText(one.spans ?? 0)} spans: ${p50}, ${p95}, ${p99} ms.`;
    }),
    ...tilesOf(figures).map(({ figure, what }) => `${what}: ${figure}.`),
  ].join(' ');

const textAt = (
  x: number,
  y: number,
  text: string,
  kind = '',
  anchor: 'start' | 'middle' | 'end' = 'start',
): string => {
  const of = [kind && ` class="${kind}"`, anchor === 'start' ? '' : ` text-anchor="${anchor}"`];
  return `<text x="${fixed(x)}" y="${fixed(y)}"${of.join('')}>${escaped(text)}</text>`;
};

const fixed = (value: number): string => String(Math.round(value * 10) / 10);
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
