import type { TraceEvent } from '../../events/traces.js';
import type { Decide } from '../../kernel/decision.js';
import type { Clock, EventLog, StreamName } from '../../kernel/ports.js';
import {
  transact,
  type Authorship,
  type StreamState,
  type TransactResult,
} from '../../kernel/transact.js';
import { openStateCache } from '../facts/state-cache.js';
import { traces, type Trace } from './trace.js';

type LoadedTrace = StreamState<Trace | null>;

/**
 * Cached traces, always as current as the log. A cached trace is caught up with its new events
 * only, so one that grows by many requests is not folded from its first event each time.
 */
export type TraceRepository = {
  readonly load: (stream: StreamName) => Promise<LoadedTrace>;
  /**
   * The trace, polled for up to 2 s since it may be on its way (contract 5.6, rule 4). Null:
   * missing.
   */
  readonly existing: (stream: StreamName) => Promise<Trace | null>;
  /** Transacts like `transact` of the kernel, on the cached state. */
  readonly transact: (
    stream: StreamName,
    decide: Decide<Trace | null, TraceEvent>,
    authorship: Authorship,
  ) => Promise<TransactResult<Trace | null, TraceEvent>>;
};

/**
 * Weight limit of the cache in characters, with long texts as fingerprints: some 100 MB of memory.
 * The largest trace that the contract allows, 20,000 spans, takes a quarter of it.
 */
const cacheWeightMax = 32_000_000;
/** Contract 5.6, rule 4. */
export const waitMaxMs = 2_000;
/**
 * First polling interval, doubled each time (exponential backoff), so that a missing trace costs
 * eight loads, however much is written meanwhile.
 */
const firstPollMs = 25;

export const openTraceRepository = ({
  log,
  clock,
}: {
  readonly log: EventLog;
  readonly clock: Clock;
}): TraceRepository => {
  const { load, store } = openStateCache({
    log,
    fold: traces,
    weightOf: (trace) => trace?.weight ?? 0,
    weightMax: cacheWeightMax,
  });

  return {
    load,
    existing: (stream) => {
      const poll = async (): Promise<Trace | null> => (await load(stream)).state;
      return pollUntilFound(clock, poll);
    },
    transact: (stream, decide, authorship) =>
      transact(log, stream, { ...traces, load, store }, decide, authorship),
  };
};

/** Polls with exponential backoff until a result, at most `waitMaxMs`. */
export const pollUntilFound = async <T>(
  clock: Pick<Clock, 'milliseconds' | 'wait'>,
  find: () => Promise<T | null>,
): Promise<T | null> => {
  const until = clock.milliseconds() + waitMaxMs;
  for (let restMs = firstPollMs; ; restMs *= 2) {
    const answer = await find();
    const left = until - clock.milliseconds();
    if (answer !== null || left <= 0) return answer;
    await clock.wait(Math.min(left, restMs), new AbortController().signal);
  }
};
