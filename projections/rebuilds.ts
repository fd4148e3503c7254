import { Fault } from '../kernel/fault.js';
import { start } from '../kernel/ports.js';
import { buildingOf, dropBuilding } from './building.js';
import type { Progress } from './fill-shadow.js';
import { rebuild, type RebuildNeeds } from './rebuild.js';
import { subscriptionOf } from './run.js';
import type { Subscription } from './subscription.js';

/** How an operator wants a read model rebuilt. */
export type RebuildWishes = {
  /** Events a second at most; null: as fast as what is live leaves room for. */
  readonly rate?: number | null;
  /**
   * `resume`: only what was begun already is gone on with; `restart`: from the first event. Absent:
   * what was begun already, or else from the first event.
   */
  readonly begin?: 'resume' | 'restart';
};

export type Rebuilds = {
  /** Resolves once the read model is the new one. Joins a rebuild of it that is under way. */
  readonly rebuild: (
    name: string,
    wishes: RebuildWishes,
    progress?: (progress: Progress) => void,
  ) => Promise<void>;
  /** Goes on with what an earlier process left. */
  readonly goOn: () => Promise<void>;
  /** Null: it is not being rebuilt. */
  readonly progressOf: (name: string) => Progress | null;
};

type UnderWay = {
  rate: number | null;
  latest: Progress;
  readonly listeners: Set<(progress: Progress) => void>;
  readonly end: AbortController;
  readonly ended: Promise<void>;
};

/**
 * One rebuild of a read model at a time: whoever asks for it meanwhile waits for the one under way.
 * `begin` runs a work until the service stops.
 */
export const openRebuilds = (
  needs: RebuildNeeds,
  begin: (work: (signal: AbortSignal) => Promise<void>) => Promise<void>,
): Rebuilds => {
  const underWay = new Map<string, UnderWay>();
  const begun = (subscription: Subscription, restart: boolean): UnderWay => {
    const { name } = subscription.source;
    const end = new AbortController();
    const work = (signal: AbortSignal): Promise<void> =>
      rebuild(needs, subscription, {
        signal: AbortSignal.any([signal, end.signal]),
        restart,
        rate: () => one.rate,
        progress: (progress) => {
          one.latest = progress;
          for (const listen of one.listeners) listen(progress);
        },
      });
    const one: UnderWay = {
      rate: restart ? null : (buildingOf(needs.parking, name).known()?.rate ?? null),
      latest: { name, position: start, head: start, events_per_second: 0, eta_seconds: null },
      listeners: new Set(),
      end,
      // Later, so that there is one to tell of its progress.
      ended: Promise.resolve().then(() => begin(work)),
    };
    underWay.set(name, one);
    const over = (): void => void (underWay.get(name) === one && underWay.delete(name));
    one.ended.then(over, over);
    return one;
  };
  return {
    rebuild: async (name, { rate, begin: how }, progress) => {
      const subscription = subscriptionOf(needs.runner, name);
      if (how === 'restart') await ended(underWay.get(name));
      const known = underWay.get(name);
      if (how === 'resume' && known === undefined) checkBegun(needs, name);
      const one = known ?? begun(subscription, how === 'restart');
      if (rate !== undefined) one.rate = rate;
      if (progress !== undefined) one.listeners.add(progress);
      if (known !== undefined) progress?.(one.latest);
      try {
        await one.ended;
      } finally {
        if (progress !== undefined) one.listeners.delete(progress);
      }
    },
    goOn: async () => {
      for (const subscription of needs.runner.subscriptions) {
        const { source } = subscription;
        const building = buildingOf(needs.parking, source.name).known();
        if (building === null || underWay.has(source.name)) continue;
        if (building.version !== source.version) await dropBuilding(needs.parking, source);
        // A failure that passes leaves the copy to the next start or to an operator.
        else begun(subscription, false).ended.catch(() => null);
      }
    },
    progressOf: (name) => underWay.get(name)?.latest ?? null,
  };
};

const ended = async (one: UnderWay | undefined): Promise<void> => {
  if (one === undefined) return;
  one.end.abort(new Fault('conflict', 'It was asked for anew, from the first event'));
  await one.ended.catch(() => null);
};

const checkBegun = ({ parking }: RebuildNeeds, name: string): void => {
  if (buildingOf(parking, name).known() !== null) return;
  throw new Fault('conflict', `no rebuild of ${name} was begun that could be resumed`);
};
