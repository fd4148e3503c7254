import type { Freshness } from '../contract/gate.js';
import { Fault } from '../kernel/fault.js';
import type { Bus, Clock, EventReader, Position } from '../kernel/ports.js';
import { movedSubject } from './lane.js';
import { movedTo } from './run.js';

/** A read waits this long at most (contract 1.7). */
export const waitMaxMs = 2_000;
/** Hints may be lost: checkpoints are asked for this often while somebody waits. */
const lookAgainMs = 50;

export type FreshnessNeeds = {
  readonly reader: Pick<EventReader, 'head'>;
  /** By name of the read model: where it is, from the store itself. */
  readonly checkpoints: ReadonlyMap<string, () => Promise<Position>>;
  readonly bus: Bus;
  readonly clock: Clock;
};

/**
 * Remembers how far each read model was seen, from hints and from the stores. A read that finds
 * them all past the head costs one look at the head and nothing else.
 */
export const openFreshness = (needs: FreshnessNeeds): Freshness => {
  const { reader, checkpoints, bus, clock } = needs;
  const seen = new Map<string, Position>();
  const waiting = new Set<AbortController>();
  const note = (name: string, position: Position): void => {
    const known = seen.get(name);
    if (known !== undefined && known >= position) return;
    seen.set(name, position);
    for (const one of waiting) one.abort();
  };
  bus.subscribe(movedSubject, (message) => {
    const moved = movedTo(message);
    if (moved !== null) note(moved.name, moved.position);
  });
  const ask = async (names: readonly string[]): Promise<void> => {
    await Promise.all(
      names.map(async (name) => {
        const checkpoint = checkpoints.get(name);
        if (checkpoint === undefined) throw new RangeError(`no read model is called ${name}`);
        note(name, await checkpoint());
      }),
    );
  };
  const behind = (reads: readonly string[], target: Position): readonly string[] =>
    reads.filter((name) => (seen.get(name) ?? '') < target);
  const reachedBy = (reads: readonly string[], otherwise: Position): Position =>
    reads.reduce<Position>(
      (low, name) => {
        const position = seen.get(name) ?? low;
        return position < low ? position : low;
      },
      seen.get(reads[0] ?? '') ?? otherwise,
    );

  return {
    reached: async (reads, min) => {
      const head = await reader.head();
      const target = min !== null && min > head ? min : head;
      const deadline = clock.milliseconds() + waitMaxMs;
      if (behind(reads, target).length > 0) await ask(reads);
      for (;;) {
        const late = behind(reads, target);
        const left = deadline - clock.milliseconds();
        if (late.length === 0 || left <= 0) break;
        const hint = new AbortController();
        waiting.add(hint);
        await clock.wait(Math.min(lookAgainMs, left), hint.signal);
        waiting.delete(hint);
        // Without a hint the stores are asked: hints can be lost, checkpoints cannot.
        if (!hint.signal.aborted) await ask(late);
      }
      const position = reachedBy(reads, head);
      if (min !== null && position < min) {
        throw new Fault('read-model-behind', 'The read model has not reached X-Min-Position yet', {
          retryAfterSeconds: 1,
        });
      }
      return position;
    },
  };
};
