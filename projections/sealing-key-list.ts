import { sealingKeyEvents, type SealingKeyPublished } from '../events/seals.js';
import { systemChain } from '../ledger/chain/entries.js';
import type { Projection } from './projection.js';

export type ListedSealingKey = SealingKeyPublished;

export const sealingKeysScope = systemChain;

/** All keys that ever signed a seal: each still verifies what it signed. */
export const sealingKeyList: Projection<typeof sealingKeyEvents, ListedSealingKey> = {
  collection: { name: 'sealing_key_list', version: 1, fields: { created_at: 'date' } },
  events: sealingKeyEvents,
  keys: ({ data }) => [data.kid],
  evolve: (document, { data, metadata }, key) =>
    document ?? {
      key,
      scope: sealingKeysScope,
      fields: { created_at: metadata.at },
      body: data,
    },
};
