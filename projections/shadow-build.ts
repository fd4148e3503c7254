import type { Position } from '../kernel/ports.js';
import type { Instant } from '../kernel/schema-types.js';
import type { Parking } from './parking.js';
import type { Poison, ReadModel } from './read-model.js';

/**
 * A shadow copy that is being built, as recorded in the projector's state, so that a restart can
 * resume it.
 */
export type ShadowBuild = {
  /** The id of the shadow. */
  readonly copy: string;
  /** Version of the read model that is built. */
  readonly version: number;
  readonly since: Instant;
  /** Events a second at most; null: unlimited, but yielding to live lag. */
  readonly rate: number | null;
  /** Start of the current page; null: nothing was folded. */
  readonly page: PageStart | null;
  /** Purge events are excluded up to here; see `purgeTypes` of a sink. */
  readonly purgesCheckedTo: Position;
};
/** A shadow build as stored: a member keeps the name that earlier versions stored it under. */
type StoredBuild = Omit<ShadowBuild, 'purgesCheckedTo'> & { readonly watched: Position };
/**
 * The first event after a position: identifies the log, since another log has another event there.
 */
export type PageStart = { readonly after: Position; readonly event: string };

/** Stored notes about a shadow build, and the poison events found in it. */
export type ShadowBuildNotes = {
  readonly current: () => ShadowBuild | null;
  readonly poisons: () => ReadonlyMap<string, Poison>;
  /** Call before the copy takes the page that contains the poison events: they must not be lost. */
  readonly save: (building: ShadowBuild, poisons?: readonly Poison[]) => Promise<void>;
  readonly clear: () => Promise<void>;
};

type Notes = Pick<Parking, 'notesOf' | 'saveNotes'>;

export const shadowBuildNotes = (parking: Notes, projection: string): ShadowBuildNotes => {
  const key = `building/${projection}`;
  const isOurs = (one: string): boolean => one.startsWith(`${key}/`);
  const poisonKeys = () => [...parking.notesOf(poisonKind).keys()].filter(isOurs);
  return {
    current: () => {
      const stored = parking.notesOf(buildingKind).get(key) as StoredBuild | undefined;
      if (stored === undefined) return null;
      const { watched: purgesCheckedTo, ...building } = stored;
      return { ...building, purgesCheckedTo };
    },
    poisons: () =>
      new Map(
        poisonKeys().map((one) => {
          const poison = parking.notesOf(poisonKind).get(one) as Poison;
          return [poison.stream, poison];
        }),
      ),
    save: async ({ purgesCheckedTo: watched, ...building }, poisons = []) => {
      const body: StoredBuild = { ...building, watched };
      await parking.saveNotes(projection, [
        { kind: buildingKind, key, body },
        ...poisons.map((body) => ({ kind: poisonKind, key: `${key}/${body.stream}`, body })),
      ]);
    },
    clear: async () => {
      if (parking.notesOf(buildingKind).get(key) === undefined) return;
      await parking.saveNotes(projection, [
        { kind: buildingKind, key, body: null },
        ...poisonKeys().map((one) => ({ kind: poisonKind, key: one, body: null })),
      ]);
    },
  };
};

/** Discards a build that was begun before. */
export const dropShadowBuild = async (parking: Notes, source: ReadModel): Promise<void> => {
  const notes = shadowBuildNotes(parking, source.name);
  const building = notes.current();
  if (building === null) return;
  await (await source.resume(building.copy))?.discard();
  await notes.clear();
};

const buildingKind = 'building';
const poisonKind = 'building-poison';
