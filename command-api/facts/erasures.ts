import type { ErasureEvent } from '../../events/erasures.js';
import type { Decide } from '../../kernel/decision.js';
import {
  stream,
  type EventLog,
  type EventReader,
  type Recorded,
  type StreamName,
} from '../../kernel/ports.js';
import {
  nothing,
  transact,
  type Authorship,
  type Folding,
  type Loaded,
} from '../../kernel/transact.js';

/** Of one fact: some 80 KB. */
export const streamsMax = 1_000;

export const erasureStream = (id: string): StreamName => stream('erasure', id);

/**
 * The last event of an erasure, which is all that decisions on it ask for: that of a large project
 * names a million streams.
 */
type End = ErasureEvent | null;
export const endIn = (log: EventReader): Folding<End, ErasureEvent> => ({
  ...ends,
  load: async (name): Promise<Loaded<End>> => {
    const end = await log.last(name);
    const [event] = end === null ? [] : await log.read(name, { from: end.revision });
    if (event === undefined) return nothing(ends);
    const { revision, position } = event;
    return { state: event as unknown as Recorded & ErasureEvent, revision, position };
  },
});
const ends: Folding<End, ErasureEvent> = { initial: null, evolve: (_, event) => event };

type Named = Extract<ErasureEvent, { readonly type: 'StreamsErased' }>['data'];

/** Says in this stream that these go (contract 5.14, rule 2), unless that was its last word. */
export const nameStreams = async (
  log: EventLog,
  name: StreamName,
  of: Omit<Named, 'streams'>,
  streams: readonly StreamName[],
  by: Authorship,
): Promise<void> => {
  for (let from = 0; from < streams.length; from += streamsMax) {
    const data = { ...of, streams: streams.slice(from, from + streamsMax) };
    await transact(log, name, endIn(log), naming(data), by);
  }
};

export const naming =
  (data: Named): Decide<End, ErasureEvent> =>
  (end) => {
    const isSaid =
      end?.type === 'StreamsErased' && end.data.streams.join('\n') === data.streams.join('\n');
    return isSaid ? [] : [{ type: 'StreamsErased', data }];
  };
