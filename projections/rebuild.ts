import { throwIfAborted } from '../kernel/query-context.js';
import { Fault, redactedReason } from '../kernel/fault.js';
import { logStart, type Clock, type EventReader, type Position } from '../kernel/ports.js';
import type { Shadow } from '../kernel/documents.js';
import {
  shadowBuildNotes,
  dropShadowBuild,
  type ShadowBuild,
  type ShadowBuildNotes,
} from './shadow-build.js';
import {
  earliestEvent,
  fillShadow,
  typesToRead,
  type FillCheckpoint,
  type PageProgress,
  type FillShadowNeeds,
  type RebuildProgress,
} from './fill-shadow.js';
import {
  batchEventsMax,
  failWithBackoff,
  rereadCheckpoint,
  movedSubject,
  type Subscription,
} from './subscription.js';
import { nothingParked } from './parking.js';
import { openProgressMeter } from './progress.js';
import type { ReadModel, Sink } from './read-model.js';
import type { Runner, RunnerNeeds } from './runner.js';
import { openRebuildPacer } from './rebuild-pacing.js';

export type RebuildNeeds = Pick<RunnerNeeds, 'reader' | 'checkedDecode' | 'parking' | 'bus'> & {
  readonly runner: Runner;
  readonly clock: Clock;
};

type RebuildWork = {
  readonly signal: AbortSignal;
  /** Starts from the first event, and discards any copy built before. */
  readonly restart: boolean;
  /** Events a second at most; null: unlimited, but yielding to live lag. */
  readonly rate: () => number | null;
  readonly progress: (progress: RebuildProgress) => void;
};

/**
 * Blue-green rebuild: folds a read model from the log into a shadow copy, while the live one serves
 * and is fed; then promotes the copy. There is no snapshot rebuild: the log has no snapshots, so
 * the fold starts at the first event. Resumes the copy of an earlier rebuild when it has this
 * version and belongs to this log, and after a transient store failure; otherwise starts from the
 * first event. The runner waits only for the last stretch. Events that failed to fold before are
 * retried; skipped ones stay skipped. Throws when the log has a gap, a store fails for longer or
 * `signal` aborts; the live model is then unchanged, and the copy stays only for a restart or for
 * the process that took over. After the promotion only notes can fail: the copy is the live model
 * then, and is rebuilt once more.
 */
export const rebuild = async (
  needs: RebuildNeeds,
  subscription: Subscription,
  work: RebuildWork,
): Promise<void> => {
  const { parking, clock } = needs;
  const { signal } = work;
  for (let failures = 0, restart = work.restart; ; restart = false) {
    try {
      if (await build(needs, subscription, { ...work, restart })) return;
    } catch (error) {
      failures += 1;
      if (signal.aborted || !isFault(error, 'unavailable')) throw error;
      if (failures < failuresMax) await clock.wait(retryDelayMs, signal);
      else {
        await dropShadowBuild(parking, subscription.readModel).catch(() => null);
        throw error;
      }
    }
  }
};

/** Retries for about as long as an engine takes to reopen, or a server to restart. */
const failuresMax = 12;
const retryDelayMs = 5_000;

/**
 * Builds and promotes the copy. Returns false if a purge event arrived that the copy must not
 * outlive: it was discarded and must be started again.
 */
const build = async (
  needs: RebuildNeeds,
  subscription: Subscription,
  { signal, restart, rate, progress }: RebuildWork,
): Promise<boolean> => {
  const { reader, checkedDecode, parking, runner, clock } = needs;
  const { readModel } = subscription;
  const { name, version } = readModel;
  const notes = shadowBuildNotes(parking, name);
  const { copy, from, building } =
    (await resumeBuild(needs, readModel, restart)) ?? (await startBuild(needs, readModel));
  const watch = openPurgeWatch(reader, readModel, building.purgesCheckedTo);
  const report = openProgressMeter(name, clock, from.position, progress, rate);
  let isLive = false;
  try {
    const decode = await checkedDecode();
    const fillNeeds = (afterPage: (page: PageProgress) => Promise<void>): FillShadowNeeds => ({
      reader,
      decode,
      sink: copy.model,
      fence: parking.fence(),
      parkedAndSkipped: { ...nothingParked, skipped: parking.of(name).skipped },
      beforePage: (page, poisons) =>
        notes.save({ ...building, rate: rate(), page, purgesCheckedTo: watch.at() }, poisons),
      afterPage,
      signal,
    });
    progress({ name, position: from.position, head: await reader.head(), ...noSpeed });
    await watch.check(from.position);
    let { position: reached } = from;
    const between = (): Promise<void> => watch.check(reached);
    const pace = openRebuildPacer({ clock, rate, lag: () => runner.liveLag(), signal, between });
    const caughtUp = await fillShadow(
      fillNeeds(async (page) => {
        reached = page.position;
        report(page);
        await watch.check(reached);
        await pace(page.events);
      }),
      from,
      null,
    );
    await runner.exclusively(async () => {
      const last = fillNeeds(async (page) => report(page));
      const { position, poisons } = await fillShadow(last, caughtUp, null);
      throwIfAborted({ signal });
      await promoteShadow(copy, position, subscription, needs);
      isLive = true;
      await parking.replaceParked(name, [...poisons.values()], clock.now());
      await parking.saveVersion(name, version);
      await notes.clear();
    });
  } catch (error) {
    // A promoted copy whose notes are incomplete is rebuilt once more.
    const isKept = isLive || isTransient(error);
    await (isKept ? copy.detach() : discardShadow(copy, notes)).catch(() => null);
    if (error === purgedError) return false;
    throw error;
  }
  runner.wake();
  return true;
};

