import type { Envelope } from '../../kernel/ports.js';
import type { ChainedEvent } from './chain.js';
import { systemChain, type ChainName } from './entries.js';

/**
 * Hashed members of an event (contract 5.14, rule 2). An event older than `organization_id` belongs
 * to its chain's organisation.
 */
export const toChainedEvent = (
  { id, type, stream, revision, metadata, digest }: Envelope,
  chain: ChainName,
): ChainedEvent => ({
  eventId: id,
  type,
  schema: metadata.schema,
  stream,
  revision,
  at: metadata.at,
  actor: {
    type: metadata.actor.type === 'service' ? 'system' : metadata.actor.type,
    id: metadata.actor.id,
    role: metadata.actor.role,
  },
  organizationId: chain === systemChain ? (metadata.organization_id ?? null) : chain,
  requestId: metadata.request_id,
  correlationId: metadata.correlation_id,
  causationId: metadata.causation_id,
  dataDigest: digest,
});
