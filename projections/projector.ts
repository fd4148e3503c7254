import { throwIfAborted } from '../kernel/query-context.js';
import { Fault } from '../kernel/fault.js';
import { logStart, type Position, type StoredEvent, type StreamName } from '../kernel/ports.js';
import type { RebuildProgress } from './fill-shadow.js';
import { movedSubject, type Subscription } from './subscription.js';
import { openParking, skippedKey, type ParkedStream, type Parking } from './parking.js';
import { decodeEvent } from './page-reader.js';
import { startRunner, subscriptionOf, type Runner, type RunnerNeeds } from './runner.js';
import { skippedType } from './read-model.js';
import { dryRun, type DryRun } from './dry-run.js';
import { openRebuildCoordinator, type RebuildRequest } from './single-rebuild.js';
import { readSkippedEvents, skippedEventsIn } from './skipped-events.js';
import { verify, type VerificationResult } from './verify.js';
import type { Collection, Documents } from '../kernel/documents.js';
import type { Records } from '../kernel/records/records.js';
import type { Instant } from '../kernel/schema-types.js';

export type ProjectionStatus = {
  readonly name: string;
  readonly version: number;
  readonly position: Position;
  /** Events not folded yet; beyond 1,000 a lower bound where the log must be read to count. */
  readonly lag_events: number;
  /** How long the oldest unfolded event is known to have been there; 0: there is none. */
  readonly lag_seconds: number;
  readonly parked: number;
  readonly paused: boolean;
  /** Why it cannot go on; null while it can. */
  readonly stalled: string | null;
  /**
   * Why it was emptied at the start, until it has caught up with the log as of then; null: it was
   * not emptied.
   */
  readonly rebuilding: string | null;
  /** How far the copy is that is built to take its place; null: none is. */
  readonly building: RebuildProgress | null;
};

/** Content that was deleted is still in the files of this part, and since when. */
export type PendingErasure = {
  readonly where: 'log' | 'documents' | 'records';
  readonly since: Instant;
};

/** The projector as an operator sees it. Names are those of collections, and `records`. */
export type Projector = {
  status(): Promise<readonly ProjectionStatus[]>;
  parked(): Promise<readonly ParkedStream[]>;
  /** Folds a parked stream from where it was parked. False: it is parked again, or was not. */
  retry(name: string, stream: StreamName): Promise<boolean>;
  /**
   * Passes the event over, for this read model and for good, since the log says that it is ruled
   * out; then retries.
   */
  skip(name: string, stream: StreamName, revision: number): Promise<boolean>;
  pause(name: string): Promise<void>;
  resume(name: string): Promise<void>;
  /**
   * Null: all, one after the other. What is begun goes on after a restart, as far as it was built,
   * and joins what is under way.
   */
  rebuild(
    name: string | null,
    progress?: (progress: RebuildProgress) => void,
    wishes?: RebuildRequest,
  ): Promise<void>;
  /** What a rebuild would do; nothing changes. */
  dryRun(name: string): Promise<DryRun>;
  verify(
    name: string | null,
    progress?: (progress: RebuildProgress) => void,
  ): Promise<readonly VerificationResult[]>;
  /**
   * Rebuilds and verifications under way end with Fault `unavailable`, and no more of them begin;
   * the read models are as they were. Resolves when the copies of verifications are gone, and those
   * of rebuilds can be resumed.
   */
  abortWorks(): Promise<void>;
  /** Files of read models that still hold content which was deleted. */
  pendingErasures(): Promise<readonly PendingErasure[]>;
  /** Stops, and resolves when the batch at hand is applied: nothing is folded afterwards. */
  stop(): Promise<void>;
};

type ProjectorNeeds = Omit<RunnerNeeds, 'parking' | 'paged'> & {
  /** The records, where this thread has them. */
  readonly records?: Pick<Records, 'erasingSince'> | null;
  /** Read-write: the projector keeps its own state there too. */
  readonly documents: Documents;
  /** Where in them; absent = as the one projector of the service. */
  readonly state?: Collection;
};

/**
 * Starts to feed all sources and returns the handle to operate them; resolves once checkpoints are
 * known.
 */
