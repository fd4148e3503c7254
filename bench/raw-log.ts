import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Body } from './bodies.js';

/**
 * Baseline of bare SQLite with the same bytes: one row a trace, one transaction with its sync a
 * request, unique ids, without parsing or responses. Returns traces per second.
 */
export const appendRaw = (dir: string, name: string, bodies: Iterable<Body>): number => {
  const db = new DatabaseSync(join(dir, `${name}.sqlite`));
  db.exec('PRAGMA journal_mode = WAL');
  db.exec('PRAGMA synchronous = FULL');
  db.exec(`CREATE TABLE events (
    position INTEGER PRIMARY KEY, stream TEXT NOT NULL, revision INTEGER NOT NULL,
    id TEXT NOT NULL UNIQUE, data BLOB NOT NULL, UNIQUE (stream, revision))`);
  const insert = db.prepare('INSERT INTO events (stream, revision, id, data) VALUES (?, 0, ?, ?)');
  const begin = db.prepare('BEGIN');
  const commit = db.prepare('COMMIT');
  const append = (traces: readonly { id: string; data: Buffer }[]): void => {
    begin.run();
    for (const { id, data } of traces) insert.run(`trace-${id}`, id, data);
    commit.run();
  };
  let traces = 0;
  let seconds = 0;
  for (const body of bodies) {
    const batch = body.traces.map((data) => ({ id: idOf(data), data }));
    const began = performance.now();
    append(batch);
    seconds += (performance.now() - began) / 1_000;
    traces += batch.length;
  }
  db.close();
  return traces / seconds;
};

const mark = '"id":"';
const idOf = (trace: Buffer): string => {
  const from = trace.indexOf(mark) + mark.length;
  return trace.toString('latin1', from, from + 36);
};
