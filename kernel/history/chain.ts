import type { Sha256 } from '../ports.js';

/** What of an event is in its line: all that an entry shows but what changed (contract 5.14). */
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
  /** Lower-case hex, as every hash here. */
  readonly dataDigest: string;
};

/** Stands before the first entry of a chain. */
export const genesisHash = '0'.repeat(64);

/**
 * The hash of an entry, over its line and the hash of the one before it (contract 5.14, rule 2):
 * whoever has the entries can compute it. `seq` counts from 1.
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
