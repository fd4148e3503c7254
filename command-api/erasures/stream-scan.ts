import type { EventReader, StreamName } from '../../kernel/ports.js';
import { erasedStreamsMax } from '../facts/erasures.js';
import { streamPrefixesOf, type DeletedContainer, type StreamPrefix } from './stream-prefixes.js';

/** Streams visited per step: a few milliseconds. */
const stepStreams = 25;
/** Concurrent reads of first events, of 1 MiB at most each: bounds the memory. */
const readAtOnce = 10;

/** Position of a scan: the prefixes left, and the last visited stream. */
type ScanPosition = {
  readonly prefixes: readonly StreamPrefix[];
  readonly visited: StreamName | null;
};
/** A stream with the deleted run or project that owns it. */
export type OwnedStream = { readonly name: StreamName; readonly owner: string };
/** Scan of all streams that may belong to deleted runs or projects. */
export type StreamScan = ScanPosition & {
  /**
   * Deletions by id. The value is true if no write can follow the scan, which then completes the
   * deletion.
   */
  readonly deletions: ReadonlyMap<string, boolean>;
  /** Owned streams that no fact in the log names yet. */
  readonly toRecord: readonly OwnedStream[];
  /** Streams that a fact names, until they are erased. */
  readonly toErase: readonly OwnedStream[];
};

/** Starts a scan for all deleted projects, or for all deleted runs of one project. */
export const startStreamScan = (
  deleted: readonly DeletedContainer[],
  deletions: StreamScan['deletions'],
): StreamScan => ({
  deletions,
  prefixes: streamPrefixesOf(deleted),
  visited: null,
  toRecord: [],
  toErase: [],
});

/** A step: erase streams that a fact names, or name streams in a fact. */
type ScanStep =
  { readonly erase: readonly OwnedStream[] } | { readonly name: readonly OwnedStream[] };

/**
 * Returns the next step with the remaining scan; null at the end of the scan. `piece` is null when
 * the step only visited streams.
 */
export const nextScanStep = async (
  log: EventReader,
  scan: StreamScan,
): Promise<{ readonly piece: ScanStep | null; readonly rest: StreamScan } | null> => {
  const { prefixes, toRecord, toErase } = scan;
  if (toErase.length > 0) {
    const rest = { ...scan, toErase: toErase.slice(stepStreams) };
    return { piece: { erase: toErase.slice(0, stepStreams) }, rest };
  }
  if (toRecord.length + stepStreams > erasedStreamsMax || prefixes.length === 0) {
    if (toRecord.length === 0) return null;
    return { piece: { name: toRecord }, rest: { ...scan, toRecord: [], toErase: toRecord } };
  }
  return { piece: null, rest: await scanNextPage(log, scan) };
};

const scanNextPage = async (log: EventReader, scan: StreamScan): Promise<StreamScan> => {
  const [noun, ...others] = scan.prefixes;
  if (noun === undefined) return scan;
  const names = await log.streams(noun.prefix, scan.visited, stepStreams);
  const { owner } = noun;
  const theirs =
    owner === null
      ? await streamsOfDeleted(log, names, scan.deletions)
      : names.map((name) => ({ name, owner }));
  const found = [...scan.toRecord, ...theirs];
  const last = names.at(-1);
  return last !== undefined && names.length === stepStreams
    ? { ...scan, toRecord: found, visited: last }
    : { ...scan, toRecord: found, prefixes: others, visited: null };
};

/** Streams whose first event names a deleted run or project. */
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
