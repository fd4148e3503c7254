import type { Position } from '../kernel/ports.js';
import type { Instant } from '../kernel/schema-types.js';
import type { Parking } from './parking.js';
import type { Poison, ReadModel } from './read-model.js';

/** A copy that is being built, as the projector's state names it over a start. */
export type ShadowBuild = {
  /** The id of the shadow. */
  readonly copy: string;
  /** Of the read model that is built. */
  readonly version: number;
  readonly since: Instant;
  /** Events a second at most; null: as fast as what is live leaves room for. */
  readonly rate: number | null;
  /** Where the page at hand begins; null: nothing was folded. */
  readonly page: PageStart | null;
  /** Up to here nothing came that the copy must not outlive; see `purges` of a sink. */
  readonly watched: Position;
};
/** The first event after a position: another log has another one there. */
export type PageStart = { readonly after: Position; readonly event: string };

/** The copy of one read model that is being built, and what could not be folded into it. */
export type ShadowBuildNotes = {
  readonly current: () => ShadowBuild | null;
  readonly poisons: () => ReadonlyMap<string, Poison>;
  /** Before the copy takes the page in which they are: they must not be forgotten. */
  readonly save: (building: ShadowBuild, poisons?: readonly Poison[]) => Promise<void>;
  readonly clear: () => Promise<void>;
};

type Notes = Pick<Parking, 'notesOf' | 'saveNotes'>;

export const shadowBuildNotes = (parking: Notes, projection: string): ShadowBuildNotes => {
  const key = `building/${projection}`;
  const isOurs = (one: string): boolean => one.startsWith(`${key}/`);
  const poisonKeys = () => [...parking.notesOf(poisonKind).keys()].filter(isOurs);
  return {
    current: () => (parking.notesOf(buildingKind).get(key) ?? null) as ShadowBuild | null,
    poisons: () =>
      new Map(
        poisonKeys().map((one) => {
          const poison = parking.notesOf(poisonKind).get(one) as Poison;
          return [poison.stream, poison];
        }),
      ),
    save: async (building, poisons = []) => {
      await parking.saveNotes(projection, [
        { kind: buildingKind, key, body: building },
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

/** Takes away what was begun before. */
export const dropShadowBuild = async (parking: Notes, source: ReadModel): Promise<void> => {
  const notes = shadowBuildNotes(parking, source.name);
  const building = notes.current();
  if (building === null) return;
  await (await source.resume(building.copy))?.discard();
  await notes.clear();
};

const buildingKind = 'building';
const poisonKind = 'building-poison';
