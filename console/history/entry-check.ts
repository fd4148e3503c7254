import { entryHash } from '../../ledger/chain/chain.js';
import { fromHex, toHex } from '../../kernel/hex.js';
import { sha256 } from './sha256.js';

/** Members of an entry that its hash goes over (contract 5.14, rule 2), with its content. */
export type CheckedEntry = {
  readonly seq: number;
  readonly event_id: string;
  readonly event_type: string;
  readonly schema_version: number;
  readonly stream: string;
  readonly revision: number;
  readonly at: string;
  readonly actor: { readonly type: string; readonly id: string; readonly role: string };
  readonly organization_id: string | null;
  readonly request_id: string | null;
  readonly correlation_id: string | null;
  readonly causation_id: string | null;
  readonly data_digest: string;
  readonly prev_hash: string;
  readonly hash: string;
};

export type EntryContent = { readonly salt: string | null; readonly data: string | null };

/** True where SHA-256 of the salt and the data is the digest; data is there. */
export const hasDigest = ({ salt, data }: EntryContent, digest: string): boolean =>
  /^([0-9a-f]{2})*$/.test(salt ?? '') && toHex(sha256(fromHex(salt ?? ''), data ?? '')) === digest;

/** True where SHA-256 of the 17 lines is the hash. */
export const hasHash = (entry: CheckedEntry): boolean =>
  toHex(
    entryHash(sha256, entry.prev_hash, entry.seq, {
      eventId: entry.event_id,
      type: entry.event_type,
      schema: entry.schema_version,
      stream: entry.stream,
      revision: entry.revision,
      at: entry.at,
      actor: entry.actor,
      organizationId: entry.organization_id,
      requestId: entry.request_id,
      correlationId: entry.correlation_id,
      causationId: entry.causation_id,
      dataDigest: entry.data_digest,
    }),
  ) === entry.hash;

/** True for a hash in lower-case hex. */
export const isHash = (text: unknown): text is string =>
  typeof text === 'string' && /^[0-9a-f]{64}$/.test(text);
