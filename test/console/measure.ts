import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import {
  newProject,
  newRun,
  runLoad,
  waitForPosition,
  type BenchContext,
  type BenchTarget,
} from '../../bench/bench-context.js';
import { bareTracesPerRequest, loadEnd } from '../../bench/bodies.js';
import type { ResultRow } from '../../bench/result-rows.js';
import { resultHash, summary } from '../../bench/statistics.js';
import { closeBrowser, openTestBrowser, signIn, type TestBrowser } from '../support/browser.js';
import { logLongTrace } from '../support/long-trace.js';
import { startService, type ServiceProcess } from '../support/service-process.js';
import {
  firstPaint,
  goTo,
  heapMegabytes,
  loadRows,
  timeChange,
  timeKeys,
  timeNavigation,
} from './measure-page.js';
import { startDifferenceRow } from './measure-start.js';

/** The budgets of the console that depend on the machine, in Chromium (docs/scale.md). */

export const consoleRowNames = [
  'console-start',
  'console-first-paint',
  'console-filter',
  'console-overview',
  'console-first-spans',
  'console-all-spans',
  'console-span-keys',
  'console-fold',
  'console-row-keys',
  'console-task',
  'console-heap',
  'console-heap-growth',
];

const password = 'the password of the bench';
const rowsMax = 10_000;
const day = 86_400_000;

/** Times of one question, so that a p95 of fifty is the third slowest. */
const runsOf = ({ smoke }: BenchContext): number => (smoke ? 2 : 50);
const spansOf = ({ smoke }: BenchContext): number => (smoke ? 1_000 : 10_000);

type Measured = {
  readonly name: string;
  readonly what: string;
  readonly values: readonly number[];
  readonly most: number;
  readonly unit?: string;
  readonly parameters?: ResultRow['parameters'];
};

/** A row whose figure is the 95th percentile. */
const rowOf = ({ name, what, values, most, unit = 'ms', parameters = {} }: Measured): ResultRow => {
  const { p95, median, max, spread, samples } = summary(values);
  return {
    name,
    what,
    parameters,
    unit,
    measured: { value: p95, spread, samples },
    baseline: null,
    target: { most },
    more: { median, max },
    hash: resultHash(null),
  };
};

export const consoleRows = async (bench: BenchContext): Promise<readonly ResultRow[]> => {
  const dir = join(bench.dir, 'console');
  await mkdir(dir);
  const rows: ResultRow[] = [];
  if (bench.isWanted('console-start')) rows.push(await startDifferenceRow(bench, dir));
  const others = consoleRowNames.filter((name) => name !== 'console-start');
  if (!others.some(bench.isWanted)) return rows;
  const env = { ASSAY_CONSOLE: 'on', ASSAY_BOOTSTRAP_PASSWORD: password };
  const service = await startService({ dir: join(dir, 'data'), env });
  try {
    const place = await loadTraces(bench, service);
    rows.push(await firstPaintRow(bench, service));
    const browser = await openTestBrowser(service.url);
    const page = await browser.open('/account');
    // A million traces on a busy machine: slow is a figure here, and no failure.
    page.setDefaultTimeout(120_000);
    await signIn(page, 'admin@localhost', password);
    const measured = {
      bench,
      service,
      browser,
      page,
      place,
      projectId: place.root.split('/').at(-1) ?? '',
    };
    for (const measure of [listRows, traceRows, heapRows]) rows.push(...(await measure(measured)));
    if (browser.offences.length > 0) throw new Error(browser.offences.join('\n'));
  } finally {
    await closeBrowser();
    await service.stop();
  }
  return rows;
};

type ConsoleBench = {
  readonly bench: BenchContext;
  readonly service: ServiceProcess;
  readonly browser: TestBrowser;
  /** Signed in. */
  readonly page: Page;
  readonly place: BenchTarget;
  readonly projectId: string;
};

const loadTraces = async (bench: BenchContext, service: ServiceProcess): Promise<BenchTarget> => {
  const root = await newProject(service.client, 'console');
  const place = { root, run: await newRun(service.client, root, 'console') };
  const requests = Math.ceil(bench.traces / bareTracesPerRequest);
  bench.say(`console: ${bench.traces} traces over HTTP`);
  const load = { shape: 'bare', seed: 19, from: 0, requests, connections: 8 } as const;
  const { position } = await runLoad(service, place, { ...load, requestsPerSecond: null });
  await waitForPosition(service, place, position);
  return place;
};

/** Each in a browser that has nothing of the console in its cache. */
const firstPaintRow = async (bench: BenchContext, { url }: ServiceProcess): Promise<ResultRow> => {
  const values: number[] = [];
  for (let run = 0; run < runsOf(bench); run += 1) {
    const browser = await openTestBrowser(url);
    const page = await browser.open('/');
    await page.getByLabel('E-mail').waitFor();
    const paint = await firstPaint(page);
    values.push(paint);
    await browser.close();
  }
  return rowOf({
    name: 'console-first-paint',
    what: 'first contentful paint of the sign-in, nothing cached',
    values,
    most: 600,
  });
};

const instant = (ms: number): string => new Date(ms).toISOString().replace(/Z$/, '000Z');

