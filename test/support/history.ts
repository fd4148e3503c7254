import { createHash } from 'node:crypto';
import type { HistoryEntry, HistoryPage } from '../../contract/history.js';
import type { Client } from './client.js';

export const sha256Hex = (...parts: readonly (string | Uint8Array)[]): string =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest('hex');

/** The line of contract 5.14, rule 2, from what the interface shows of the entry, and its hash. */
export const hashOf = (entry: HistoryEntry, organization: string | null): string =>
  sha256Hex(
    [
      'assay-history-1',
      entry.prev_hash,
      entry.seq,
      entry.event_id,
      entry.event_type,
      entry.schema_version,
      entry.stream,
      entry.revision,
      entry.at,
      entry.actor.type,
      entry.actor.id,
      entry.actor.role,
      organization ?? '-',
      entry.request_id ?? '-',
      entry.correlation_id ?? '-',
      entry.causation_id ?? '-',
      entry.data_digest,
    ].join('\n'),
  );

/** All pages of a list, in their order, those after `from` where it is given. */
export const allPages = async (
  client: Client,
  path: string,
  query: string,
  from = '',
): Promise<readonly HistoryPage[]> => {
  const pages: HistoryPage[] = [];
  for (let cursor: string | null = from; cursor !== null;) {
    const place: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const { body } = await client.call<HistoryPage>('GET', `${path}?${query}${place}`);
    pages.push(body);
    cursor = body.next_cursor;
  }
  return pages;
};

export const allEntries = async (
  client: Client,
  path: string,
  query: string,
  from = '',
): Promise<readonly HistoryEntry[]> =>
  (await allPages(client, path, query, from)).flatMap(({ entries }) => entries);
