import Table from 'cli-table3';
import { escapeControls } from './terminal-escape.js';

export type PrintedRow = Readonly<Record<string, string | number | boolean | null>>;

/** A table, or one JSON object a line. */
export const printRows = (rows: readonly PrintedRow[], json: boolean): void => {
  if (json) {
    for (const row of rows) process.stdout.write(`${escapeControls(JSON.stringify(row))}\n`);
    return;
  }
  const head = Object.keys(rows[0] ?? { nothing: '' });
  const table = new Table({ head, style: { head: [], border: [] } });
  table.push(...rows.map((row) => head.map((name) => escapeControls(String(row[name] ?? '')))));
  process.stdout.write(`${table.toString()}\n`);
};
