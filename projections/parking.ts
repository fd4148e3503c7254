import type { Position, StreamName } from '../kernel/ports.js';
import { projectorStateName, type Collection, type Documents } from '../kernel/documents.js';
import type { Partition } from '../kernel/records/partitions.js';
import type { Instant } from '../kernel/schema-types.js';
import { openFencedWriter, stateDocument, stateScope, type StateWrite } from './fencing.js';
import type { Poison } from './read-model.js';
import type { SkippedEvent } from './skipped-events.js';

/**
 * State of the projector, stored beside the read models. Only the projector writes it; any process
 * may read it.
 */
export const projectorStateCollection: Collection = {
  name: projectorStateName,
  version: 1,
  fields: { kind: 'text', projection: 'text' },
};

/**
 * State of the process that folds one partition of the records, beside the projector of the rest.
 */
export const partitionStateCollection = ({ index, count }: Partition): Collection => ({
  ...projectorStateCollection,
  name: `${projectorStateName}_${index}of${count}`,
});

/**
 * A parked stream (dead letter): one projection has stopped folding it, from its poison event at
 * `revision` on, until an operator decides to retry or skip.
 */
export type ParkedStream = {
  readonly projection: string;
  readonly stream: StreamName;
  readonly revision: number;
  readonly position: Position;
  /** Absent from streams that an earlier version parked, like `frames`. */
  readonly event_id?: string;
  readonly event_type: string;
  readonly reason: string;
  /** Stack frames of the failure, innermost first. */
  readonly frames?: readonly string[];
  /** Number of attempts: one when the event failed, one more with each retry. */
  readonly attempts: number;
  readonly parked_at: Instant;
};

/** Parked streams and skipped events of one projection. */
export type ParkedAndSkipped = {
  readonly parked: ReadonlyMap<StreamName, ParkedStream>;
  /** `<stream>@<revision>` of events that an operator skipped for good. */
  readonly skipped: ReadonlySet<string>;
};
export const nothingParked: ParkedAndSkipped = { parked: new Map(), skipped: new Set() };

type StateNote = { readonly kind: string; readonly key: string; readonly body: unknown };

export type Parking = {
  /** Fencing token: grows with each start, and with each write that repeats a position. */
  fence(): number;
  /** Throws Fault `conflict` when another projector has raised it since. */
  raiseFence(): Promise<number>;
  /** True if another projector has raised it since. */
  isReplaced(): Promise<boolean>;
  /** Version of a projection that the stored rows were folded with, if recorded. */
  version(projection: string): number | null;
  saveVersion(projection: string, version: number): Promise<void>;
  of(projection: string): ParkedAndSkipped;
  /** True unless an event of the stream is parked or skipped: it is folded as it is in the log. */
  readonly followsLog: (projection: string, stream: StreamName) => boolean;
  /** Other notes of one kind, by key. */
  notesOf(kind: string): ReadonlyMap<string, unknown>;
  /** Writes all notes in one step; a null body removes a note. */
  saveNotes(projection: string, notes: readonly StateNote[]): Promise<void>;
  park(projection: string, poison: Poison, at: Instant): Promise<void>;
  unpark(projection: string, stream: StreamName): Promise<void>;
  /** Replaces all parked streams of the projection, after a rebuild. */
  replaceParked(projection: string, poisons: readonly Poison[], at: Instant): Promise<void>;
  /** Records an event that was skipped according to the log. */
  skip(skipped: SkippedEvent): void;
  /**
   * Removes the parked streams and skipped events of the projection, except skipped events that the
   * log lists: the others referred to events of a log that was replaced.
   */
  clear(projection: string): Promise<void>;
};

const listMax = 1_000;
export const skippedKey = (stream: StreamName, revision: number): string => `${stream}@${revision}`;

/**
 * Loads the state that an earlier process left and takes the next fencing token. `loggedSkips`: the
 * skipped events that the log lists. They are not stored here; earlier versions stored them only
 * here.
 */
