import { Command } from 'commander';
import { temporaryFolder } from '../test/support/folder.js';
import type { BenchContext } from './bench-context.js';
import { consoleRowNames, consoleRows } from '../test/console/measure.js';
import { badPasswordRow } from './wrong-passwords.js';
import { auditRowNames, auditRows } from './audit.js';
import { largeStoreRowNames, largeStoreRows } from './large-store.js';
import { idleServiceRows } from './idle-service.js';
import { experimentRows } from './experiments.js';
import { fairnessRowNames, fairnessRows } from './fairness.js';
import { fiveAddressesRow } from './five-addresses.js';
import { foreignIdRow } from './foreign-ids.js';
import { growthRowNames, growthRows } from './growth.js';
import { historyFoldRow } from './history-fold.js';
import { historyReadRowNames, historyReadRows } from './history-reads.js';
import { ingestRows } from './ingest.js';
import {
  eventStoreBudgetRowName,
  eventStoreBudgetRows,
  ingestBudgetRowNames,
  ingestBudgetRows,
} from './ingest-budget.js';
import { readOneRowNames, readOneRows } from './read-one.js';
import { otlpRowNames, otlpRows } from './otlp.js';
import { textSearchRowNames, textSearchRows } from './text-search.js';
import { keyRotationRow } from './key-rotation.js';
import { keyTimingRow } from './key-timing.js';
import { ratingRows } from './ratings.js';
import { scorerRows } from './scorers.js';
import { distributedRowNames, distributedRows } from './distributed.js';
import { appendResults, formatRows, type ResultRow } from './result-rows.js';

/**
 * `npm run bench`: the figures of the built service, driven from outside over HTTP, or in process
 * where HTTP would hide them; each beside what it is compared with in the same run.
 */

const groups: readonly {
  readonly rows: readonly string[];
  readonly measure: (bench: BenchContext) => Promise<readonly ResultRow[]>;
}[] = [
  { rows: ['start-empty', 'memory-idle'], measure: idleServiceRows },
  { rows: ['ingest', 'ingest-projected', 'ingest-lag'], measure: ingestRows },
  { rows: ingestBudgetRowNames, measure: ingestBudgetRows },
  { rows: [eventStoreBudgetRowName], measure: eventStoreBudgetRows },
  { rows: readOneRowNames, measure: readOneRows },
  { rows: otlpRowNames, measure: otlpRows },
  { rows: growthRowNames, measure: growthRows },
  { rows: ['history-fold'], measure: async (bench) => [await historyFoldRow(bench)] },
  { rows: historyReadRowNames, measure: historyReadRows },
  { rows: ['ratings'], measure: ratingRows },
  { rows: auditRowNames, measure: auditRows },
  { rows: ['key-timing'], measure: async (bench) => [await keyTimingRow(bench)] },
  { rows: ['foreign-ids'], measure: async (bench) => [await foreignIdRow(bench)] },
  { rows: ['bad-passwords'], measure: async (bench) => [await badPasswordRow(bench)] },
  { rows: fairnessRowNames, measure: fairnessRows },
  { rows: ['five-addresses'], measure: async (bench) => [await fiveAddressesRow(bench)] },
  { rows: ['key-rotation'], measure: async (bench) => [await keyRotationRow(bench)] },
  {
    rows: ['scorer-start', 'scorer-late', 'scorer-rows', 'scorer-neighbours'],
    measure: scorerRows,
  },
  { rows: largeStoreRowNames, measure: largeStoreRows },
  { rows: textSearchRowNames, measure: textSearchRows },
  { rows: consoleRowNames, measure: consoleRows },
  { rows: distributedRowNames, measure: distributedRows },
  { rows: ['experiment-search', 'experiment-search-written'], measure: experimentRows },
];
const names = groups.flatMap(({ rows }) => rows);

type BenchOptions = {
  readonly only?: string;
  readonly spans: string;
  readonly spreadSpans: string;
  readonly traces: string;
  readonly texts: string;
  readonly smoke?: true;
  readonly json?: true;
};

const measureAll = async (asked: BenchOptions): Promise<void> => {
  const wanted = (row: string): boolean =>
    asked.only === undefined || asked.only === row || row.startsWith(`${asked.only}-`);
  if (!names.some(wanted)) throw new Error(`No row ${asked.only}; there are ${names.join(', ')}`);
  const folder = await temporaryFolder();
  const rows: ResultRow[] = [];
  const bench: BenchContext = {
    dir: folder.dir,
    smoke: asked.smoke === true,
    spans: asked.smoke === true ? 2_000 : Number(asked.spans),
    spreadSpans: asked.smoke === true ? 2_000 : Number(asked.spreadSpans),
    traces: asked.smoke === true ? 2_000 : Number(asked.traces),
    textBytes: asked.smoke === true ? 2_000_000 : Number(asked.texts) * 1e9,
    isWanted: wanted,
    say: (line) => process.stderr.write(`${line}\n`),
  };
  try {
    for (const group of groups)
      if (group.rows.some(wanted)) {
        const measured = (await group.measure(bench)).filter(({ name }) => wanted(name));
        rows.push(...measured);
        if (!bench.smoke) appendResults(measured, new Date().toISOString());
      }
  } finally {
    await folder.remove();
  }
  process.stdout.write(
    asked.json === true
      ? rows.map((row) => `${JSON.stringify(row)}\n`).join('')
      : `${formatRows(rows)}\n`,
  );
};

await new Command('bench')
  .description('Measures the built service beside its baselines.')
  .option('--only <row>', `one row: ${names.join(', ')}`)
  .option('--spans <count>', 'spans that the questions are asked about', '1000000')
  .option('--spread-spans <count>', 'the same on all engines, which fill slower', '100000')
  .option('--traces <count>', 'traces that the console lists and charts', '1000000')
  .option('--texts <gigabytes>', 'texts that words are looked for in', '1')
  .option('--smoke', 'small sizes, nothing kept: does every row still run?')
  .option('--json', 'one JSON line a row instead of the table')
  .action(measureAll)
  .parseAsync();