export const openProjector = async (needs: ProjectorNeeds): Promise<Projector> => {
  const parking = await openParking(needs.documents, await readSkippedEvents(needs), needs.state);
  const names = needs.readModels.map(({ name }) => name);
  const paged = skipDecisionHandler(parking, names, (name, stream) => unpark(name, stream));
  const run: RunnerNeeds = { ...needs, parking, paged };
  const runner = await startRunner(run);
  const all = { ...run, runner };
  const subscription = (name: string): Subscription => subscriptionOf(runner, name);
  const unpark = async (name: string, stream: StreamName): Promise<boolean> => {
    const found = subscription(name);
    const done = await runner.exclusively(() => retryStream(run, found, stream));
    runner.wake();
    return done;
  };
  await resumeSkips(parking, names, unpark);
  const works = openAbortableWorks();
  const rebuilds = openRebuildCoordinator(all, works.begin);
  await rebuildOutdated(run, runner, (name) => rebuilds.rebuild(name, {}));
  await rebuilds.resumeAll();
  return {
    status: () => projectionStatuses(run, runner, rebuilds.progressOf),
    parked: async () =>
      Promise.all(
        names
          .flatMap((name) => [...parking.of(name).parked.values()])
          .map((one) => withEventId(needs.reader, one)),
      ),
    retry: unpark,
    skip: async (name, stream, revision) => {
      parking.skip({ projection: name, stream, revision });
      return unpark(name, stream);
    },
    pause: async (name) => {
      const found = subscription(name);
      await runner.exclusively(async () => {
        found.paused = true;
      });
    },
    resume: async (name) => {
      const found = subscription(name);
      found.paused = false;
      // Tried at once, from where its store is: its last write may have been kept.
      if (found.trouble !== null) {
        found.trouble = { ...found.trouble, retryAt: run.clock.milliseconds() };
      }
      runner.wake();
    },
    rebuild: async (name, progress, wishes = {}) => {
      for (const one of name === null ? names : [name]) {
        await rebuilds.rebuild(one, wishes, progress);
      }
    },
    dryRun: (name) => works.begin((signal) => dryRun(all, subscription(name), signal)),
    verify: (name, progress) =>
      works.begin(async (signal) => {
        const verified: VerificationResult[] = [];
        for (const one of name === null ? names : [name]) {
          verified.push(await verify(all, one, signal, progress));
        }
        return verified;
      }),
    abortWorks: () => works.end(),
    pendingErasures: async () => pendingErasures(needs),
    stop: async () => {
      await works.end();
      await runner.stop();
    },
  };
};

const pendingErasures = ({ documents, records }: ProjectorNeeds): readonly PendingErasure[] => {
  const found = [
    { where: 'documents' as const, since: documents.erasingSince?.() ?? null },
    { where: 'records' as const, since: records?.erasingSince?.() ?? null },
  ];
  return found.flatMap(({ where, since }) => (since === null ? [] : [{ where, since }]));
};

/** A process may die between an operator's decision and what follows from it. */
const resumeSkips = async (
  parking: Parking,
  names: readonly string[],
  unpark: (name: string, stream: StreamName) => Promise<boolean>,
): Promise<void> => {
  for (const name of names) {
    const { parked, skipped } = parking.of(name);
    const due = [...parked.values()].filter(({ stream, revision }) =>
      skipped.has(skippedKey(stream, revision)),
    );
    // What a store refuses stays parked.
    for (const { stream } of due) await unpark(name, stream).catch(() => null);
  }
};

/** An operator may have decided it in another process that has such a read model. */
const skipDecisionHandler =
  (
    parking: Parking,
    names: readonly string[],
    unpark: (name: string, stream: StreamName) => Promise<boolean>,
  ) =>
  (events: readonly StoredEvent[]): void => {
    for (const one of skippedEventsIn(events)) {
      const { projection, stream, revision } = one;
      const { parked, skipped } = parking.of(projection);
      if (!names.includes(projection) || skipped.has(skippedKey(stream, revision))) continue;
      parking.skip(one);
      // What the store refuses stays parked.
      if (parked.has(stream)) void unpark(projection, stream).catch(() => null);
    }
  };

/** With the id of its event, which earlier versions did not note. */
const withEventId = async (
  reader: RunnerNeeds['reader'],
  one: ParkedStream,
): Promise<ParkedStream> => {
  if (one.event_id !== undefined) return one;
  const [event] = await reader.read(one.stream, { from: one.revision, limit: 1 });
  return event === undefined ? one : { ...one, event_id: event.id };
};

