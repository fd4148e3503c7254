import { historySealEvents } from '../events/seals.js';
import { unreachable } from '../kernel/decision.js';
import { withCosignature } from '../ledger/chain/checkpoint.js';
import type { Instant } from '../kernel/schema-types.js';
import type { Projection } from './projection.js';

export type ListedSeal = {
  readonly size: number;
  /** Base64, as in the signed note. */
  readonly root: string;
  readonly head_hash: string;
  /** Log position of the last entry that the seal covers. */
  readonly position: string;
  readonly at: Instant;
  /** Signed note with the cosignatures added since. */
  readonly note: string;
  readonly witnesses: readonly string[];
};

/** Seals by size, in the scope of their chain. */
export const sealList: Projection<typeof historySealEvents, ListedSeal> = {
  collection: { name: 'seal_list', version: 1, fields: { size: 'number', created_at: 'date' } },
  events: historySealEvents,
  keys: ({ data }) => [sealKey(data.chain, data.size)],
  evolve: (document, event, key) => {
    const { type, data } = event;
    switch (type) {
      case 'HistorySealed': {
        const { size, root, head_hash, position, note } = data;
        const { at } = event.metadata;
        return {
          key,
          scope: data.chain,
          fields: { size, created_at: at },
          body: { size, root, head_hash, position, at, note, witnesses: [] },
        };
      }
      case 'HistorySealWitnessed': {
        if (document === null) return null;
        const { witness, signature } = data;
        const { body } = document;
        return {
          ...document,
          body: {
            ...body,
            note: withCosignature(body.note, witness, signature),
            witnesses: [...body.witnesses.filter((name) => name !== witness), witness],
          },
        };
      }
      default:
        return unreachable(type);
    }
  },
};

const sealKey = (chain: string, size: number): string => `${chain}/${size}`;
