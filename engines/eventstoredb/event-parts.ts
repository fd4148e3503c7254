import type { Connection } from './connection.js';
import type { StreamNaming } from './stream-naming.js';
import type { EsdbEvent } from './stored-event.js';

/** Loads events with their data, leaving out those that were erased meanwhile. */
export const partsLoader =
  <E>(connection: Connection, names: StreamNaming, as: (stored: EsdbEvent) => E) =>
  async (found: readonly EsdbEvent[]): Promise<readonly E[]> => {
    const all = await Promise.all(found.map((stored) => loadParts(connection, names, stored)));
    return all.flatMap((stored) => (stored === null ? [] : [as(stored)]));
  };

/**
 * Event with its data put together from parts, where it has any; null: erased, the data is gone.
 */
export const loadParts = async (
  { client, read }: Connection,
  names: StreamNaming,
  stored: EsdbEvent,
): Promise<EsdbEvent | null> => {
  const { parts } = stored;
  if (parts === null) return stored;
  const first = Math.min(...parts);
  const bytes = new Map<number, Uint8Array>();
  const outcome = await read(
    () =>
      client.readStream(names.partsOf(stored.stream), {
        fromRevision: BigInt(first),
        maxCount: Math.max(...parts) - first + 1,
        requiresLeader: true,
      }),
    () =>
      ({ event }) => {
        if (event !== undefined) bytes.set(Number(event.revision), event.data as Uint8Array);
        return true;
      },
  );
  if (outcome !== 'read') return null;
  return { ...stored, data: Buffer.concat(parts.map((part) => bytes.get(part) ?? empty)) };
};

const empty = new Uint8Array();
