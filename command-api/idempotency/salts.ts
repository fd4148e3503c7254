import type { IdempotencySaltEvent } from '../../events/idempotency.js';
import { boundedMap } from '../../kernel/bounded-map.js';
import type { Decide, Fold } from '../../kernel/decision.js';
import type { EventLog, Ids } from '../../kernel/ports.js';
import { asConflict, loadStreamState, transact, type Authorship } from '../../kernel/transact.js';
import { saltStream } from '../facts/idempotency.js';
import { serviceAuthorship } from '../work/service-authorship.js';

/**
 * Daily salts of request fingerprints. Without them a hash could be tested with guesses for ever,
 * long after the content was erased. One salt a day, not one a key, bounds the number of erased
 * names.
 */
export type Salts = {
  /**
   * Today's salt, drawn at first use. Null where it was erased already because a clock was days
   * ahead: then claims are unsalted.
   */
  readonly getOrCreate: (
    day: string,
    cause: Pick<Authorship, 'at' | 'requestId'>,
  ) => Promise<string | null>;
  /** The salt of a day; null once erased. */
  readonly find: (day: string) => Promise<string | null>;
};

const saltFold: Fold<string | null, IdempotencySaltEvent> = {
  initial: null,
  evolve: (_, { data }) => data.salt,
};

/** Draws a day's salt; the first writer wins. */
export const recordSalt =
  (drawn: string): Decide<string | null, IdempotencySaltEvent> =>
  (known) =>
    known === null ? [{ type: 'IdempotencySaltDrawn', data: { salt: drawn } }] : [];

/** Claims live for a day, and clocks differ. */
const cachedSaltsMax = 4;

export const openSalts = (log: EventLog, ids: Ids): Salts => {
  const cached = boundedMap<string, string>(cachedSaltsMax);
  const cache = (day: string, found: string | null): string | null => {
    if (found !== null) cached.set(day, found);
    return found;
  };
  return {
    getOrCreate: async (day, { at, requestId }) => {
      const found = cached.get(day);
      if (found !== undefined) return found;
      const author = serviceAuthorship(
        { clock: { now: () => at }, ids },
        null,
        requestId,
        ids.next('Salt'),
      );
      const decide = recordSalt(ids.next('Salt'));
      const drawn = await transact(log, saltStream(day), saltFold, decide, author).catch(
        asConflict,
      );
      return drawn === 'conflict' ? null : cache(day, drawn.state);
    },
    find: async (day) =>
      cached.get(day) ?? cache(day, (await loadStreamState(log, saltStream(day), saltFold)).state),
  };
};
