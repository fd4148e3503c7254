import Database from 'better-sqlite3';
import { existsSync, statSync } from 'node:fs';
import { reasonOf } from '../../kernel/fault.js';
import { isDamage } from './document-damage.js';
import { documentsFile } from './document-store.js';
import { scan, type BadPlace } from './log-scan.js';
import { openForReading, positionOf } from './log-schema.js';

/** What there is to say about a log without mending it. */
export type LogLook = {
  readonly version: string;
  /** Null: as the service sets them. */
  readonly settings: string | null;
  readonly events: string;
  readonly unreadable: readonly BadPlace[];
  /** What is wrong with the file between its events; null: nothing, or it was not looked at. */
  readonly structure: string | null;
};

type Wishes = {
  /** Only the end of the log, not each event. */
  readonly quick: boolean;
  /** A service writes to it: nothing may be read for long at a time. */
  readonly isHeld: boolean;
  readonly tell: (done: number, total: number) => void;
};

const quickEvents = 10_000;
/** More would say no more. */
const toldMax = 1_000;

export const lookAtLog = async (dir: string, { quick, isHeld, tell }: Wishes): Promise<LogLook> => {
  const version = String(new Database(':memory:').prepare('SELECT sqlite_version()').pluck().get());
  try {
    const database = openForReading(dir);
    try {
      return { version, ...(await looked(database, { quick, isHeld, tell })) };
    } finally {
      database.close();
    }
  } catch (error) {
    if (!isDamage(error)) throw error;
    return { version, settings: null, events: '', unreadable: [], structure: reasonOf(error) };
  }
};

const looked = async (database: Database.Database, { quick, isHeld, tell }: Wishes) => {
  const mode = String(database.pragma('journal_mode', { simple: true }));
  const head = Number(database.prepare('SELECT coalesce(max(pos), 0) FROM events').pluck().get());
  const unreadable: BadPlace[] = [];
  let events = 0;
  for (const piece of scan(database, quick ? Math.max(0, head - quickEvents) : 0)) {
    events += piece.rows.length;
    unreadable.push(...piece.unreadable);
    tell(Math.min(piece.through, head), head);
    if (piece.through >= head || unreadable.length >= toldMax) break;
    await new Promise((resolve) => setImmediate(resolve));
  }
  const found =
    isHeld || quick ? 'ok' : String(database.pragma('quick_check(1)', { simple: true }));
  return {
    settings: mode === 'wal' ? null : `journal mode ${mode}`,
    events: `${events} events${quick ? ' at its end' : ''} are as stored, head ${positionOf(head)}`,
    unreadable: unreadable.slice(0, toldMax),
    structure: found === 'ok' ? null : found,
  };
};

export type Look = { readonly found: string; readonly trouble: string | null };

export const lookAtDocuments = (dir: string): Look => {
  const file = documentsFile(dir);
  if (!existsSync(file)) return { found: 'not there yet: built from the log', trouble: null };
  try {
    const database = new Database(file, { readonly: true });
    try {
      const found = String(database.pragma('quick_check(1)', { simple: true }));
      const size = `documents.sqlite, ${Math.ceil(statSync(file).size / 1_048_576)} MiB`;
      return { found: size, trouble: found === 'ok' ? null : found };
    } finally {
      database.close();
    }
  } catch (error) {
    return { found: '', trouble: reasonOf(error) };
  }
};
