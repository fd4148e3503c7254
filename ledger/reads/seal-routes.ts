import { defaultPageLimit } from '../../contract/envelope.js';
import {
  consistencyComplaints,
  listSealingKeys,
  listSeals,
  proofComplaints,
  proveConsistency,
  proveEntry,
  readCheckpoint,
  sealsComplaints,
  sealsCursor,
} from '../../contract/history-seals.js';
import { readRoute, type Route } from '../../contract/operation.js';
import { Fault } from '../../kernel/fault.js';
import type { Documents } from '../../kernel/documents.js';
import { base64 } from '../chain/checkpoint.js';
import { consistencyRanges, merkleRoot } from '../chain/merkle-tree.js';
import { historyCollection } from '../collection.js';
import { sealList, type ListedSeal } from '../../projections/seal-list.js';
import {
  sealingKeyList,
  sealingKeysScope,
  type ListedSealingKey,
} from '../../projections/sealing-key-list.js';
import { entryProof, type ProofNeeds } from './proof.js';
import { openSpanHashes } from './subtrees.js';

type HistorySealReadNeeds = ProofNeeds & { readonly documents: Documents };

/** Reads that prove the history without trust in the service (contract 5.14). */
export const historySealReads = (needs: HistorySealReadNeeds): readonly Route[] => [
  readingLatestSeal(needs),
  listing(needs),
  listingKeys(needs),
  proving(needs),
  provingConsistency(needs),
];

/** Seals of the organisation smaller than `below`, newest first. */
const sealsBelow = async (
  documents: Documents,
  chain: string,
  below: number | null,
  limit: number,
): Promise<{ readonly seals: readonly ListedSeal[]; readonly more: boolean }> => {
  const found = await documents.find<ListedSeal>(sealList.collection, {
    scope: chain,
    filter:
      below === null ? null : { kind: 'number', column: 'size', operator: 'lt', values: [below] },
    sort: { column: 'size', ascending: false },
    limit,
  });
  return { seals: found.documents.map(({ body }) => body), more: found.more };
};

const readingLatestSeal = ({ documents }: HistorySealReadNeeds): Route =>
  readRoute(readCheckpoint, [sealList.collection], async ({ principal }) => {
    const { seals } = await sealsBelow(documents, principal.organizationId, null, 1);
    const [seal] = seals;
    if (seal === undefined) throw notSealed();
    return { body: seal.note };
  });

const notSealed = (): Fault =>
  new Fault(
    'not-found',
    'The history is not sealed yet: the service seals within ASSAY_SEAL_EVERY of the first event ' +
      '(1 h by default), an operator with `assay audit seal` at once',
  );

const listing = ({ documents }: HistorySealReadNeeds): Route =>
  readRoute(
    listSeals,
    [sealList.collection],
    async ({ query, principal }) => {
      const { cursor, limit = defaultPageLimit } = query;
      const below = sealsCursor(cursor);
      const { seals, more } = await sealsBelow(documents, principal.organizationId, below, limit);
      const last = seals.at(-1);
      const next = more && last !== undefined ? String(last.size) : null;
      return {
        body: {
          seals: seals.map((one) => ({ ...one, witnesses: [...one.witnesses] })),
          next_cursor: next,
        },
      };
    },
    ({ query }) => sealsComplaints(query),
  );

/** Limit of listed keys: there are one, or two with witnesses, for each secret key ever used. */
const keysMax = 1_000;

const listingKeys = ({ documents }: HistorySealReadNeeds): Route =>
  readRoute(listSealingKeys, [sealingKeyList.collection], async () => {
    const found = await documents.find<ListedSealingKey>(sealingKeyList.collection, {
      scope: sealingKeysScope,
      limit: keysMax,
    });
    const keys = found.documents.map(({ body: { kid, jwk, vkey } }) => ({
      ...jwk,
      kid,
      use: 'sig' as const,
      alg: jwk.kty === 'EC' ? ('ES256' as const) : ('EdDSA' as const),
      vkey,
    }));
    return { body: { keys } };
  });

const proving = (needs: HistorySealReadNeeds): Route =>
  readRoute(
    proveEntry,
    [historyCollection, sealList.collection],
    async ({ query, principal, signal }) => {
      const { size } = query;
      const chain = principal.organizationId;
      const { seals } = await sealsBelow(
        needs.documents,
        chain,
        size === undefined ? null : size + 1,
        1,
      );
      const [seal] = seals;
      if (seal === undefined || (size !== undefined && seal.size !== size)) throw notSealed();
      return { body: await entryProof(needs, principal, query, seal, signal) };
    },
    ({ query }) => proofComplaints(query),
  );

const provingConsistency = ({ chains, sha256 }: HistorySealReadNeeds): Route =>
  readRoute(
    proveConsistency,
    [historyCollection],
    async ({ query: { from, to }, principal }) => {
      const chain = principal.organizationId;
      const size = (await chains.head(chain))?.size ?? 0;
      if (to > size) throw new Fault('not-found', `The history has ${size} entries`);
      const hashOf = openSpanHashes({ chains, sha256 }, chain);
      const [fromRoot, toRoot, ...hashes] = await Promise.all(
        [{ from: 0, to: from }, { from: 0, to }, ...consistencyRanges(from, to)].map(hashOf),
      );
      const none = merkleRoot(sha256, []);
      return {
        body: {
          from,
          to,
          from_root: base64(fromRoot ?? none),
          to_root: base64(toRoot ?? none),
          hashes: hashes.map(base64),
        },
      };
    },
    ({ query }) => consistencyComplaints(query),
  );
