import { logStart, type Position, type StreamName } from '../../kernel/ports.js';
import type { Connection } from './connection.js';
import type { ErasedEnvelopes } from './erased-envelopes.js';
import type { Bucket, StreamNaming } from './stream-naming.js';
import { envelopeFrom, type ServerPosition, type EsdbEvent, storedFrom } from './stored-event.js';

/** Events read from the server at once. */
const stepMax = 1_000;

/**
 * Stores the envelopes of streams that were erased before envelopes were stored, as far as no
 * scavenge removed their events: one pass through the whole log. Data in parts is gone already, so
 * its digest is of empty data. Returns where they are.
 */
export const migrateEnvelopes = async (
  { client, read }: Connection,
  names: StreamNaming,
  envelopes: ErasedEnvelopes,
  streams: ReadonlySet<StreamName>,
): Promise<{ readonly buckets: readonly Bucket[]; readonly last: Position }> => {
  const buckets = new Set<Bucket>();
  let last = logStart;
  for (let from: ServerPosition | 'start' = 'start'; ;) {
    const step = { found: [] as EsdbEvent[], count: 0, place: null as ServerPosition | null };
    await read(
      () => client.readAll({ fromPosition: from, maxCount: stepMax, requiresLeader: true }),
      () => {
        step.found = [];
        step.count = 0;
        return ({ event }) => {
          step.count += 1;
          if (event === undefined) return true;
          step.place = event.position;
          const stream = names.streamOf(event.streamId);
          const isOld = stream !== null && streams.has(stream);
          const stored = isOld ? storedFrom(stream, event) : null;
          if (stored !== null) step.found.push(stored);
          return true;
        };
      },
    );
    for (const bucket of await envelopes.keep(step.found.map(envelopeFrom))) buckets.add(bucket);
    last = step.found.at(-1)?.position ?? last;
    if (step.place === null || step.count < stepMax) return { buckets: [...buckets], last };
    from = step.place;
  }
};