/** Filter to rows, and the overview of seven days. */
const listRows = async (context: ConsoleBench): Promise<readonly ResultRow[]> => {
  const { bench, browser, page, projectId } = context;
  const root = `/console/p/${projectId}`;
  const parameters = { traces: bench.traces };
  await goTo(page, `${root}/traces#t=all`);
  await page.getByRole('grid').waitFor();
  const filters: number[] = [];
  for (let run = 0; run < runsOf(bench); run += 1) {
    await browser.untilQuiet(page);
    const filter = `tags ~ ("tag-${run % 12}", "team-${run % 5}") and status_code = 500`;
    const address = `${root}/traces#t=all&f=${encodeURIComponent(filter)}`;
    filters.push(await timeChange(page, address, '[role=grid]'));
  }
  const windowOf = (run: number): string =>
    `#t=${instant(loadEnd - 8 * day + run * 60_000)}..${instant(loadEnd - day + run * 60_000)}`;
  await goTo(page, `${root}${windowOf(-1)}`);
  await page.locator('.overview-cards').waitFor();
  const overviews: number[] = [];
  for (let run = 0; run < runsOf(bench); run += 1) {
    await browser.untilQuiet(page);
    overviews.push(await timeChange(page, `${root}${windowOf(run)}`, '.overview-cards'));
  }
  return [
    rowOf({
      name: 'console-filter',
      what: 'a filter of three conditions to the first page of rows, p95',
      values: filters,
      most: 300,
      parameters,
    }),
    rowOf({
      name: 'console-overview',
      what: 'charts of seven days, p95',
      values: overviews,
      most: 600,
      parameters,
    }),
  ];
};

/** A trace of 10,000 spans: until it is there, and its keys (check 17). */
const traceRows = async ({
  bench,
  service,
  browser,
  page,
  place,
  projectId,
}: ConsoleBench): Promise<readonly ResultRow[]> => {
  const spans = spansOf(bench);
  const parameters = { spans };
  const times: { readonly first: number[]; readonly all: number[] } = { first: [], all: [] };
  const treeRows = "document.querySelectorAll('[role=treegrid] [role=row]').length";
  const allRows = `document.querySelector('[aria-rowcount="${spans + 1}"]') !== null`;
  for (let run = 0; run < (bench.smoke ? 1 : 5); run += 1) {
    const { id, position } = await logLongTrace(service.client, projectId, spans);
    await waitForPosition(service, place, position);
    await goTo(page, '/console/account');
    await browser.untilQuiet(page);
    const address = `/console/p/${projectId}/traces/${id}`;
    const conditions = [`${treeRows} > 10`, allRows];
    const [first = 0, all = 0] = await timeNavigation(page, address, conditions);
    times.first.push(first);
    times.all.push(all);
    await browser.untilQuiet(page);
  }
  const walk = await timeKeys(page, Array.from('jjjjjjjjjkk'.repeat(10)));
  await page.keyboard.press('Home');
  const fold = await timeKeys(page, Array.from('hl'.repeat(20)));
  return [
    rowOf({
      name: 'console-first-spans',
      what: 'from a click to the first rows of the trace',
      values: times.first,
      most: 500,
      parameters,
    }),
    rowOf({
      name: 'console-all-spans',
      what: 'from a click to the whole tree',
      values: times.all,
      most: 2_000,
      parameters,
    }),
    rowOf({
      name: 'console-span-keys',
      what: 'j and k to the paint, p95; 100 ms at most',
      values: walk.times,
      most: 50,
      parameters,
    }),
    rowOf({
      name: 'console-fold',
      what: 'h and l to the paint, p95; 100 ms at most',
      values: fold.times,
      most: 50,
      parameters,
    }),
    rowOf({
      name: 'console-task',
      what: 'the longest task while keys walk and fold; 0: none of 50 ms',
      values: [Math.max(walk.longestTask, fold.longestTask)],
      most: 50,
      parameters,
    }),
  ];
};

/** Rows of a list and many pages in one tab. */
const heapRows = async (context: ConsoleBench): Promise<readonly ResultRow[]> => {
  const { bench, browser, page, projectId } = context;
  const rows = Math.min(rowsMax, bench.traces);
  const root = `/console/p/${projectId}`;
  await page.reload();
  await browser.untilQuiet(page);
  await goTo(page, `${root}/traces#t=all`);
  await page.getByRole('grid').waitFor();
  await loadRows(page, rows);
  await browser.untilQuiet(page);
  const heap = await heapMegabytes(page);
  await page.getByRole('grid').focus();
  const keys = await timeKeys(page, Array.from('jjjjjkkk'.repeat(15)));
  await page.reload();
  const pages = ['', '/traces#t=7d', '/settings', '/experiments', '/sessions'];
  const visit = async (times: number): Promise<void> => {
    for (let turn = 0; turn < times; turn += 1) {
      await goTo(page, `${root}${pages[turn % pages.length] ?? ''}`);
      await browser.untilQuiet(page);
    }
  };
  const count = bench.smoke ? 10 : 200;
  await visit(pages.length * 2);
  const before = await heapMegabytes(page);
  await visit(count);
  const growth = (await heapMegabytes(page)) - before;
  return [
    rowOf({
      name: 'console-row-keys',
      what: 'j and k in the list to the paint, p95; 100 ms at most',
      values: keys.times,
      most: 50,
      parameters: { rows },
    }),
    rowOf({
      name: 'console-heap',
      what: 'heap of the page with these rows, after a collection',
      values: [heap],
      most: 80,
      unit: 'MB',
      parameters: { rows },
    }),
    rowOf({
      name: 'console-heap-growth',
      what: 'growth of the heap after so many pages in one tab',
      values: [growth],
      most: 10,
      unit: 'MB',
      parameters: { pages: count },
    }),
  ];
};
