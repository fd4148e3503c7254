import { entryHash, genesisHash } from '../../kernel/history/chain.js';
import type { ChainEntry } from '../../kernel/history/entries.js';
import { toHex } from '../../kernel/history/hex.js';
import type { Position, Sha256 } from '../../kernel/ports.js';

/** An entry before it is hashed: what a segment stores of it. */
export type PlainEntry = Omit<ChainEntry, 'prevHash' | 'hash'>;

/** As many numbers as there are entries, or the one that all of them have. */
export type PackedCells = readonly number[] | number;

/** Entries by column, as few bytes as JSON allows: hashes are computed again from marks on. */
export type SegmentBody = {
  readonly firstSeq: number;
  /** Of the first entry and of each 16th after it the hash of the entry before. */
  readonly marks: readonly string[];
  /** Each as its distance from the one before, the first as it is. */
  readonly positions: readonly number[];
  readonly ids: readonly string[];
  readonly digests: readonly string[];
  /** What columns of texts mean by their numbers; -1 is null. */
  readonly texts: readonly string[];
  readonly columns: Readonly<Record<ColumnName, PackedCells>>;
};

/** One entry that is shown costs so many hashes at most, and a mark 67 bytes. */
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

/** A segment read by rows; what is not asked for is not made. */
export type SegmentRows = {
  readonly count: number;
  readonly id: (row: number) => string;
  /** Null also where there is no such text. */
  readonly text: (column: ColumnName, row: number) => string | null;
  readonly number: (column: ColumnName, row: number) => number;
  readonly at: (row: number) => string;
  readonly actor: (row: number) => ChainEntry['actor'];
  /** Without its hashes. */
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

/** The entries of these rows, which rise: as they were chained, hashed from the mark before. */
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
      // A spread that members are added to costs V8 several microseconds.
      if (next === row) found.push(Object.assign(entry, { prevHash, hash }));
      prevHash = hash;
    }
  }
  return found;
};

/** More names than these stand shortened: some segments then may have what they have not. */
export const namesMax = 32;
const shortLength = 5;

const shortenName = (name: string): string => `~${name.slice(-shortLength)}`;

/** What a segment's list of names is looked through for; made of the names in lower case. */
export const nameListText = (names: ReadonlySet<string>): string => {
  const all = names.size > namesMax ? new Set([...names].map(shortenName)) : names;
  return `|${[...all].join('|')}|`;
};

/** Of these a list of names holds one when the segment may have the name. */
export const nameSearchTexts = (name: string): readonly string[] => {
  const lower = name.toLowerCase();
  return [`|${lower}|`, `|${shortenName(lower)}|`];
};
