import type { EventReader, StreamName } from '../../kernel/ports.js';
import { erasedStreamsMax } from '../facts/erasures.js';
import { streamPrefixesOf, type DeletedContainer, type StreamPrefix } from './stream-prefixes.js';

/** Streams that one step visits: a few milliseconds. */
const stepStreams = 25;
/** So many first events, of 1 MiB at most, are in memory at once. */
const readAtOnce = 10;

/** The streams that may be what goes, from `visited` on. */
type ScanPosition = {
  readonly prefixes: readonly StreamPrefix[];
  readonly visited: StreamName | null;
};
/** A stream and the run or project that it goes with. */
export type OwnedStream = { readonly name: StreamName; readonly owner: string };
/**
 * A visit of all of them for some deletions, by id; true: no write can come after it, so that the
 * deletion is complete with it. Streams of theirs are gathered in `found` until a fact names them,
 * and are `named` until they are erased.
 */
export type StreamScan = ScanPosition & {
  readonly deletions: ReadonlyMap<string, boolean>;
  readonly found: readonly OwnedStream[];
  readonly named: readonly OwnedStream[];
};

/** For all deleted projects, or for all deleted runs of one project. */
export const startStreamScan = (
  deleted: readonly DeletedContainer[],
  deletions: StreamScan['deletions'],
): StreamScan => ({
  deletions,
  prefixes: streamPrefixesOf(deleted),
  visited: null,
  found: [],
  named: [],
});

/** A piece of work: streams to erase, which have a fact, or to name in one, or to look for. */
type ScanStep =
  { readonly erase: readonly OwnedStream[] } | { readonly name: readonly OwnedStream[] };

/** The next piece, null where the streams looked at gave none yet, and the walk after it. */
export const nextScanStep = async (
  log: EventReader,
  walk: StreamScan,
): Promise<{ readonly piece: ScanStep | null; readonly rest: StreamScan } | null> => {
  const { prefixes, found, named } = walk;
  if (named.length > 0) {
    const rest = { ...walk, named: named.slice(stepStreams) };
    return { piece: { erase: named.slice(0, stepStreams) }, rest };
  }
  if (found.length + stepStreams > erasedStreamsMax || prefixes.length === 0) {
    if (found.length === 0) return null;
    return { piece: { name: found }, rest: { ...walk, found: [], named: found } };
  }
  return { piece: null, rest: await scanNextPage(log, walk) };
};

const scanNextPage = async (log: EventReader, walk: StreamScan): Promise<StreamScan> => {
  const [noun, ...others] = walk.prefixes;
  if (noun === undefined) return walk;
  const names = await log.streams(noun.prefix, walk.visited, stepStreams);
  const { owner } = noun;
  const theirs =
    owner === null
      ? await streamsOfDeleted(log, names, walk.deletions)
      : names.map((name) => ({ name, owner }));
  const found = [...walk.found, ...theirs];
  const last = names.at(-1);
  return last !== undefined && names.length === stepStreams
    ? { ...walk, found, visited: last }
    : { ...walk, found, prefixes: others, visited: null };
};

/** Those whose first events name a deleted run or project. */
const streamsOfDeleted = async (
  log: EventReader,
  names: readonly StreamName[],
  deletions: StreamScan['deletions'],
): Promise<readonly OwnedStream[]> => {
  const found: OwnedStream[] = [];
  for (let from = 0; from < names.length; from += readAtOnce) {
    const some = names.slice(from, from + readAtOnce);
    const firsts = await Promise.all(some.map((name) => log.read(name, { limit: 1 })));
    some.forEach((name, at) => {
      const { run_id, project_id } = (firsts[at]?.[0]?.data ?? {}) as FirstEventData;
      const owner = [run_id, project_id].find((id) => id !== undefined && deletions.has(id));
      if (owner !== undefined) found.push({ name, owner });
    });
  }
  return found;
};
type FirstEventData = { readonly run_id?: string; readonly project_id?: string };
