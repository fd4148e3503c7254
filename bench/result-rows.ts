import { appendFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { version as duckdbVersion } from '@duckdb/node-api';
import Table from 'cli-table3';
import { repository } from '../test/support/test-environment.js';

type Figure = { readonly value: number; readonly spread: number; readonly samples: number };

/**
 * One line of the bench: what was measured, what it is compared with in the same run, and what it
 * should reach.
 */
export type ResultRow = {
  readonly name: string;
  readonly what: string;
  readonly parameters: Readonly<Record<string, number | string>>;
  readonly unit: string;
  readonly measured: Figure;
  readonly baseline: (Figure & { readonly what: string }) | null;
  /** The goal (D-020 has the first ones). `least`: at least this much; else at most. */
  readonly target: { readonly least: number } | { readonly most: number } | null;
  readonly more: Readonly<Record<string, number>>;
  /** Hash of the answers without times: another hash is another result. */
  readonly hash: string;
};

/** A figure is no promise but what the middle of the samples was. */
export const figure = (summary: {
  readonly median: number;
  readonly spread: number;
  readonly samples: number;
}): Figure => ({ value: summary.median, spread: summary.spread, samples: summary.samples });

const meetsTarget = ({ target, measured }: ResultRow): boolean | null => {
  if (target === null) return null;
  return 'least' in target ? measured.value >= target.least : measured.value <= target.most;
};

export const formatRows = (rows: readonly ResultRow[]): string => {
  const table = new Table({
    head: ['row', 'median', 'spread', 'baseline', 'ratio', 'target', 'hash'],
    colAligns: ['left', 'right', 'right', 'right', 'right', 'right', 'left'],
    style: { head: [], border: [] },
  });
  for (const row of rows) {
    const { measured, baseline, unit } = row;
    table.push([
      row.name,
      `${formatNumber(measured.value)} ${unit}`,
      `${Math.round(measured.spread * 100)} % of ${measured.samples}`,
      baseline === null ? '-' : `${formatNumber(baseline.value)} ${unit}`,
      baseline === null ? '-' : (measured.value / baseline.value).toFixed(2),
      targetOf(row),
      row.hash,
    ]);
  }
  const notes = rows.map((row) => {
    const list = (members: Readonly<Record<string, number | string>>): string =>
      Object.entries(members)
        .map(
          ([name, value]) => `${name} ${typeof value === 'number' ? formatNumber(value) : value}`,
        )
        .join(', ');
    const beside = row.baseline === null ? '' : `\n    beside: ${row.baseline.what}`;
    const more = Object.keys(row.more).length === 0 ? '' : `\n    more: ${list(row.more)}`;
    return `  ${row.name}: ${row.what} (${list(row.parameters)})${more}${beside}`;
  });
  return `${table.toString()}\n${notes.join('\n')}`;
};

const targetOf = (row: ResultRow): string => {
  if (row.target === null) return '-';
  const wanted =
    'least' in row.target
      ? `≥ ${formatNumber(row.target.least)}`
      : `≤ ${formatNumber(row.target.most)}`;
  return `${wanted} ${meetsTarget(row) === true ? 'reached' : 'MISSED'}`;
};

export const formatNumber = (value: number): string => {
  if (Math.abs(value) >= 1_000) return Math.round(value).toLocaleString('en-US');
  return Number(value.toPrecision(3)).toString();
};

/** Machine and versions of a result; old results lack all but the first two. */
export type BenchMachine = {
  readonly cores: number;
  readonly node: string;
  readonly memory_gb?: number;
  readonly cpu?: string;
  readonly duckdb?: string;
  readonly sqlite?: string;
};
/** A line of the results file. */
export type StoredResult = ResultRow & {
  readonly at: string;
  readonly machine: BenchMachine;
  /** Load average of the minute before the result was stored, the bench included. */
  readonly load?: number;
};

const thisMachine = (): BenchMachine => ({
  cores: availableParallelism(),
  memory_gb: Math.round(totalmem() / 2 ** 30),
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  node: process.version,
  duckdb: duckdbVersion(),
  sqlite: process.versions['sqlite'] ?? 'unknown',
});

export const resultsFile = join(repository, 'bench/results.jsonl');

/** One line for each row, for ever: the history of the figures. */
export const appendResults = (rows: readonly ResultRow[], at: string): void => {
  const machine = thisMachine();
  const load = Number((loadavg()[0] ?? 0).toFixed(1));
  const lines = rows.map((row) => `${JSON.stringify({ at, ...row, machine, load })}\n`);
  appendFileSync(resultsFile, lines.join(''));
};
