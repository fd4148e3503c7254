import { entryHash, genesisHash } from '../chain/chain.js';
import type { ChainEntry } from '../chain/entries.js';
import { toHex } from '../../kernel/hex.js';
import type { Position, Sha256 } from '../../kernel/ports.js';

/** An entry without its hashes, as a segment stores it. */
export type PlainEntry = Omit<ChainEntry, 'prevHash' | 'hash'>;

/** One number per entry, or a single number that all of them share. */
export type PackedCells = readonly number[] | number;

/** Columnar segment of entries, compact as JSON: hashes are recomputed from the marks. */
export type SegmentBody = {
  readonly firstSeq: number;
  /** Hash marks: the hash of the entry before the first and before each 16th after it. */
  readonly marks: readonly string[];
  /** Delta-encoded positions: each is the distance from the one before, the first is absolute. */
  readonly positions: readonly number[];
  readonly ids: readonly string[];
  readonly digests: readonly string[];
  /** Dictionary of the text columns: their numbers index it; -1 is null. */
  readonly texts: readonly string[];
  readonly columns: Readonly<Record<ColumnName, PackedCells>>;
};

/** Trade-off: showing one entry costs up to this many hashes, and each mark takes 67 bytes. */
export const hashMarkInterval = 16;

export type ColumnName = (typeof columnNames)[number];
export const columnNames = [
  'type',
  'streamHead',
  'streamTail',
  'atHead',
  'atTail',
  'actor',
  'organization',
  'request',
  'correlation',
  'causation',
  'resourceType',
  'resourceId',
  'project',
  'schema',
  'revision',
  'technical',
] as const;

const positionLength = 16;

export const numberOfPosition = (position: Position): number => Number.parseInt(position, 16);
const positionOf = (number: number): Position =>
  number.toString(16).padStart(positionLength, '0') as Position;

/** Row access to a segment; values are decoded on demand. */
export type SegmentRows = {
  readonly count: number;
  readonly id: (row: number) => string;
  /** Null also where the column has no such text. */
  readonly text: (column: ColumnName, row: number) => string | null;
  readonly number: (column: ColumnName, row: number) => number;
  readonly at: (row: number) => string;
  readonly actor: (row: number) => ChainEntry['actor'];
  /** The entry without its hashes. */
  readonly entry: (row: number) => PlainEntry;
};

export const segmentRows = (body: SegmentBody): SegmentRows => {
  const { texts, columns, firstSeq } = body;
  const number: SegmentRows['number'] = (name, row) => {
    const column = columns[name];
    return typeof column === 'number' ? column : (column[row] ?? 0);
  };
  const text: SegmentRows['text'] = (name, row) => texts[number(name, row)] ?? null;
  const known = (name: ColumnName, row: number): string => text(name, row) ?? '';
  const at: SegmentRows['at'] = (row) => known('atHead', row) + known('atTail', row);
  const actor: SegmentRows['actor'] = (row) => {
    const [type = '', id = '', role = ''] = known('actor', row).split('\n');
    return { type, id, role };
  };
  const id: SegmentRows['id'] = (row) => body.ids[row] ?? '';
  const positions: number[] = [];
  for (const distance of body.positions) positions.push((positions.at(-1) ?? 0) + distance);
  return {
    count: positions.length,
    id,
    text,
    number,
    at,
    actor,
    entry: (row) => ({
      seq: firstSeq + row,
      position: positionOf(positions[row] ?? 0),
      eventId: id(row),
      type: known('type', row),
      schema: number('schema', row),
      stream: known('streamHead', row) + known('streamTail', row),
      revision: number('revision', row),
      at: at(row),
      actor: actor(row),
      organizationId: text('organization', row),
      requestId: text('request', row),
      correlationId: text('correlation', row),
      causationId: text('causation', row),
      dataDigest: body.digests[row] ?? '',
      resource: { type: known('resourceType', row), id: known('resourceId', row) },
      projectId: text('project', row),
      technical: number('technical', row) === 1,
    }),
  };
};

/** Entries of these rows, in ascending order, with hashes recomputed from the mark before. */
export const entriesAtRows = (
  sha256: Sha256,
  { marks }: Pick<SegmentBody, 'marks'>,
  rows: SegmentRows,
  wanted: readonly number[],
): readonly ChainEntry[] => {
  const found: ChainEntry[] = [];
  let next = 0;
  let prevHash = marks[0] ?? genesisHash;
  for (const row of wanted) {
    const mark = Math.floor(row / hashMarkInterval);
    if (mark * hashMarkInterval > next)
      [next, prevHash] = [mark * hashMarkInterval, marks[mark] ?? genesisHash];
    for (; next <= row; next += 1) {
      const entry = rows.entry(next);
      const hash = toHex(entryHash(sha256, prevHash, entry.seq, entry));
      // Object.assign: adding members to a spread costs V8 several microseconds.
      if (next === row) found.push(Object.assign(entry, { prevHash, hash }));
      prevHash = hash;
    }
  }
  return found;
};

/**
 * Limit of unabridged names: beyond it, a segment stores shortened ones, and searches may match
 * segments that lack the name.
 */
export const namesMax = 32;
const shortLength = 5;

const shortenName = (name: string): string => `~${name.slice(-shortLength)}`;

/** Searchable text of a segment's names, which are in lower case. */
export const nameListText = (names: ReadonlySet<string>): string => {
  const all = names.size > namesMax ? new Set([...names].map(shortenName)) : names;
  return `|${[...all].join('|')}|`;
};

/** Search texts for a name: a segment that may have it contains one of them. */
export const nameSearchTexts = (name: string): readonly string[] => {
  const lower = name.toLowerCase();
  return [`|${lower}|`, `|${shortenName(lower)}|`];
};
