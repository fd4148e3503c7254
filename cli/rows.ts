import Table from 'cli-table3';
import { visible } from './visible.js';

export type PrintedRow = Readonly<Record<string, string | number | boolean | null>>;

/** A table, or one JSON object a line. */
export const printRows = (rows: readonly PrintedRow[], json: boolean): void => {
  if (json) {
    for (const row of rows) process.stdout.write(`${visible(JSON.stringify(row))}\n`);
    return;
  }
  const head = Object.keys(rows[0] ?? { nothing: '' });
  const table = new Table({ head, style: { head: [], border: [] } });
  table.push(...rows.map((row) => head.map((name) => visible(String(row[name] ?? '')))));
  process.stdout.write(`${table.toString()}\n`);
};