/**
 * Switches the live read model to the copy: later events are folded onto it, whatever fails
 * afterwards.
 */
const promoteShadow = async (
  copy: Shadow<Sink>,
  position: Position,
  subscription: Subscription,
  { clock, bus }: Pick<RebuildNeeds, 'clock' | 'bus'>,
): Promise<void> => {
  try {
    await copy.promote();
  } catch (error) {
    // The switch may have happened although an error was reported.
    await rereadCheckpoint(subscription).catch(() =>
      failWithBackoff(subscription, clock, redactedReason(error)),
    );
    throw error;
  }
  subscription.position = position;
  subscription.failure = null;
  bus.publish(movedSubject, { name: subscription.readModel.name, position });
};

const purgedError = new RangeError('what the copy holds was deleted meanwhile');

/**
 * Watches for purge events that a copy must not outlive: throws `purgedError` when the copy has not
 * reached one yet.
 */
const openPurgeWatch = (
  reader: Pick<EventReader, 'page'>,
  { purgeTypes = [] }: Pick<ReadModel, 'purgeTypes'>,
  from: Position,
) => {
  let at = from;
  return {
    at: () => at,
    check: async (reached: Position): Promise<void> => {
      while (purgeTypes.length > 0) {
        const { events, through } = await reader.page(at, batchEventsMax, purgeTypes);
        if (events.some(({ position }) => position > reached)) throw purgedError;
        if (through <= at) return;
        at = through;
      }
    },
  };
};

const noSpeed = { events_per_second: 0, eta_seconds: null };

type StartedBuild = {
  readonly copy: Shadow<Sink>;
  readonly from: FillCheckpoint;
  readonly building: ShadowBuild;
};

const startBuild = async (
  { reader, parking, clock }: RebuildNeeds,
  source: ReadModel,
): Promise<StartedBuild> => {
  const purgesCheckedTo = await reader.head();
  const notes = shadowBuildNotes(parking, source.name);
  const copy = await source.shadow({ durable: true });
  const { version } = source;
  const building = {
    copy: copy.id,
    version,
    since: clock.now(),
    rate: null,
    page: null,
    purgesCheckedTo,
  };
  try {
    await notes.save(building);
  } catch (error) {
    await copy.discard().catch(() => null);
    throw error;
  }
  return { copy, from: { position: logStart, poisons: new Map() }, building };
};

/**
 * Resumes the copy of an earlier rebuild; when it cannot be resumed, discards it and returns null.
 */
const resumeBuild = async (
  { reader, parking }: RebuildNeeds,
  source: ReadModel,
  restart: boolean,
): Promise<StartedBuild | null> => {
  const notes = shadowBuildNotes(parking, source.name);
  const building = notes.current();
  if (building === null) return null;
  const copy = await source.resume(building.copy).catch((error: unknown) => {
    // A new copy takes its place.
    if (restart) return null;
    throw error;
  });
  if (copy !== null) {
    const isResumable = !restart && building.version === source.version;
    const position = isResumable ? await resumePosition(copy, reader, building) : null;
    if (position !== null) return { copy, from: { position, poisons: notes.poisons() }, building };
    await copy.discard();
  }
  await notes.clear();
  return null;
};

/**
 * Checkpoint of the copy; null: it belongs to another log. The copy is detached when that cannot be
 * determined.
 */
const resumePosition = async (
  copy: Shadow<Sink>,
  reader: RebuildNeeds['reader'],
  building: ShadowBuild,
): Promise<Position | null> => {
  try {
    const position = await copy.model.checkpoint();
    const isSound = await isOfLog(reader, building, typesToRead(copy.model), position);
    return isSound ? position : null;
  } catch (error) {
    await copy.detach().catch(() => null);
    throw error;
  }
};

/** True if a copy at `position` was folded from this log. */
const isOfLog = async (
  reader: Pick<EventReader, 'head' | 'page'>,
  { page }: ShadowBuild,
  types: Sink['eventTypes'],
  position: FillCheckpoint['position'],
): Promise<boolean> => {
  if (position > (await reader.head())) return false;
  if (page === null) return position === logStart;
  return (await firstEventAfter(reader, page.after, types)) === page.event;
};

const firstPageEvents = 50;
const firstEventAfter = async (
  reader: Pick<EventReader, 'page'>,
  after: FillCheckpoint['position'],
  types: Sink['eventTypes'],
): Promise<string | null> => {
  for (let position = after; ;) {
    const { events, erased, through } = await reader.page(position, firstPageEvents, types);
    const first = earliestEvent([...events, ...erased]);
    if (first !== null || through <= position) return first?.id ?? null;
    position = through;
  }
};

/**
 * True if the store, the lease or a stopping service caused it, and not the content that is built.
 */
const isTransient = (error: unknown): boolean =>
  isFault(error, 'unavailable') || isFault(error, 'conflict');

const isFault = (error: unknown, code: Fault['code']): boolean =>
  error instanceof Fault && error.code === code;

const discardShadow = async (copy: Shadow<Sink>, notes: ShadowBuildNotes): Promise<void> => {
  await copy.discard();
  await notes.clear();
};
