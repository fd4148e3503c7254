import type { ChainEntry } from '../chain/entries.js';
import { causeView, eventView, hashesView } from '../chain/entry-view.js';
import type { JsonObject } from '../../kernel/schema-types.js';
import type { EntryChanges } from '../reads/page.js';

/** An entry of a certificate: the hashed members, and the resource it concerns (contract 5.14). */
export const certificateEntry = (entry: ChainEntry): JsonObject => ({
  ...eventView(entry),
  organization_id: entry.organizationId,
  ...causeView(entry),
  ...hashesView(entry),
});

/** An entry with its changes, for subscribers to audit events; like pages show it. */
export type ChangedEntry = { readonly entry: ChainEntry; readonly changes: EntryChanges };

const changedEntry = ({ entry, changes }: ChangedEntry): JsonObject => {
  const { actor, ...event } = eventView(entry);
  const { email, before, after, erased } = changes;
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

/** CloudEvents 1.0 form of an entry; extension names are lower-case letters. */
export const cloudEvent = ({ entry, changes }: ChangedEntry, origin: string): JsonObject => ({
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
  data: changedEntry({ entry, changes }),
});
