import type { Instant } from '../../kernel/schema-types.js';
import type { ChainEntry } from './entries.js';

/**
 * Public view of an entry, by the names of contract 5.14; pages, proofs, feeds and bundles put
 * their own members between these, in this order.
 */
export const eventView = (entry: ChainEntry) => ({
  seq: entry.seq,
  position: entry.position,
  at: entry.at as Instant,
  event_id: entry.eventId,
  event_type: entry.type,
  schema_version: entry.schema,
  stream: entry.stream,
  revision: entry.revision,
  actor: { type: entry.actor.type, id: entry.actor.id, role: entry.actor.role },
  resource: { type: entry.resource.type, id: entry.resource.id },
  project_id: entry.projectId,
});

export const causeView = ({ requestId, correlationId, causationId }: ChainEntry) => ({
  request_id: requestId,
  correlation_id: correlationId,
  causation_id: causationId,
});

export const hashesView = ({ dataDigest, prevHash, hash }: ChainEntry) => ({
  data_digest: dataDigest,
  prev_hash: prevHash,
  hash,
});
