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
 * Traces as the log has them. What was folded is kept, within bounds, and only brought up to date
 * when it is asked for again: a trace that grows by many requests is not folded from its first
 * event each time.
 */
export type TraceRepository = {
  readonly load: (stream: StreamName) => Promise<LoadedTrace>;
  /**
   * A trace that may be on its way is waited for, at most 2 s (contract 5.6, rule 4). Null: there
   * is none.
   */
  readonly existing: (stream: StreamName) => Promise<Trace | null>;
  /** As `transact` of the kernel, on what is kept. */
  readonly transact: (
    stream: StreamName,
    decide: Decide<Trace | null, TraceEvent>,
    authorship: Authorship,
  ) => Promise<TransactResult<Trace | null, TraceEvent>>;
};

/**
 * Characters of all the traces kept, long texts as fingerprints: some 100 MB of memory. The largest
 * trace that the contract allows, 20,000 spans, takes a quarter of it.
 */
const keptWeightMax = 32_000_000;
/** Contract 5.6, rule 4. */
export const waitMaxMs = 2_000;
/**
 * After the first look; then twice as long each time, so that what never comes costs eight looks,
 * however much others write meanwhile.
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
    weightMax: keptWeightMax,
  });

  return {
    load,
    existing: (stream) => {
      const look = async (): Promise<Trace | null> => (await load(stream)).state;
      return pollUntilFound(clock, look);
    },
    transact: (stream, decide, authorship) =>
      transact(log, stream, { ...traces, load, store }, decide, authorship),
  };
};

/** Asks until there is an answer, at most as long as the contract lets a client wait. */
export const pollUntilFound = async <T>(
  clock: Pick<Clock, 'milliseconds' | 'wait'>,
  ask: () => Promise<T | null>,
): Promise<T | null> => {
  const until = clock.milliseconds() + waitMaxMs;
  for (let restMs = firstPollMs; ; restMs *= 2) {
    const answer = await ask();
    const left = until - clock.milliseconds();
    if (answer !== null || left <= 0) return answer;
    await clock.wait(Math.min(left, restMs), new AbortController().signal);
  }
};
