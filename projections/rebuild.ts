import { checkAsked } from '../kernel/asking.js';
import { Fault, reasonOf } from '../kernel/fault.js';
import { start, type Clock, type EventReader, type Position } from '../kernel/ports.js';
import type { Shadow } from '../kernel/documents.js';
import { buildingOf, dropBuilding, type Building, type BuildingNotes } from './building.js';
import {
  earliest,
  fillShadow,
  heardBy,
  type CaughtUp,
  type PageTaken,
  type Filling,
  type Progress,
} from './fill-shadow.js';
import {
  batchEventsMax,
  fail,
  lookAgain,
  movedSubject,
  type Subscription,
} from './subscription.js';
import { nothingSetAside } from './parking.js';
import { measured } from './progress.js';
import type { ReadModel, Sink } from './read-model.js';
import type { Runner, RunNeeds } from './run.js';
import { openThrottle } from './throttle.js';

export type RebuildNeeds = Pick<RunNeeds, 'reader' | 'checkedDecode' | 'parking' | 'bus'> & {
  readonly runner: Runner;
  readonly clock: Clock;
};

type RebuildWork = {
  readonly signal: AbortSignal;
  /** From the first event, whatever was built before. */
  readonly restart: boolean;
  /** Events a second at most; null: as fast as what is live leaves room for. */
  readonly rate: () => number | null;
  readonly progress: (progress: Progress) => void;
};

/**
 * Builds the read model anew, next to the live one, which goes on serving and being fed; then
 * switches. Goes on with the copy that an earlier work left, when it is of this version and of this
 * log, and after a store failed for a moment; else begins with the first event. The runner waits
 * only for the last stretch. What failed to fold before is tried again; what an operator ruled out
 * stays out. Throws when the log has a gap, a store fails for longer or `signal` says to stop; the
 * live model is then as it was, and the copy is left only to a start and to whoever took over.
 * After the switch only notes can fail: the copy is the live model then, and is built once more.
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
      if (failures < failuresMax) await clock.wait(againMs, signal);
      else {
        await dropBuilding(parking, subscription.source).catch(() => null);
        throw error;
      }
    }
  }
};

/** As long as an engine takes to be opened again, or a server to be restarted. */
const failuresMax = 12;
const againMs = 5_000;

/** False: something came that the copy must not outlive, so it is gone and has to be begun anew. */
const build = async (
  needs: RebuildNeeds,
  subscription: Subscription,
  { signal, restart, rate, progress }: RebuildWork,
): Promise<boolean> => {
  const { reader, checkedDecode, parking, runner, clock } = needs;
  const { source } = subscription;
  const { name, version } = source;
  const notes = buildingOf(parking, name);
  const { copy, from, building } =
    (await resumed(needs, source, restart)) ?? (await begun(needs, source));
  const watch = openWatch(reader, source, building.watched);
  const tell = measured(name, clock, from.position, progress, rate);
  let isLive = false;
  try {
    const decode = await checkedDecode();
    const work = (taken: (taken: PageTaken) => Promise<void>): Filling => ({
      reader,
      decode,
      sink: copy.model,
      fence: parking.fence(),
      exceptions: { ...nothingSetAside, skipped: parking.of(name).skipped },
      taking: (page, poisons) =>
        notes.note({ ...building, rate: rate(), page, watched: watch.at() }, poisons),
      taken,
      signal,
    });
    progress({ name, position: from.position, head: await reader.head(), ...noPace });
    await watch.look(from.position);
    let { position: reached } = from;
    const between = (): Promise<void> => watch.look(reached);
    const rest = openThrottle({ clock, rate, lag: () => runner.liveLag(), signal, between });
    const nearly = await fillShadow(
      work(async (taken) => {
        reached = taken.position;
        tell(taken);
        await watch.look(reached);
        await rest(taken.events);
      }),
      from,
      null,
    );
    await runner.exclusively(async () => {
      const last = work(async (taken) => tell(taken));
      const { position, poisons } = await fillShadow(last, nearly, null);
      checkAsked({ signal });
      await switchTo(copy, position, subscription, needs);
      isLive = true;
      await parking.replace(name, [...poisons.values()], clock.now());
      await parking.noteVersion(name, version);
      await notes.forget();
    });
  } catch (error) {
    // Without all of its notes a live one is built once more.
    const isKept = isLive || isPassing(error);
    await (isKept ? copy.leave() : dropped(copy, notes)).catch(() => null);
    if (error === overtaken) return false;
    throw error;
  }
  runner.wake();
  return true;
};

