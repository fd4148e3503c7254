import type { ChainEntry } from '../../kernel/history/entries.js';
import { shownCause, shownEvent, shownHashes } from '../../kernel/history/shown.js';
import type { JsonObject } from '../../kernel/shapes.js';
import type { EntryTold } from '../../query-api/history/page.js';

/** An entry of a certificate: what its hash goes over, and what it is about (contract 5.14). */
export const collectedEntry = (entry: ChainEntry): JsonObject => ({
  ...shownEvent(entry),
  organization_id: entry.organizationId,
  ...shownCause(entry),
  ...shownHashes(entry),
});

/** An entry for whoever follows all of them: with what it changed, as pages show it. */
export type FollowedEntry = { readonly entry: ChainEntry; readonly told: EntryTold };

const followedEntry = ({ entry, told }: FollowedEntry): JsonObject => {
  const { actor, ...event } = shownEvent(entry);
  const { email, before, after, erased } = told;
  return {
    ...event,
    actor: { ...actor, email },
    organization_id: entry.organizationId,
    ...shownCause(entry),
    before,
    after,
    erased,
    ...shownHashes(entry),
  };
};

/** As CloudEvents 1.0 has events; names of extensions are lower-case letters. */
export const cloudEvent = ({ entry, told }: FollowedEntry, origin: string): JsonObject => ({
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
  data: followedEntry({ entry, told }),
});
