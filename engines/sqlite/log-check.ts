import type Database from 'better-sqlite3';
import { reasonOf } from '../../kernel/fault.js';
import { isDamage } from './document-damage.js';
import { scan } from './log-scan.js';

/** After a start this long; what is not looked at by then is judged when it is read. */
const lookForMs = 5_000;
/** A file of this size is checked in some milliseconds, indexes included. */
const wholeBytesMax = 16 * 1024 * 1024;

export type Checked = { readonly isOver: boolean; readonly damage: string | null };

/**
 * Looks through what a log has now, from its first event, a piece at each call: between two calls
 * whoever owns the connection can use it.
 */
export const openCheck = (database: Database.Database): (() => Checked) => {
  const began = performance.now();
  const isSmall = bytesOf(database) <= wholeBytesMax;
  const end = endOf(database);
  const pieces = scan(database, 0);
  let through = 0;
  const step = (): Checked => {
    const piece = through >= end ? null : pieces.next();
    if (piece === null || piece.done === true) {
      return { isOver: true, damage: isSmall ? structureOf(database) : null };
    }
    through = piece.value.through;
    const [first] = piece.value.unreadable;
    if (first !== undefined) {
      return { isOver: true, damage: `position ${first.position}: ${first.why}` };
    }
    return { isOver: performance.now() - began > lookForMs, damage: null };
  };
  return () => {
    try {
      return step();
    } catch (error) {
      if (!isDamage(error)) throw error;
      return { isOver: true, damage: reasonOf(error) };
    }
  };
};

/** Where even that cannot be read, everything is looked at. */
const endOf = (database: Database.Database): number => {
  try {
    return Number(database.prepare('SELECT max(pos) FROM events').pluck().get() ?? 0);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return Infinity;
  }
};

const bytesOf = (database: Database.Database): number => {
  const [pages = 0, size = 0] = ['page_count', 'page_size'].map((name) =>
    Number(database.pragma(name, { simple: true })),
  );
  return pages * size;
};

const structureOf = (database: Database.Database): string | null => {
  const found = database.pragma('quick_check(1)', { simple: true });
  return found === 'ok' ? null : String(found);
};
