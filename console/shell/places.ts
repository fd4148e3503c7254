import { addressCodec, rangeMember, type TimeRange } from '../parts/address.js';

/** A page as the address names it; lists of them have the current one first, then the last left. */
type Place = { readonly path: string; readonly view: string };

const projectIn = ({ path }: Place): string | null => /^\/p\/([^/]+)/.exec(path)?.[1] ?? null;

/** The project at hand: that of the current page, else the one it was opened from; null: none. */
export const projectOf = (places: readonly Place[]): string | null => {
  // The list of all projects leaves the one before.
  const last = places.find((place) => place.path === '/' || projectIn(place) !== null);
  return last === undefined ? null : projectIn(last);
};

const rangeCodec = addressCodec<{ readonly t: TimeRange }>({ t: rangeMember() });
/** Pages of a project that list records of a range, also of the usual one, which is left out. */
const listsOfRange = /^\/p\/[^/]+(?:\/(?:traces|spans|sessions|rate))?$/;
const hasRange = ({ path, view }: Place): boolean =>
  listsOfRange.test(path) || /(?:^|&)t=/.test(view);

/** View with the range that was chosen last in the project, for links to its other pages. */
export const rangeView = (projectId: string | null, places: readonly Place[]): string => {
  const last = places.find((place) => projectIn(place) === projectId && hasRange(place));
  return last === undefined ? '' : rangeCodec.write(rangeCodec.read(last.view));
};
