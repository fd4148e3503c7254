import { beyondHeadFault, type AsOf } from '../contract/as-of.js';
import type { Freshness } from '../contract/request-ports.js';
import type { ChainName, ChainPages } from './chain/entries.js';
import { logStart, type QueryContext, type EventReader, type Position } from '../kernel/ports.js';
import type { Instant } from '../kernel/schema-types.js';
import { historyCollection } from './collection.js';

type AsOfNeeds = {
  readonly log: Pick<EventReader, 'head'>;
  readonly chains: ChainPages;
  readonly freshness: Pick<Freshness, 'waitUntilApplied'>;
};
/** Resolves the `as_of` of a read to a position; all events up to it count, whatever their time. */
export type ResolveAsOf = (
  organization: ChainName,
  asOf: AsOf,
  parameter: 'as_of' | 'at',
  asking?: QueryContext,
) => Promise<Position>;

/**
 * Resolves a position to itself, a date-time to the position of the organisation's last event at or
 * before it, or `logStart` if it has none (contract 5.14, rule 3). Clocks may be set back, so
 * earlier events can have later times. Throws Fault `invalid` for a position after the head, and
 * `read-model-behind` or `read-model-filling` while the history lacks what the log has now.
 */
export const resolveAsOf =
  ({ log, chains, freshness }: AsOfNeeds): ResolveAsOf =>
  async (organization, asOf, parameter, context = {}) => {
    const head = await log.head();
    if ('position' in asOf) {
      if (asOf.position > head) throw beyondHeadFault(parameter);
      return asOf.position;
    }
    await freshness.waitUntilApplied([historyCollection.name], head, context);
    return lastPositionBy(chains, organization, asOf.instant, context);
  };

const lastPositionBy = async (
  chains: ChainPages,
  chain: ChainName,
  to: Instant,
  context: QueryContext,
): Promise<Position> => {
  const query = { ascending: false, limit: 1, technical: true, to };
  for (let at: number | null = null; ;) {
    const { entries, next } = await chains.page(chain, { ...query, at }, context);
    const [entry] = entries;
    if (entry !== undefined) return entry.position;
    if (next === null) return logStart;
    at = next;
  }
};