export const openParking = async (
  documents: Documents,
  loggedSkips: readonly SkippedEvent[],
  state: Collection = projectorStateCollection,
): Promise<Parking> => {
  const known = await loadState(documents, state);
  const { parked, skipped, versions } = known;
  const skipsInLog = [...loggedSkips];
  for (const one of skipsInLog) known.skip(one);
  const { write, ...fencing } = await openFencedWriter(documents, state);
  const park = async (projection: string, poison: Poison, at: Instant): Promise<void> => {
    const { id, stream, revision, position, type, reason, frames } = poison;
    const attempts = (parked.get(projection)?.get(stream)?.attempts ?? 0) + 1;
    const one: ParkedStream = {
      projection,
      stream,
      revision,
      position,
      event_id: id,
      event_type: type,
      reason: reason.slice(0, 1_000),
      frames,
      attempts,
      parked_at: at,
    };
    await write([stateDocument('parked', parkedKey(projection, stream), projection, one)]);
    known.park(one);
  };
  const unpark = async (projection: string, stream: StreamName): Promise<void> => {
    await write([{ key: parkedKey(projection, stream), document: null }]);
    parked.get(projection)?.delete(stream);
  };
  await fencing.raiseFence();
  return {
    ...fencing,
    version: (projection) => versions.get(projection) ?? null,
    saveVersion: async (projection, version) => {
      const body = { projection, version };
      await write([stateDocument('version', `version/${projection}`, projection, body)]);
      versions.set(projection, version);
    },
    ...streamsApart(known),
    ...stateNotes(known, write),
    park,
    unpark,
    replaceParked: async (projection, poisons, at) => {
      const gone = [...(parked.get(projection)?.keys() ?? [])];
      for (const stream of gone) await unpark(projection, stream);
      for (const one of poisons) await park(projection, one, at);
    },
    skip: (one) => {
      skipsInLog.push(one);
      known.skip(one);
    },
    clear: async (projection) => {
      const keys = [
        ...[...(parked.get(projection)?.keys() ?? [])].map((one) => parkedKey(projection, one)),
        ...[...(skipped.get(projection) ?? [])].map((one) => skippedPath(projection, one)),
      ];
      if (keys.length > 0) await write(keys.map((key) => ({ key, document: null })));
      parked.delete(projection);
      skipped.delete(projection);
      for (const one of skipsInLog) if (one.projection === projection) known.skip(one);
    },
  };
};

/** Streams that a projection does not fold as logged. */
const streamsApart = ({ parked, skipped }: LoadedState): Pick<Parking, 'of' | 'followsLog'> => ({
  of: (projection) => ({
    parked: parked.get(projection) ?? nothingParked.parked,
    skipped: skipped.get(projection) ?? nothingParked.skipped,
  }),
  followsLog: (projection, stream) =>
    parked.get(projection)?.has(stream) !== true &&
    skipped
      .get(projection)
      ?.values()
      .some((key) => key.startsWith(`${stream}@`)) !== true,
});

const stateNotes = (
  { notesOf, putNote }: LoadedState,
  write: (writes: readonly StateWrite[]) => Promise<void>,
): Pick<Parking, 'notesOf' | 'saveNotes'> => ({
  notesOf,
  saveNotes: async (projection, notes) => {
    await write(
      notes.map(({ kind, key, body }) =>
        body === null ? { key, document: null } : stateDocument(kind, key, projection, body),
      ),
    );
    for (const one of notes) putNote(one);
  },
});

const parkedKey = (projection: string, stream: StreamName): string =>
  `parked/${projection}/${stream}`;
const skippedPath = (projection: string, key: string): string => `skipped/${projection}/${key}`;

/** Stored state in memory: every page reads it. */
type LoadedState = {
  readonly parked: Map<string, Map<StreamName, ParkedStream>>;
  readonly skipped: Map<string, Set<string>>;
  readonly versions: Map<string, number>;
  readonly park: (one: ParkedStream) => void;
  readonly skip: (one: SkippedEvent) => void;
  readonly notesOf: Parking['notesOf'];
  readonly putNote: (note: StateNote) => void;
};

const loadState = async (documents: Documents, state: Collection): Promise<LoadedState> => {
  const parked: LoadedState['parked'] = new Map();
  const skipped: LoadedState['skipped'] = new Map();
  const versions: LoadedState['versions'] = new Map();
  const others = new Map<string, Map<string, unknown>>();
  const note = ({ kind, key, body }: StateNote): void => {
    const notes = others.get(kind) ?? new Map<string, unknown>();
    if (body === null) notes.delete(key);
    else notes.set(key, body);
    others.set(kind, notes);
  };
  const park = (one: ParkedStream): void => {
    const known = parked.get(one.projection) ?? new Map<StreamName, ParkedStream>();
    parked.set(one.projection, known.set(one.stream, one));
  };
  const skip = ({ projection, stream, revision }: SkippedEvent): void => {
    const known = skipped.get(projection) ?? new Set<string>();
    skipped.set(projection, known.add(skippedKey(stream, revision)));
  };
  for (let offset = 0; ; offset += listMax) {
    const found = await documents.find(state, {
      scope: stateScope,
      sort: { column: 'kind', ascending: true },
      limit: listMax,
      offset,
    });
    for (const { key, fields, body } of found.documents) {
      if (fields['kind'] === 'parked') park(body as ParkedStream);
      else if (fields['kind'] === 'skipped') skip(body as SkippedEvent);
      else if (fields['kind'] === 'version') {
        const { projection, version } = body as { projection: string; version: number };
        versions.set(projection, version);
      } else note({ kind: String(fields['kind']), key, body });
    }
    if (!found.more) break;
  }
  const noted: LoadedState['notesOf'] = (kind) => others.get(kind) ?? new Map<string, unknown>();
  return { parked, skipped, versions, park, skip, notesOf: noted, putNote: note };
};
