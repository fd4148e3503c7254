import { jsonEvent } from '@eventstore/db-client';
import { boundedMap } from '../../kernel/bounded-map.js';
import { openKeyedMutex } from '../../kernel/concurrency.js';
import type { Envelope, Position } from '../../kernel/ports.js';
import type { Connection } from './connection.js';
import { bucketOf, type Bucket, type StreamNaming } from './stream-naming.js';
import { appendBytesMax, derivedUuid } from './stored-event.js';

/** Buckets in memory: a reader goes through them in order, and few read at a time. */
const bucketsMax = 8;

/** Cached part of a bucket: envelopes in log order, up to revision `next` of its stream. */
type BucketContents = { readonly envelopes: readonly Envelope[]; readonly next: number };
const emptyBucket: BucketContents = { envelopes: [], next: 0 };

export type ErasedEnvelopes = ReturnType<typeof openErasedEnvelopes>;

/**
 * Envelopes of erased events. A scavenge removes the server's own copies, so they are stored beside
 * the log, in buckets by position, before the tombstone is written. A duplicate write after a kill
 * is read once.
 */
export const openErasedEnvelopes = (connection: Connection, names: StreamNaming) => {
  const known = new Set<Bucket>();
  /** Buckets that may have more envelopes than are in memory. */
  const grown = new Set<Bucket>();
  const memory = boundedMap<Bucket, BucketContents>(bucketsMax);
  const exclusive = openKeyedMutex<Bucket>();

  const contentsOf = (bucket: Bucket): Promise<readonly Envelope[]> =>
    exclusive([bucket], async () => {
      const before = memory.get(bucket);
      if (before !== undefined && !grown.has(bucket)) return before.envelopes;
      grown.delete(bucket);
      try {
        const contents = await readBucket(
          connection,
          names.envelopesOf(bucket),
          before ?? emptyBucket,
        );
        memory.set(bucket, contents);
        return contents.envelopes;
      } catch (error) {
        grown.add(bucket);
        throw error;
      }
    });

  return {
    /** Stores envelopes durably; returns their buckets. */
    keep: async (envelopes: readonly Envelope[]): Promise<readonly Bucket[]> => {
      const buckets = Map.groupBy(envelopes, ({ position }) => bucketOf(position));
      for (const [bucket, some] of buckets) {
        for (const portion of appendBatches(some)) {
          await appendEnvelopes(connection, names.envelopesOf(bucket), portion);
        }
      }
      return [...buckets.keys()];
    },
    /** Records that these buckets exist and have grown. */
    learn: (buckets: readonly Bucket[]): void => {
      for (const bucket of buckets) {
        known.add(bucket);
        grown.add(bucket);
      }
    },
    /** Envelopes between two positions, `through` included, in log order. */
    between: async (after: Position, through: Position): Promise<readonly Envelope[]> => {
      const [first, last] = [bucketOf(after), bucketOf(through)];
      const found: Envelope[] = [];
      for (const bucket of [...known]
        .filter((bucket) => bucket >= first && bucket <= last)
        .sort()) {
        for (const envelope of await contentsOf(bucket)) {
          const { position } = envelope;
          if (position > after && position <= through) found.push(envelope);
        }
      }
      return found;
    },
    at: async (position: Position): Promise<readonly Envelope[]> => {
      const bucket = bucketOf(position);
      if (!known.has(bucket)) return [];
      return (await contentsOf(bucket)).filter((envelope) => envelope.position === position);
    },
    /** Cached envelopes after a position, within its bucket. */
    after: (position: Position): readonly Envelope[] => {
      const { envelopes } = memory.get(bucketOf(position)) ?? emptyBucket;
      return envelopes.filter((envelope) => envelope.position > position);
    },
  };
};

const readBucket = async (
  { client, read }: Connection,
  name: string,
  { envelopes, next }: BucketContents,
): Promise<BucketContents> => {
  const found = { envelopes: new Map<Position, Envelope>(), next };
  await read(
    () => client.readStream(name, { fromRevision: BigInt(next), requiresLeader: true }),
    () => {
      found.next = next;
      found.envelopes = new Map(envelopes.map((one) => [one.position, one]));
      return ({ event }) => {
        if (event === undefined) return true;
        const { envelopes: kept = [] } = event.data as { readonly envelopes?: readonly Envelope[] };
        for (const envelope of kept) {
          if (!found.envelopes.has(envelope.position)) {
            found.envelopes.set(envelope.position, envelope);
          }
        }
        found.next = Number(event.revision) + 1;
        return true;
      };
    },
  );
  const inOrder = [...found.envelopes.values()].sort((one, other) =>
    one.position < other.position ? -1 : 1,
  );
  return { envelopes: inOrder, next: found.next };
};

/** Splits envelopes into batches that each fit one append. */
const appendBatches = (envelopes: readonly Envelope[]): readonly (readonly Envelope[])[] => {
  const portions: Envelope[][] = [];
  let bytes = Infinity;
  for (const envelope of envelopes) {
    const own = Buffer.byteLength(JSON.stringify(envelope)) + 1;
    if (bytes + own > appendBytesMax) {
      portions.push([]);
      bytes = 0;
    }
    portions.at(-1)?.push(envelope);
    bytes += own;
  }
  return portions;
};

const appendEnvelopes = async (
  { client, write: send, tries }: Connection,
  name: string,
  envelopes: readonly Envelope[],
): Promise<void> => {
  const again = tries();
  const event = jsonEvent({
    id: derivedUuid('kept', ...envelopes.map(({ position }) => position)),
    type: 'EnvelopesKept',
    data: { envelopes: [...envelopes] },
  });
  for (;;) {
    try {
      await send('envelopes', (deadline) =>
        client.appendToStream(name, event, {
          expectedRevision: 'any',
          requiresLeader: true,
          deadline,
        }),
      );
      return;
    } catch (error) {
      await again(error);
    }
  }
};
