import type { ChainEntry } from '../../kernel/history/entries.js';
import { causeView, eventView, hashesView } from '../../kernel/history/entry-view.js';
import type { JsonObject } from '../../kernel/schema-types.js';
import type { EntryChanges } from '../../query-api/history/page.js';

/** An entry of a certificate: what its hash goes over, and what it is about (contract 5.14). */
export const certificateEntry = (entry: ChainEntry): JsonObject => ({
  ...eventView(entry),
  organization_id: entry.organizationId,
  ...causeView(entry),
  ...hashesView(entry),
});

/** An entry for whoever follows all of them: with what it changed, as pages show it. */
export type ChangedEntry = { readonly entry: ChainEntry; readonly told: EntryChanges };

const changedEntry = ({ entry, told }: ChangedEntry): JsonObject => {
  const { actor, ...event } = eventView(entry);
  const { email, before, after, erased } = told;
  return {
    ...event,
    actor: { ...actor, email },
    organization_id: entry.organizationId,
    ...causeView(entry),
    before,
    after,
    erased,
    ...hashesView(entry),
  };
};

/** As CloudEvents 1.0 has events; names of extensions are lower-case letters. */
export const cloudEvent = ({ entry, told }: ChangedEntry, origin: string): JsonObject => ({
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
  data: changedEntry({ entry, told }),
});
