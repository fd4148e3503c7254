import type { TraceEvent } from '../../events/traces.js';
import type { Decide } from '../../kernel/decision.js';
import type { Clock, EventLog, StreamName } from '../../kernel/ports.js';
import { transact, type Authorship, type Loaded, type Transacted } from '../../kernel/transact.js';
import { openKeptFolds } from '../facts/kept-folds.js';
import { traces, type Trace } from './trace.js';

type State = Loaded<Trace | null>;

/**
 * Traces as the log has them. What was folded is kept, within bounds, and only brought up to date
 * when it is asked for again: a trace that grows by many requests is not folded from its first
 * event each time.
 */
export type TraceRepository = {
  readonly load: (stream: StreamName) => Promise<State>;
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
  ) => Promise<Transacted<Trace | null, TraceEvent>>;
};

/**
 * Characters of all the traces kept, long texts as fingerprints: some 100 MB of memory. The largest
 * trace that the contract allows, 20,000 spans, takes a quarter of it.
 */
const keptWeightMax = 32_000_000;
/** Contract 5.6, rule 4. */
export const patienceMs = 2_000;
/**
 * After the first look; then twice as long each time, so that what never comes costs eight looks,
 * however much others write meanwhile.
 */
const firstRestMs = 25;

export const openTraceRepository = ({
  log,
  clock,
}: {
  readonly log: EventLog;
  readonly clock: Clock;
}): TraceRepository => {
  const { load, note } = openKeptFolds({
    log,
    fold: traces,
    weightOf: (trace) => trace?.weight ?? 0,
    weightMax: keptWeightMax,
  });

  return {
    load,
    existing: (stream) => {
      const look = async (): Promise<Trace | null> => (await load(stream)).state;
      return awaited(clock, look);
    },
    transact: (stream, decide, authorship) =>
      transact(log, stream, { ...traces, load, note }, decide, authorship),
  };
};

/** Asks until there is an answer, at most as long as the contract lets a client wait. */
export const awaited = async <T>(
  clock: Pick<Clock, 'milliseconds' | 'wait'>,
  ask: () => Promise<T | null>,
): Promise<T | null> => {
  const until = clock.milliseconds() + patienceMs;
  for (let restMs = firstRestMs; ; restMs *= 2) {
    const answer = await ask();
    const left = until - clock.milliseconds();
    if (answer !== null || left <= 0) return answer;
    await clock.wait(Math.min(left, restMs), new AbortController().signal);
  }
};