/** What an operator asked for may last for minutes: it ends when the service does. */
const openAbortableWorks = () => {
  const ending = new AbortController();
  const { signal } = ending;
  const works = new Set<Promise<unknown>>();
  return {
    begin: async <T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
      throwIfAborted({ signal });
      const begun = work(signal);
      works.add(begun);
      try {
        return await begun;
      } finally {
        works.delete(begun);
      }
    },
    end: async (): Promise<void> => {
      ending.abort(new Fault('unavailable', 'The service is stopping'));
      await Promise.allSettled(works);
    },
  };
};

/**
 * A collection has its version in its name, rows of Records do not: what an older fold made is
 * rebuilt. Resolves at once; the live rows serve until the new ones are there.
 */
const rebuildOutdated = async (
  { parking }: RunnerNeeds,
  runner: Runner,
  again: (name: string) => Promise<void>,
): Promise<void> => {
  for (const { readModel, position } of runner.subscriptions) {
    const { name, version } = readModel;
    const noted = parking.version(name);
    if (noted === version) continue;
    if (noted === null || position === logStart) await parking.saveVersion(name, version);
    // A failure leaves the old version noted, so that the next start tries again.
    else void again(name).catch(() => null);
  }
};

const retryStream = async (
  { parking, reader, decode, clock, bus }: RunnerNeeds,
  subscription: Subscription,
  stream: StreamName,
): Promise<boolean> => {
  const { name } = subscription.readModel;
  const { parked, skipped } = parking.of(name);
  const from = parked.get(stream)?.revision;
  if (from === undefined) return false;
  const events = (await reader.read(stream, { from }))
    .filter(({ position }) => position <= subscription.position)
    .map((event) =>
      skipped.has(skippedKey(stream, event.revision))
        ? { ...event, type: skippedType, data: {} }
        : decodeEvent(event, decode),
    );
  const folded = await subscription.readModel.fold(events, null, []);
  if (folded.gap !== null) return false;
  // The checkpoint stays where it is; only a newer fence lets a store take the same position again.
  const { position } = subscription;
  await folded.apply({ position, fence: await parking.raiseFence(), after: position });
  const [poison] = folded.poisons;
  if (poison === undefined) await parking.unpark(name, stream);
  else await parking.park(name, poison, clock.now());
  bus.publish(movedSubject, { name, position: subscription.position });
  return poison === undefined;
};

const projectionStatuses = async (
  { reader, parking, clock }: RunnerNeeds,
  { subscriptions, positionClock }: Runner,
  progressOf: (name: string) => RebuildProgress | null,
): Promise<readonly ProjectionStatus[]> => {
  const head = await reader.head();
  const now = clock.milliseconds();
  positionClock.recordHead(head, now);
  // Most are at one position: what it lacks is asked for once.
  const lacking = new Map<Position, Promise<Lag>>();
  const lackingAt = (position: Position): Promise<Lag> => {
    const known = lacking.get(position) ?? lagAfter(reader, position);
    lacking.set(position, known);
    return known;
  };
  return Promise.all(
    subscriptions.map(async ({ readModel, position, paused, trouble, refill }) => {
      const { oldest, events } = position < head ? await lackingAt(position) : noLag;
      const seenAt = oldest === undefined ? now : positionClock.reachedAt(oldest.position);
      // What was there before this process is as old as its request.
      const age =
        seenAt === null
          ? Date.parse(clock.now()) - Date.parse(oldest?.metadata.at ?? clock.now())
          : now - seenAt;
      return {
        name: readModel.name,
        version: readModel.version,
        position,
        lag_events: events,
        lag_seconds: Math.max(0, age / 1_000),
        parked: parking.of(readModel.name).parked.size,
        paused,
        stalled: trouble?.reason ?? null,
        rebuilding: refill !== null && position < refill.until ? refill.reason : null,
        building: progressOf(readModel.name),
      };
    }),
  );
};

/** What a read model at some position has not folded yet. */
type Lag = { readonly oldest: StoredEvent | undefined; readonly events: number };
const noLag: Lag = { oldest: undefined, events: 0 };

const lagAfter = async (reader: RunnerNeeds['reader'], position: Position): Promise<Lag> => {
  const [{ events }, count] = await Promise.all([reader.page(position, 1), reader.lag(position)]);
  return { oldest: events[0], events: count };
};
