import { entryHash } from '../../kernel/history/chain.js';
import type { ChainEntry } from '../../kernel/history/entries.js';
import { hexOf } from '../../kernel/history/hex.js';
import type { Position, Sha256 } from '../../kernel/ports.js';

/** An entry before it is hashed: what a segment stores of it. */
export type PlainEntry = Omit<ChainEntry, 'prevHash' | 'hash'>;

/** As many numbers as there are entries, or the one that all of them have. */
export type PackedCells = readonly number[] | number;

/** Entries by column, as few bytes as JSON allows: hashes are computed again from `prev`. */
export type SegmentBody = {
  /** Hash of the entry before the first. */
  readonly prev: string;
  readonly firstSeq: number;
  /** Each as its distance from the one before, the first as it is. */
  readonly positions: readonly number[];
  readonly ids: readonly string[];
  readonly digests: readonly string[];
  /** What columns of texts mean by their numbers; -1 is null. */
  readonly texts: readonly string[];
  readonly columns: Readonly<Record<ColumnName, PackedCells>>;
};

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

/** The entries without their hashes. */
export const plainEntries = (body: SegmentBody): readonly PlainEntry[] => {
  const { texts, columns, firstSeq } = body;
  const at = (name: ColumnName, row: number): number => {
    const column = columns[name];
    return typeof column === 'number' ? column : (column[row] ?? 0);
  };
  const maybe = (name: ColumnName, row: number): string | null => texts[at(name, row)] ?? null;
  const text = (name: ColumnName, row: number): string => maybe(name, row) ?? '';
  let position = 0;
  return body.positions.map((distance, row): PlainEntry => {
    position += distance;
    const [type = '', id = '', role = ''] = text('actor', row).split('\n');
    return {
      seq: firstSeq + row,
      position: positionOf(position),
      eventId: body.ids[row] ?? '',
      type: text('type', row),
      schema: at('schema', row),
      stream: text('streamHead', row) + text('streamTail', row),
      revision: at('revision', row),
      at: text('atHead', row) + text('atTail', row),
      actor: { type, id, role },
      organizationId: maybe('organization', row),
      requestId: maybe('request', row),
      correlationId: maybe('correlation', row),
      causationId: maybe('causation', row),
      dataDigest: body.digests[row] ?? '',
      resource: { type: text('resourceType', row), id: text('resourceId', row) },
      projectId: maybe('project', row),
      technical: at('technical', row) === 1,
    };
  });
};

/** The entries as they were chained. */
export const entriesOf = (sha256: Sha256, body: SegmentBody): readonly ChainEntry[] =>
  hashed(sha256, body.prev, plainEntries(body));

/** Entries that follow each other, the first after the one with the hash `prev`. */
export const hashed = (
  sha256: Sha256,
  prev: string,
  entries: readonly PlainEntry[],
): readonly ChainEntry[] => {
  let prevHash = prev;
  return entries.map((entry) => {
    const hash = hexOf(entryHash(sha256, prevHash, entry.seq, entry));
    const chained = { ...entry, prevHash, hash };
    prevHash = hash;
    return chained;
  });
};

/** In place of names, where a segment may have any. */
export const anyName = '*';

/** Of these a list of names holds one when the segment may have the name. */
export const namedAs = (name: string): readonly string[] => [anyName, `|${name.toLowerCase()}|`];