/** What comes is folded onto the copy from here on, whatever fails later. */
const switchTo = async (
  copy: Shadow<Sink>,
  position: Position,
  subscription: Subscription,
  { clock, bus }: Pick<RebuildNeeds, 'clock' | 'bus'>,
): Promise<void> => {
  try {
    await copy.promote();
  } catch (error) {
    // It may have switched all the same.
    await lookAgain(subscription).catch(() => fail(subscription, clock, reasonOf(error)));
    throw error;
  }
  subscription.position = position;
  subscription.trouble = null;
  bus.publish(movedSubject, { name: subscription.source.name, position });
};

const overtaken = new RangeError('what the copy holds was deleted meanwhile');

/** Looks for events that a copy must not outlive: throws `overtaken` when it is not as far. */
const openWatch = (
  reader: Pick<EventReader, 'page'>,
  { purges = [] }: Pick<ReadModel, 'purges'>,
  from: Position,
) => {
  let at = from;
  return {
    at: () => at,
    look: async (reached: Position): Promise<void> => {
      while (purges.length > 0) {
        const { events, through } = await reader.page(at, batchEventsMax, purges);
        if (events.some(({ position }) => position > reached)) throw overtaken;
        if (through <= at) return;
        at = through;
      }
    },
  };
};

const noPace = { events_per_second: 0, eta_seconds: null };

type Begun = {
  readonly copy: Shadow<Sink>;
  readonly from: CaughtUp;
  readonly building: Building;
};

const begun = async (
  { reader, parking, clock }: RebuildNeeds,
  source: ReadModel,
): Promise<Begun> => {
  const watched = await reader.head();
  const notes = buildingOf(parking, source.name);
  const copy = await source.shadow({ lasting: true });
  const { version } = source;
  const building = { copy: copy.id, version, since: clock.now(), rate: null, page: null, watched };
  try {
    await notes.note(building);
  } catch (error) {
    await copy.discard().catch(() => null);
    throw error;
  }
  return { copy, from: { position: start, poisons: new Map() }, building };
};

/** What was begun before; null, and it is no more, when it cannot be gone on with. */
const resumed = async (
  { reader, parking }: RebuildNeeds,
  source: ReadModel,
  restart: boolean,
): Promise<Begun | null> => {
  const notes = buildingOf(parking, source.name);
  const building = notes.known();
  if (building === null) return null;
  const copy = await source.resume(building.copy).catch((error: unknown) => {
    // Another one takes its place.
    if (restart) return null;
    throw error;
  });
  if (copy !== null) {
    const isWanted = !restart && building.version === source.version;
    const position = isWanted ? await soundAt(copy, reader, building) : null;
    if (position !== null) return { copy, from: { position, poisons: notes.poisons() }, building };
    await copy.discard();
  }
  await notes.forget();
  return null;
};

/** How far it is; null: it is not of this log. It is left when that cannot be told. */
const soundAt = async (
  copy: Shadow<Sink>,
  reader: RebuildNeeds['reader'],
  building: Building,
): Promise<Position | null> => {
  try {
    const position = await copy.model.checkpoint();
    const isSound = await isOfLog(reader, building, heardBy(copy.model), position);
    return isSound ? position : null;
  } catch (error) {
    await copy.leave().catch(() => null);
    throw error;
  }
};

/** Whether a copy that is at `position` was folded from this log. */
const isOfLog = async (
  reader: Pick<EventReader, 'head' | 'page'>,
  { page }: Building,
  types: Sink['types'],
  position: CaughtUp['position'],
): Promise<boolean> => {
  if (position > (await reader.head())) return false;
  if (page === null) return position === start;
  return (await firstAfter(reader, page.after, types)) === page.event;
};

const lookEvents = 50;
const firstAfter = async (
  reader: Pick<EventReader, 'page'>,
  after: CaughtUp['position'],
  types: Sink['types'],
): Promise<string | null> => {
  for (let position = after; ;) {
    const { events, erased, through } = await reader.page(position, lookEvents, types);
    const first = earliest([...events, ...erased]);
    if (first !== null || through <= position) return first?.id ?? null;
    position = through;
  }
};

/** The store, the lease or the service itself was in the way, and not what is built. */
const isPassing = (error: unknown): boolean =>
  isFault(error, 'unavailable') || isFault(error, 'conflict');

const isFault = (error: unknown, code: Fault['code']): boolean =>
  error instanceof Fault && error.code === code;

const dropped = async (copy: Shadow<Sink>, notes: BuildingNotes): Promise<void> => {
  await copy.discard();
  await notes.forget();
};
