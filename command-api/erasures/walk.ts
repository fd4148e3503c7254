import type { SessionStarted, TraceLogged } from '../../events/traces.js';
import { stream, type EventReader, type StreamName } from '../../kernel/ports.js';

/** Streams that one step visits: a few milliseconds. */
const stepStreams = 25;
/** So many first events, of 1 MiB at most, are in memory at once. */
const readAtOnce = 10;

/** The streams that records of a project may have, from `visited` on. */
type Way = { readonly prefixes: readonly string[]; readonly visited: StreamName | null };
/**
 * A visit of all of them for some deletions, by id; true: no write can come after it, so that the
 * deletion is complete with it.
 */
export type Walk = Way & { readonly deletions: ReadonlyMap<string, boolean> };

export const walkThrough = (project: string, deletions: Walk['deletions']): Walk => ({
  deletions,
  prefixes: ['trace', 'session'].map((noun) => `${stream(noun, project)}-`),
  visited: null,
});

/** The next streams of the way, and what of it is left; null at its end. */
export const nextStreams = async (
  log: EventReader,
  { prefixes: [prefix = '', ...others], visited }: Way,
): Promise<{ readonly found: readonly StreamName[]; readonly rest: Way | null }> => {
  const found = await log.streams(prefix, visited, stepStreams);
  const last = found.at(-1);
  if (last !== undefined && found.length === stepStreams) {
    return { found, rest: { prefixes: [prefix, ...others], visited: last } };
  }
  return { found, rest: others.length === 0 ? null : { prefixes: others, visited: null } };
};

/** The run that the first event of each stream names; undefined for a stream that is gone. */
export const runsOf = async (
  log: EventReader,
  names: readonly StreamName[],
): Promise<readonly (string | undefined)[]> => {
  const runs: (string | undefined)[] = [];
  for (let from = 0; from < names.length; from += readAtOnce) {
    const some = names.slice(from, from + readAtOnce);
    const firsts = await Promise.all(some.map((name) => log.read(name, { limit: 1 })));
    for (const [first] of firsts) {
      runs.push((first?.data as TraceLogged | SessionStarted | undefined)?.run_id);
    }
  }
  return runs;
};
