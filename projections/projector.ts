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
import { openRebuildCoordinator, type RebuildRequest } from './rebuild-coordinator.js';
import { readSkippedEvents, skippedEventsIn } from './skipped-events.js';
import { verify, type VerificationResult } from './verify.js';
import type { Collection, Documents } from '../kernel/documents.js';
import type { RecordFolding } from '../kernel/records/records.js';
import type { Instant } from '../kernel/schema-types.js';

export type ProjectionStatus = {
  readonly name: string;
  readonly version: number;
  readonly position: Position;
  /** Events not folded yet; beyond 1,000 a lower bound where the log must be read to count. */
  readonly lag_events: number;
  /** Known age of the oldest unfolded event; 0: all are folded. */
  readonly lag_seconds: number;
  readonly parked: number;
  readonly paused: boolean;
  /** Reason for which folding is stalled; null while it proceeds. */
  readonly stalled: string | null;
  /**
   * Reason for which it was emptied at the start, until it reaches the head that the log had at the
   * start; null: it was not emptied, or has caught up.
   */
  readonly rebuilding: string | null;
  /** Progress of the shadow copy that will replace it; null: no rebuild runs. */
  readonly building: RebuildProgress | null;
};

/** Deleted content that is still in the files of this part, and since when. */
export type PendingErasure = {
  readonly where: 'log' | 'documents' | 'records';
  readonly since: Instant;
};

/** Operator interface of the projector. Names are those of collections, and `records`. */
export type Projector = {
  status(): Promise<readonly ProjectionStatus[]>;
  parked(): Promise<readonly ParkedStream[]>;
  /**
   * Folds a parked stream from its poison event on. Returns false if it is parked again, or was not
   * parked.
   */
  retry(name: string, stream: StreamName): Promise<boolean>;
  /** Skips the event for this read model and for good, as recorded in the log; then retries. */
  skip(name: string, stream: StreamName, revision: number): Promise<boolean>;
  pause(name: string): Promise<void>;
  resume(name: string): Promise<void>;
  /**
   * Null: all, one after the other. A rebuild that was begun resumes after a restart from where it
   * was; a second request joins the running one.
   */
  rebuild(
    name: string | null,
    progress?: (progress: RebuildProgress) => void,
    options?: RebuildRequest,
  ): Promise<void>;
  /** Estimates a rebuild without changing anything. */
  dryRun(name: string): Promise<DryRun>;
  verify(
    name: string | null,
    progress?: (progress: RebuildProgress) => void,
  ): Promise<readonly VerificationResult[]>;
  /**
   * Aborts running rebuilds and verifications with Fault `unavailable` and rejects new ones; the
   * read models stay as they were. Resolves when the copies of verifications are gone, and those of
   * rebuilds can be resumed.
   */
  abortWorks(): Promise<void>;
  /** Read model files that still hold deleted content. */
  pendingErasures(): Promise<readonly PendingErasure[]>;
  /** Graceful stop: resolves when the current batch is applied; nothing is folded afterwards. */
  stop(): Promise<void>;
};

/** The projector in its own thread. */
export type LocalProjector = Projector & Pick<Parking, 'followsLog'>;

type ProjectorNeeds = Omit<RunnerNeeds, 'parking' | 'onPage'> & {
  /** The records, where this thread opens them. */
  readonly records?: Pick<RecordFolding, 'erasingSince'> | null;
  /** Read-write: the projector stores its own state there too. */
  readonly documents: Documents;
  /** Collection of its state; absent = that of the only projector of the service. */
  readonly state?: Collection;
};

/**
 * Starts feeding all read models and returns the handle to operate them; resolves once checkpoints
 * are known.
 */
export const openProjector = async (needs: ProjectorNeeds): Promise<LocalProjector> => {
  const parking = await openParking(needs.documents, await readSkippedEvents(needs), needs.state);
  const names = needs.readModels.map(({ name }) => name);
  const onPage = skipDecisionHandler(parking, names, (name, stream) => unpark(name, stream));
  const run: RunnerNeeds = { ...needs, parking, onPage };
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
      // Retry at once, from the store's checkpoint: its last write may have been durable.
      if (found.failure !== null) {
        found.failure = { ...found.failure, retryAt: run.clock.milliseconds() };
      }
      runner.wake();
    },
    rebuild: async (name, progress, options = {}) => {
      for (const one of name === null ? names : [name]) {
        await rebuilds.rebuild(one, options, progress);
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
    followsLog: parking.followsLog,
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

/** Retries streams whose skip was recorded before a crash. */
const resumeSkips = async (
  parking: Parking,
  names: readonly string[],
  unpark: (name: string, stream: StreamName) => Promise<boolean>,
): Promise<void> => {
  for (const name of names) {
    const { parked, skipped } = parking.of(name);
    const resumable = [...parked.values()].filter(({ stream, revision }) =>
      skipped.has(skippedKey(stream, revision)),
    );
    // A batch that the store refuses stays parked.
    for (const { stream } of resumable) await unpark(name, stream).catch(() => null);
  }
};

/**
 * Applies skip decisions found in the log, which an operator may have made in another process with
 * the same read model.
 */
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
      // A batch that the store refuses stays parked.
      if (parked.has(stream)) void unpark(projection, stream).catch(() => null);
    }
  };

/** Adds the id of its event, which earlier versions did not record. */
const withEventId = async (
  reader: RunnerNeeds['reader'],
  one: ParkedStream,
): Promise<ParkedStream> => {
  if (one.event_id !== undefined) return one;
  const [event] = await reader.read(one.stream, { from: one.revision, limit: 1 });
  return event === undefined ? one : { ...one, event_id: event.id };
};

/** Runs operator work that may last for minutes, and aborts it when the service stops. */
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
 * Rebuilds read models folded by an older version. A collection has its version in its name, rows
 * of Records do not. Resolves at once; the live rows serve until the new ones are there.
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
    // A failure keeps the old version recorded, so that the next start retries.
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
  // The checkpoint stays; only a newer fencing token lets a store take the same position again.
  const { position } = subscription;
  await folded.apply({ position, fence: await parking.raiseFence(), after: position });
  // Once the stream is not parked any more, these events come from nowhere else.
  await subscription.readModel.flush?.();
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
  // Most read models are at one position: its lag is read once.
  const lags = new Map<Position, Promise<Lag>>();
  const lagAt = (position: Position): Promise<Lag> => {
    const known = lags.get(position) ?? lagAfter(reader, position);
    lags.set(position, known);
    return known;
  };
  return Promise.all(
    subscriptions.map(async ({ readModel, position, paused, failure, refill }) => {
      const { oldest, events } = position < head ? await lagAt(position) : noLag;
      const seenAt = oldest === undefined ? now : positionClock.reachedAt(oldest.position);
      // For an event older than this process, its age is that of its request.
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
        stalled: failure?.reason ?? null,
        rebuilding: refill !== null && position < refill.until ? refill.reason : null,
        building: progressOf(readModel.name),
      };
    }),
  );
};

/** Lag of a read model at some position. */
type Lag = { readonly oldest: StoredEvent | undefined; readonly events: number };
const noLag: Lag = { oldest: undefined, events: 0 };

const lagAfter = async (reader: RunnerNeeds['reader'], position: Position): Promise<Lag> => {
  const [{ events }, count] = await Promise.all([reader.page(position, 1), reader.lag(position)]);
  return { oldest: events[0], events: count };
};
