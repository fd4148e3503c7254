import { Fault } from '../kernel/fault.js';
import { logStart } from '../kernel/ports.js';
import { shadowBuildNotes, dropShadowBuild } from './shadow-build.js';
import type { RebuildProgress } from './fill-shadow.js';
import { rebuild, type RebuildNeeds } from './rebuild.js';
import { subscriptionOf } from './runner.js';
import type { Subscription } from './subscription.js';

/** Options of a rebuild. */
export type RebuildRequest = {
  /** Events a second at most; null: unlimited, but yielding to live lag. */
  readonly rate?: number | null;
  /**
   * `resume`: only a rebuild that was begun already; `restart`: from the first event. Absent:
   * resume if possible, otherwise start.
   */
  readonly begin?: 'resume' | 'restart';
};

type RebuildCoordinator = {
  /** Resolves once the new copy is live. Joins a running rebuild of the same read model. */
  readonly rebuild: (
    name: string,
    options: RebuildRequest,
    progress?: (progress: RebuildProgress) => void,
  ) => Promise<void>;
  /** Resumes rebuilds that an earlier process left. */
  readonly resumeAll: () => Promise<void>;
  /** Null: it is not being rebuilt. */
  readonly progressOf: (name: string) => RebuildProgress | null;
};

type RunningRebuild = {
  rate: number | null;
  latest: RebuildProgress;
  readonly listeners: Set<(progress: RebuildProgress) => void>;
  readonly end: AbortController;
  readonly ended: Promise<void>;
};

/**
 * Single flight per read model: one rebuild at a time, and later requests join the running one.
 * `begin` runs a work until the service stops.
 */
export const openRebuildCoordinator = (
  needs: RebuildNeeds,
  begin: (work: (signal: AbortSignal) => Promise<void>) => Promise<void>,
): RebuildCoordinator => {
  const underWay = new Map<string, RunningRebuild>();
  const begun = (subscription: Subscription, restart: boolean): RunningRebuild => {
    const { name } = subscription.readModel;
    const end = new AbortController();
    const work = (signal: AbortSignal): Promise<void> =>
      rebuild(needs, subscription, {
        signal: AbortSignal.any([signal, end.signal]),
        restart,
        rate: () => one.rate,
        progress: (progress) => {
          one.latest = progress;
          for (const listener of one.listeners) listener(progress);
        },
      });
    const one: RunningRebuild = {
      rate: restart ? null : (shadowBuildNotes(needs.parking, name).current()?.rate ?? null),
      latest: { name, position: logStart, head: logStart, events_per_second: 0, eta_seconds: null },
      listeners: new Set(),
      end,
      // Started asynchronously, so that `one` exists when progress is reported.
      ended: Promise.resolve().then(() => begin(work)),
    };
    underWay.set(name, one);
    const over = (): void => void (underWay.get(name) === one && underWay.delete(name));
    one.ended.then(over, over);
    return one;
  };
  return {
    rebuild: async (name, { rate, begin: mode }, progress) => {
      const subscription = subscriptionOf(needs.runner, name);
      if (mode === 'restart') await cancelRebuild(underWay.get(name));
      const known = underWay.get(name);
      if (mode === 'resume' && known === undefined) requireStartedRebuild(needs, name);
      const one = known ?? begun(subscription, mode === 'restart');
      if (rate !== undefined) one.rate = rate;
      if (progress !== undefined) one.listeners.add(progress);
      if (known !== undefined) progress?.(one.latest);
      try {
        await one.ended;
      } finally {
        if (progress !== undefined) one.listeners.delete(progress);
      }
    },
    resumeAll: async () => {
      for (const subscription of needs.runner.subscriptions) {
        const { readModel } = subscription;
        const building = shadowBuildNotes(needs.parking, readModel.name).current();
        if (building === null || underWay.has(readModel.name)) continue;
        if (building.version !== readModel.version) await dropShadowBuild(needs.parking, readModel);
        // A transient failure leaves the copy to the next start or to an operator.
        else begun(subscription, false).ended.catch(() => null);
      }
    },
    progressOf: (name) => underWay.get(name)?.latest ?? null,
  };
};

const cancelRebuild = async (one: RunningRebuild | undefined): Promise<void> => {
  if (one === undefined) return;
  one.end.abort(new Fault('conflict', 'A new rebuild from the first event was requested'));
  await one.ended.catch(() => null);
};

const requireStartedRebuild = ({ parking }: RebuildNeeds, name: string): void => {
  if (shadowBuildNotes(parking, name).current() !== null) return;
  throw new Fault('conflict', `no unfinished rebuild of ${name} can be resumed: start a new one`);
};
