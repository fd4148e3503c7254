import type { EventReader, StreamName } from '../../kernel/ports.js';
import { nounsOf, type Deleted, type StreamPrefix } from './reach.js';

/** Streams that one step visits: a few milliseconds. */
const stepStreams = 25;
/** So many first events, of 1 MiB at most, are in memory at once. */
const readAtOnce = 10;

/** The streams that may be what goes, from `visited` on. */
type Way = { readonly nouns: readonly StreamPrefix[]; readonly visited: StreamName | null };
/**
 * A visit of all of them for some deletions, by id; true: no write can come after it, so that the
 * deletion is complete with it.
 */
export type Walk = Way & { readonly deletions: ReadonlyMap<string, boolean> };

/** For all deleted projects, or for all deleted runs of one project. */
export const walkThrough = (deleted: readonly Deleted[], deletions: Walk['deletions']): Walk => ({
  deletions,
  nouns: nounsOf(deleted),
  visited: null,
});

/** Streams, each with whose it is: the run or project that is deleted, or null. */
type Found = readonly { readonly name: StreamName; readonly owner: string | null }[];

/** The next streams of the way, and what of it is left; null at its end. */
export const nextStreams = async (
  log: EventReader,
  { nouns: [noun, ...others], visited, deletions }: Walk,
): Promise<{ readonly found: Found; readonly rest: Way | null }> => {
  if (noun === undefined) return { found: [], rest: null };
  const names = await log.streams(noun.prefix, visited, stepStreams);
  const { owner } = noun;
  const found =
    owner === null ? await owned(log, names, deletions) : names.map((name) => ({ name, owner }));
  const last = names.at(-1);
  if (last !== undefined && names.length === stepStreams) {
    return { found, rest: { nouns: [noun, ...others], visited: last } };
  }
  return { found, rest: others.length === 0 ? null : { nouns: others, visited: null } };
};

/** By the run or the project that their first events name. */
const owned = async (
  log: EventReader,
  names: readonly StreamName[],
  deletions: Walk['deletions'],
): Promise<Found> => {
  const found: { readonly name: StreamName; readonly owner: string | null }[] = [];
  for (let from = 0; from < names.length; from += readAtOnce) {
    const some = names.slice(from, from + readAtOnce);
    const firsts = await Promise.all(some.map((name) => log.read(name, { limit: 1 })));
    some.forEach((name, at) => {
      const { run_id, project_id } = (firsts[at]?.[0]?.data ?? {}) as Placed;
      const owner = [run_id, project_id].find((id) => id !== undefined && deletions.has(id));
      found.push({ name, owner: owner ?? null });
    });
  }
  return found;
};
type Placed = { readonly run_id?: string; readonly project_id?: string };
