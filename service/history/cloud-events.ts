import type { ChainEntry } from '../../kernel/history/entries.js';
import type { JsonObject } from '../../kernel/shapes.js';

/** An entry for collectors: what its hash goes over, and what it is about (contract 5.14). */
export const collectedEntry = (entry: ChainEntry): JsonObject => ({
  seq: entry.seq,
  position: entry.position,
  at: entry.at,
  event_id: entry.eventId,
  event_type: entry.type,
  schema_version: entry.schema,
  stream: entry.stream,
  revision: entry.revision,
  actor: { ...entry.actor },
  resource: { ...entry.resource },
  project_id: entry.projectId,
  organization_id: entry.organizationId,
  request_id: entry.requestId,
  correlation_id: entry.correlationId,
  causation_id: entry.causationId,
  data_digest: entry.dataDigest,
  prev_hash: entry.prevHash,
  hash: entry.hash,
});

/** As CloudEvents 1.0 has events; names of extensions are lower-case letters. */
export const cloudEvent = (entry: ChainEntry, origin: string): JsonObject => ({
  specversion: '1.0',
  id: entry.eventId,
  source: origin,
  type: `assay.${entry.type}.${entry.schema}`,
  subject: `${entry.resource.type}/${entry.resource.id}`,
  time: entry.at,
  datacontenttype: 'application/json',
  partitionkey: entry.stream,
  assayseq: entry.seq,
  assayhash: entry.hash,
  data: collectedEntry(entry),
});
