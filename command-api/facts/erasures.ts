import type { ErasureEvent } from '../../events/erasures.js';
import type { Decide } from '../../kernel/decision.js';
import {
  streamNameOf,
  type EventLog,
  type EventReader,
  type StoredEvent,
  type StreamName,
} from '../../kernel/ports.js';
import {
  emptyStreamState,
  transact,
  type Authorship,
  type CachedFold,
  type StreamState,
} from '../../kernel/transact.js';

/** Streams named in one fact: some 80 KB. */
export const erasedStreamsMax = 1_000;

export const erasureStream = (id: string): StreamName => streamNameOf('erasure', id);

/**
 * The last event of an erasure, which is all that decisions on it need: the stream of a large
 * project names a million streams.
 */
type LastErasureEvent = ErasureEvent | null;
export const lastErasureEventFold = (
  log: EventReader,
): CachedFold<LastErasureEvent, ErasureEvent> => ({
  ...lastEventFold,
  load: async (name): Promise<StreamState<LastErasureEvent>> => {
    const end = await log.last(name);
    const [event] = end === null ? [] : await log.read(name, { from: end.revision });
    if (event === undefined) return emptyStreamState(lastEventFold);
    const { revision, position } = event;
    return { state: event as unknown as StoredEvent & ErasureEvent, revision, position };
  },
});
const lastEventFold: CachedFold<LastErasureEvent, ErasureEvent> = {
  initial: null,
  evolve: (_, event) => event,
};

type StreamsErasedData = Extract<ErasureEvent, { readonly type: 'StreamsErased' }>['data'];

/**
 * Records streams as erased in this stream (contract 5.14, rule 2), unless its last event names
 * them.
 */
export const recordErasedStreams = async (
  log: EventLog,
  name: StreamName,
  of: Omit<StreamsErasedData, 'streams'>,
  streams: readonly StreamName[],
  by: Authorship,
): Promise<void> => {
  for (let from = 0; from < streams.length; from += erasedStreamsMax) {
    const data = { ...of, streams: streams.slice(from, from + erasedStreamsMax) };
    await transact(log, name, lastErasureEventFold(log), recordStreamsErased(data), by);
  }
};

export const recordStreamsErased =
  (data: StreamsErasedData): Decide<LastErasureEvent, ErasureEvent> =>
  (end) => {
    const isRecorded =
      end?.type === 'StreamsErased' && end.data.streams.join('\n') === data.streams.join('\n');
    return isRecorded ? [] : [{ type: 'StreamsErased', data }];
  };
