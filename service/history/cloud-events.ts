import type { ChainEntry } from '../../kernel/history/entries.js';
import { shownCause, shownEvent, shownHashes } from '../../kernel/history/shown.js';
import type { JsonObject } from '../../kernel/shapes.js';

/** An entry for collectors: what its hash goes over, and what it is about (contract 5.14). */
export const collectedEntry = (entry: ChainEntry): JsonObject => ({
  ...shownEvent(entry),
  organization_id: entry.organizationId,
  ...shownCause(entry),
  ...shownHashes(entry),
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
