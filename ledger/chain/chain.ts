import type { Sha256 } from '../../kernel/ports.js';

/** Hashed members of an event: all that an entry shows except what changed (contract 5.14). */
export type ChainedEvent = {
  readonly eventId: string;
  readonly type: string;
  readonly schema: number;
  readonly stream: string;
  readonly revision: number;
  readonly at: string;
  readonly actor: { readonly type: string; readonly id: string; readonly role: string };
  readonly organizationId: string | null;
  readonly requestId: string | null;
  readonly correlationId: string | null;
  readonly causationId: string | null;
  /** Lower-case hex, as all hashes here. */
  readonly dataDigest: string;
};

/** Predecessor hash of the first entry of a chain. */
export const genesisHash = '0'.repeat(64);

/**
 * Hash-chain link: the hash of an entry over its line and the previous hash (contract 5.14, rule
 * 2), which any holder of the entries can compute. `seq` counts from 1.
 */
export const entryHash = (
  sha256: Sha256,
  prevHash: string,
  seq: number,
  event: ChainedEvent,
): Uint8Array => sha256(entryLine(prevHash, seq, event));

const entryLine = (prevHash: string, seq: number, event: ChainedEvent): string =>
  [
    'assay-history-1',
    prevHash,
    seq,
    event.eventId,
    event.type,
    event.schema,
    event.stream,
    event.revision,
    event.at,
    event.actor.type,
    event.actor.id,
    event.actor.role,
    event.organizationId ?? '-',
    event.requestId ?? '-',
    event.correlationId ?? '-',
    event.causationId ?? '-',
    event.dataDigest,
  ].join('\n');
