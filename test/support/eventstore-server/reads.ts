import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import messages from '@eventstore/db-client/generated/streams_pb.js';
import { status, type ServerWritableStream } from '@grpc/grpc-js';
import { isSilent, refusalOf, delayOf, type Faults } from './faults.js';
import { lastRevision, type ServerEvent, type Store } from './store.js';
import {
  checkpoint,
  subscriptionConfirmed,
  eventOf,
  statusWithException,
  streamNotFound,
  nameOf,
  streamDeleted,
} from './grpc-messages.js';

type ReadCall = ServerWritableStream<messages.ReadReq, messages.ReadResp>;
type Options = messages.ReadReq.Options;

/** Live events that a real server keeps for a subscriber; a burst beyond drops it. */
const defaultWindow = 32;

type Subscribers = {
  /** Ends every subscription, like a server whose subscribers are too slow. */
  drop: () => number;
  /** Appends of more events than this drop live subscribers; null for never. */
  burstMax: number | null;
};

/** Reads of one stream and of everything, and subscriptions to either. */
export const openReads = (store: Store, faults: Faults) => {
  const live = new Set<() => void>();
  const subscribers: Subscribers = {
    burstMax: null,
    drop: () => {
      const count = live.size;
      for (const drop of live) drop();
      return count;
    },
  };

  const readStream = async (call: ReadCall, options: Options): Promise<void> => {
    const target = options.getStream();
    const name = nameOf(target?.getStreamIdentifier());
    if (isTombstoned(store, name)) throw streamDeleted(name);
    const entries = store.read(name);
    if (entries === null) {
      call.write(streamNotFound(name));
      return;
    }
    const isBackwards = options.getReadDirection() === backwards;
    const from = target?.hasRevision() === true ? BigInt(target.getRevision()) : null;
    const forwards = entries.filter(({ revision }) =>
      isBackwards
        ? from === null || revision <= from
        : target?.hasEnd() !== true && (from === null || revision >= from),
    );
    await send(call, inOrder(forwards, isBackwards), Number(options.getCount()));
  };

  const readAll = async (call: ReadCall, options: Options): Promise<void> => {
    const target = options.getAll();
    const isBackwards = options.getReadDirection() === backwards;
    const text = target?.getPosition()?.getCommitPosition();
    const from = text === undefined ? null : BigInt(text);
    const all = store.all();
    const count = Number(options.getCount());
    const at = from === null ? (isBackwards ? all.length : 0) : indexFrom(all, from);
    requireRecordStart(store, from);
    if (isBackwards) await send(call, all.slice(Math.max(0, at - count), at).toReversed(), count);
    else if (target?.hasEnd() !== true) await send(call, all.slice(at, at + count), count);
  };

  const subscribe = async (call: ReadCall, options: Options): Promise<void> => {
    const target = openTarget(options);
    const waiting: (readonly ServerEvent[])[] = [];
    let wake = (): void => undefined;
    const state = { isDropped: false };
    let isLive = false;
    const drop = (): void => {
      state.isDropped = true;
      wake();
    };
    const unlisten = store.listen((entries) => {
      if (isLive && subscribers.burstMax !== null && entries.length > subscribers.burstMax) drop();
      waiting.push(entries);
      wake();
    });
    live.add(drop);
    call.once('cancelled', () => wake());
    const marks = openCheckpoints(options);
    const pass = async (entries: readonly ServerEvent[]): Promise<void> => {
      for (const entry of entries) {
        if (call.cancelled || state.isDropped) return;
        if (target.wants(entry)) await write(call, eventOf(entry));
        const mark = marks(entry);
        if (mark !== null) await write(call, mark);
        if (target.endsWith(entry)) throw streamDeleted(entry.stream);
      }
    };
    try {
      call.write(subscriptionConfirmed(randomUUID()));
      await pass(target.history(store));
      isLive = true;
      while (!call.cancelled && !state.isDropped) {
        const entries = waiting.shift();
        if (entries !== undefined) await pass(entries);
        else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
      if (state.isDropped)
        throw statusWithException(status.ABORTED, 'Operation timed out: Consumer too slow.');
    } finally {
      unlisten();
      live.delete(drop);
    }
  };

  const answer = async (call: ReadCall): Promise<void> => {
    const options = call.request.getOptions();
    if (options === undefined)
      throw statusWithException(status.INVALID_ARGUMENT, 'options are missing');
    const isSubscription = options.hasSubscription();
    const fault = faults.next(isSubscription ? 'subscribe' : 'read');
    await delayOf(fault);
    if (isSilent(fault)) await once(call, 'cancelled');
    const refusal = refusalOf(fault);
    if (refusal !== null) throw refusal;
    if (isSubscription) await subscribe(call, options);
    else await (options.hasStream() ? readStream : readAll)(call, options);
  };

  return {
    subscribers,
    read: (call: ReadCall): void => {
      answer(call).then(
        () => call.end(),
        (error: unknown) => void call.emit('error', error),
      );
    },
  };
};

/** A position is an offset in a file: a real server reads nothing where no record begins. */
const requireRecordStart = (store: Store, position: bigint | null): void => {
  if (position === null || store.wasEmptied(position)) return;
  const all = store.all();
  if (all[indexFrom(all, position)]?.position === position) return;
  throw statusWithException(status.UNKNOWN, 'Unexpected ReadAllResult: InvalidPosition');
};

const backwards = messages.ReadReq.Options.ReadDirection.BACKWARDS;

/** Index of the first event at or after the position. */
const indexFrom = (all: readonly ServerEvent[], position: bigint): number => {
  let low = 0;
  let high = all.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((all[middle]?.position ?? 0n) >= position) high = middle;
    else low = middle + 1;
  }
  return low;
};

