import type { EventReader, StreamName } from '../../kernel/ports.js';
import { streamsMax } from '../facts/erasures.js';
import { nounsOf, type Deleted, type StreamPrefix } from './reach.js';

/** Streams that one step visits: a few milliseconds. */
const stepStreams = 25;
/** So many first events, of 1 MiB at most, are in memory at once. */
const readAtOnce = 10;

/** The streams that may be what goes, from `visited` on. */
type Way = { readonly nouns: readonly StreamPrefix[]; readonly visited: StreamName | null };
/** A stream and the run or project that it goes with. */
export type Owned = { readonly name: StreamName; readonly owner: string };
/**
 * A visit of all of them for some deletions, by id; true: no write can come after it, so that the
 * deletion is complete with it. Streams of theirs are gathered in `found` until a fact names them,
 * and are `named` until they are erased.
 */
export type Walk = Way & {
  readonly deletions: ReadonlyMap<string, boolean>;
  readonly found: readonly Owned[];
  readonly named: readonly Owned[];
};

/** For all deleted projects, or for all deleted runs of one project. */
export const walkThrough = (deleted: readonly Deleted[], deletions: Walk['deletions']): Walk => ({
  deletions,
  nouns: nounsOf(deleted),
  visited: null,
  found: [],
  named: [],
});

/** A piece of work: streams to erase, which have a fact, or to name in one, or to look for. */
type Piece = { readonly erase: readonly Owned[] } | { readonly name: readonly Owned[] };

/** The next piece, null where the streams looked at gave none yet, and the walk after it. */
export const nextPiece = async (
  log: EventReader,
  walk: Walk,
): Promise<{ readonly piece: Piece | null; readonly rest: Walk } | null> => {
  const { nouns, found, named } = walk;
  if (named.length > 0) {
    const rest = { ...walk, named: named.slice(stepStreams) };
    return { piece: { erase: named.slice(0, stepStreams) }, rest };
  }
  if (found.length + stepStreams > streamsMax || nouns.length === 0) {
    if (found.length === 0) return null;
    return { piece: { name: found }, rest: { ...walk, found: [], named: found } };
  }
  return { piece: null, rest: await lookedOn(log, walk) };
};

const lookedOn = async (log: EventReader, walk: Walk): Promise<Walk> => {
  const [noun, ...others] = walk.nouns;
  if (noun === undefined) return walk;
  const names = await log.streams(noun.prefix, walk.visited, stepStreams);
  const { owner } = noun;
  const theirs =
    owner === null
      ? await owned(log, names, walk.deletions)
      : names.map((name) => ({ name, owner }));
  const found = [...walk.found, ...theirs];
  const last = names.at(-1);
  return last !== undefined && names.length === stepStreams
    ? { ...walk, found, visited: last }
    : { ...walk, found, nouns: others, visited: null };
};

/** Those whose first events name a deleted run or project. */
const owned = async (
  log: EventReader,
  names: readonly StreamName[],
  deletions: Walk['deletions'],
): Promise<readonly Owned[]> => {
  const found: Owned[] = [];
  for (let from = 0; from < names.length; from += readAtOnce) {
    const some = names.slice(from, from + readAtOnce);
    const firsts = await Promise.all(some.map((name) => log.read(name, { limit: 1 })));
    some.forEach((name, at) => {
      const { run_id, project_id } = (firsts[at]?.[0]?.data ?? {}) as Placed;
      const owner = [run_id, project_id].find((id) => id !== undefined && deletions.has(id));
      if (owner !== undefined) found.push({ name, owner });
    });
  }
  return found;
};
type Placed = { readonly run_id?: string; readonly project_id?: string };
