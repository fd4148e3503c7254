import type { IdempotencySaltEvent } from '../../events/idempotency.js';
import { boundedMap } from '../../kernel/bounded-map.js';
import type { Decide, Fold } from '../../kernel/decision.js';
import type { EventLog, Ids } from '../../kernel/ports.js';
import { asConflict, loadStreamState, transact, type Authorship } from '../../kernel/transact.js';
import { saltStream } from '../facts/idempotency.js';
import { serviceAuthorship } from '../work/service-authorship.js';

/**
 * A hash of a request could be tested with guesses for ever, long after what it said was erased. So
 * there is a secret in it that goes: one a day, not one a key, whose erased names would pile up.
 */
export type Salts = {
  /**
   * The one of today, which is drawn when it is first asked for. Null where it was erased already
   * because a clock was days ahead: then claims have none.
   */
  readonly getOrCreate: (
    day: string,
    cause: Pick<Authorship, 'at' | 'requestId'>,
  ) => Promise<string | null>;
  /** Null once it was erased. */
  readonly find: (day: string) => Promise<string | null>;
};

const saltFold: Fold<string | null, IdempotencySaltEvent> = {
  initial: null,
  evolve: (_, { data }) => data.salt,
};

/** Once a day, whoever is first. */
export const recordSalt =
  (drawn: string): Decide<string | null, IdempotencySaltEvent> =>
  (known) =>
    known === null ? [{ type: 'IdempotencySaltDrawn', data: { salt: drawn } }] : [];

/** Claims count for a day, and clocks differ. */
const cachedSaltsMax = 4;

export const openSalts = (log: EventLog, ids: Ids): Salts => {
  const remembered = boundedMap<string, string>(cachedSaltsMax);
  const noted = (day: string, found: string | null): string | null => {
    if (found !== null) remembered.set(day, found);
    return found;
  };
  return {
    getOrCreate: async (day, { at, requestId }) => {
      const found = remembered.get(day);
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
      return drawn === 'conflict' ? null : noted(day, drawn.state);
    },
    find: async (day) =>
      remembered.get(day) ??
      noted(day, (await loadStreamState(log, saltStream(day), saltFold)).state),
  };
};
