import { checkAsked } from '../kernel/asking.js';
import { Fault } from '../kernel/fault.js';
import { start, type Clock, type EventReader } from '../kernel/ports.js';
import type { Shadow } from '../kernel/documents.js';
import { buildingOf, type Building, type BuildingNotes } from './building.js';
import {
  earliest,
  fillShadow,
  type CaughtUp,
  type PageTaken,
  type Filling,
  type Progress,
} from './fill-shadow.js';
import { movedSubject, type Subscription } from './subscription.js';
import { nothingSetAside } from './parking.js';
import { measured } from './progress.js';
import type { ReadModel, Sink } from './read-model.js';
import type { Runner, RunNeeds } from './run.js';
import { openThrottle } from './throttle.js';

export type RebuildNeeds = Pick<RunNeeds, 'reader' | 'checkedDecode' | 'parking' | 'bus'> & {
  readonly runner: Runner;
  readonly clock: Clock;
};

export type RebuildWork = {
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
 * log; else begins with the first event. The runner waits only for the last stretch. What failed to
 * fold before is tried again; what an operator ruled out stays out. Throws when the log has a gap,
 * a store fails or `signal` says to stop; the live model is then as it was. The copy is left to be
 * gone on with unless it was the log or a fold that failed.
 */
export const rebuild = async (
  needs: RebuildNeeds,
  subscription: Subscription,
  { signal, restart, rate, progress }: RebuildWork,
): Promise<void> => {
  const { reader, checkedDecode, parking, runner, clock, bus } = needs;
  const { source } = subscription;
  const { name, version } = source;
  const notes = buildingOf(parking, name);
  const { copy, from, building } =
    (await resumed(needs, source, restart)) ?? (await begun(needs, source));
  const decode = await checkedDecode();
  const rest = openThrottle({ clock, rate, lag: () => runner.liveLag(), signal });
  const tell = measured(name, clock, from.position, progress, rate);
  const work = (taken: (taken: PageTaken) => Promise<void>): Filling => ({
    reader,
    decode,
    sink: copy.model,
    fence: parking.fence(),
    exceptions: { ...nothingSetAside, skipped: parking.of(name).skipped },
    taking: (page, poisons) => notes.note({ ...building, rate: rate(), page }, poisons),
    taken,
    signal,
  });
  try {
    progress({ name, position: from.position, head: await reader.head(), ...noPace });
    const nearly = await fillShadow(
      work(async (taken) => {
        tell(taken);
        await rest(taken.events);
      }),
      from,
      null,
    );
    await runner.exclusively(async () => {
      const last = work(async (taken) => tell(taken));
      const { position, poisons } = await fillShadow(last, nearly, null);
      checkAsked({ signal });
      await copy.promote();
      await parking.replace(name, [...poisons.values()], clock.now());
      await parking.noteVersion(name, version);
      await notes.forget();
      subscription.position = position;
      subscription.trouble = null;
      bus.publish(movedSubject, { name, position });
    });
  } catch (error) {
    await (isPassing(error) ? copy.leave() : dropped(copy, notes)).catch(() => null);
    throw error;
  }
  runner.wake();
};

const noPace = { events_per_second: 0, eta_seconds: null };

type Begun = {
  readonly copy: Shadow<Sink>;
  readonly from: CaughtUp;
  readonly building: Building;
};

const begun = async ({ parking, clock }: RebuildNeeds, source: ReadModel): Promise<Begun> => {
  const notes = buildingOf(parking, source.name);
  const copy = await source.shadow({ lasting: true });
  const { version } = source;
  const building = { copy: copy.id, version, since: clock.now(), rate: null, page: null };
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
  const copy = await source.resume(building.copy);
  if (copy !== null) {
    const position = await copy.model.checkpoint();
    const isSound = !restart && building.version === source.version;
    if (isSound && (await isOfLog(reader, building, position))) {
      return { copy, from: { position, poisons: notes.poisons() }, building };
    }
    await copy.discard();
  }
  await notes.forget();
  return null;
};

/** Whether a copy that is at `position` was folded from this log. */
const isOfLog = async (
  reader: Pick<EventReader, 'head' | 'page'>,
  { page }: Building,
  position: CaughtUp['position'],
): Promise<boolean> => {
  if (position > (await reader.head())) return false;
  if (page === null) return position === start;
  return (await firstAfter(reader, page.after)) === page.event;
};

const firstAfter = async (
  reader: Pick<EventReader, 'page'>,
  after: CaughtUp['position'],
): Promise<string | null> => {
  for (let position = after; ;) {
    const { events, erased, through } = await reader.page(position, 1);
    const first = earliest([...events, ...erased]);
    if (first !== null || through <= position) return first?.id ?? null;
    position = through;
  }
};

/** The store, the lease or the service itself was in the way, and not what is built. */
const isPassing = (error: unknown): boolean =>
  error instanceof Fault && (error.code === 'unavailable' || error.code === 'conflict');

const dropped = async (copy: Shadow<Sink>, notes: BuildingNotes): Promise<void> => {
  await copy.discard();
  await notes.forget();
};
