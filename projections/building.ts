import type { Position } from '../kernel/ports.js';
import type { Instant } from '../kernel/shapes.js';
import type { Parking } from './parking.js';
import type { Poison, ReadModel } from './read-model.js';

/** A copy that is being built, as the projector's state names it over a start. */
export type Building = {
  /** The id of the shadow. */
  readonly copy: string;
  /** Of the read model that is built. */
  readonly version: number;
  readonly since: Instant;
  /** Events a second at most; null: as fast as what is live leaves room for. */
  readonly rate: number | null;
  /** Where the page at hand begins; null: nothing was folded. */
  readonly page: PageBegun | null;
  /** Up to here nothing came that the copy must not outlive; see `purges` of a sink. */
  readonly watched: Position;
};
/** The first event after a position: another log has another one there. */
export type PageBegun = { readonly after: Position; readonly event: string };

/** The copy of one read model that is being built, and what could not be folded into it. */
export type BuildingNotes = {
  readonly known: () => Building | null;
  readonly poisons: () => ReadonlyMap<string, Poison>;
  /** Before the copy takes the page in which they are: they must not be forgotten. */
  readonly note: (building: Building, poisons?: readonly Poison[]) => Promise<void>;
  readonly forget: () => Promise<void>;
};

type Notes = Pick<Parking, 'noted' | 'note'>;

export const buildingOf = (parking: Notes, projection: string): BuildingNotes => {
  const key = `building/${projection}`;
  const isOurs = (one: string): boolean => one.startsWith(`${key}/`);
  const poisonKeys = () => [...parking.noted(poisonKind).keys()].filter(isOurs);
  return {
    known: () => (parking.noted(buildingKind).get(key) ?? null) as Building | null,
    poisons: () =>
      new Map(
        poisonKeys().map((one) => {
          const poison = parking.noted(poisonKind).get(one) as Poison;
          return [poison.stream, poison];
        }),
      ),
    note: async (building, poisons = []) => {
      await parking.note(projection, [
        { kind: buildingKind, key, body: building },
        ...poisons.map((body) => ({ kind: poisonKind, key: `${key}/${body.stream}`, body })),
      ]);
    },
    forget: async () => {
      if (parking.noted(buildingKind).get(key) === undefined) return;
      await parking.note(projection, [
        { kind: buildingKind, key, body: null },
        ...poisonKeys().map((one) => ({ kind: poisonKind, key: one, body: null })),
      ]);
    },
  };
};

/** Takes away what was begun before. */
export const dropBuilding = async (parking: Notes, source: ReadModel): Promise<void> => {
  const notes = buildingOf(parking, source.name);
  const building = notes.known();
  if (building === null) return;
  await (await source.resume(building.copy))?.discard();
  await notes.forget();
};

const buildingKind = 'building';
const poisonKind = 'building-poison';
