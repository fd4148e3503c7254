import type { Instant } from '../../kernel/schema-types.js';
import { systemClock } from '../node/clock.js';
import type { Database } from './database.js';

/** Empties a write-ahead log in the background, so that it keeps no deleted content. */
type WalTruncation = {
  /** Empties it in a while, once for all calls until then. */
  readonly soon: () => void;
  /** Time of the first call whose content may still be there; null: all is gone. */
  readonly since: () => Instant | null;
  readonly end: () => void;
};

/** A log that is read, or that a full disk keeps from being emptied, is tried again later. */
export const openWalTruncation = (
  database: Pick<Database, 'pragma'>,
  afterMs: number,
): WalTruncation => {
  let timer: NodeJS.Timeout | null = null;
  let since: Instant | null = null;
  const isEmptied = (): boolean => {
    try {
      return database.pragma('wal_checkpoint(TRUNCATE)') === 0;
    } catch {
      // An error of a timer would end the thread, and the process with it.
      return false;
    }
  };
  const soon = (): void => {
    since ??= systemClock.now();
    timer ??= setTimeout(() => {
      timer = null;
      if (isEmptied()) since = null;
      else soon();
    }, afterMs).unref();
  };
  return {
    soon,
    since: () => since,
    end: () => {
      if (timer !== null) clearTimeout(timer);
    },
  };
};