const inOrder = (entries: readonly ServerEvent[], isBackwards: boolean): readonly ServerEvent[] =>
  isBackwards ? entries.toReversed() : entries;

/** The metadata of a tombstoned stream is gone as well. */
const isTombstoned = (store: Store, name: string): boolean =>
  store.isTombstoned(name) || (name.startsWith('$$') && store.isTombstoned(name.slice(2)));

const write = async (call: ReadCall, message: messages.ReadResp): Promise<void> => {
  if (call.cancelled || call.write(message)) return;
  const gone = new AbortController();
  const end = (): void => gone.abort();
  call.once('cancelled', end);
  await once(call, 'drain', { signal: gone.signal }).catch(() => null);
  call.off('cancelled', end);
};

const send = async (
  call: ReadCall,
  entries: readonly ServerEvent[],
  count: number,
): Promise<void> => {
  for (const entry of entries.slice(0, count)) {
    if (call.cancelled) return;
    await write(call, eventOf(entry));
  }
};

/** Target of a subscription, and its start: positions and revisions are exclusive. */
const openTarget = (options: Options) => {
  const one = options.getStream();
  if (one !== undefined) {
    const name = nameOf(one.getStreamIdentifier());
    const after = one.hasRevision() ? BigInt(one.getRevision()) : -1n;
    const wants = (entry: ServerEvent): boolean => entry.stream === name && entry.revision > after;
    return {
      wants,
      endsWith: (entry: ServerEvent): boolean =>
        entry.stream === name && entry.revision === lastRevision,
      history: (store: Store): readonly ServerEvent[] => {
        if (isTombstoned(store, name)) throw streamDeleted(name);
        return one.hasEnd() ? [] : (store.read(name) ?? []).filter(wants);
      },
    };
  }
  const all = options.getAll();
  const text = all?.getPosition()?.getCommitPosition();
  const after = text === undefined ? -1n : BigInt(text);
  const matches = matcherOf(options.getFilter());
  return {
    wants: (entry: ServerEvent): boolean => (entry.position ?? 0n) > after && matches(entry),
    endsWith: (): boolean => false,
    history: (store: Store): readonly ServerEvent[] => {
      requireRecordStart(store, text === undefined ? null : after);
      return all?.hasEnd() === true ? [] : store.all().slice(indexFrom(store.all(), after + 1n));
    },
  };
};

const matcherOf = (
  filter: messages.ReadReq.Options.FilterOptions | undefined,
): ((entry: ServerEvent) => boolean) => {
  if (filter === undefined) return () => true;
  const byStream = filter.getStreamIdentifier();
  const expression = byStream ?? filter.getEventType();
  const prefixes = expression?.getPrefixList() ?? [];
  const regex = expression?.getRegex() ?? '';
  const pattern = regex === '' ? null : new RegExp(regex);
  return (entry) => {
    const text = byStream === undefined ? entry.type : entry.stream;
    return pattern === null ? prefixes.some((one) => text.startsWith(one)) : pattern.test(text);
  };
};

/** Filtered subscriptions regularly receive checkpoints of the search. */
const openCheckpoints = (options: Options) => {
  const filter = options.getFilter();
  const window = filter?.hasMax() === true ? filter.getMax() : defaultWindow;
  const every = window * Math.max(1, filter?.getCheckpointintervalmultiplier() ?? 1);
  let count = 0;
  return (entry: ServerEvent): messages.ReadResp | null => {
    count += 1;
    return filter !== undefined && count % every === 0 ? checkpoint(entry.position ?? 0n) : null;
  };
};
