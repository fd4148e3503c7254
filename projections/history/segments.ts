import type { Document } from '../../kernel/documents.js';
import { entryHash } from '../../kernel/history/chain.js';
import type { ChainEntry, ChainName } from '../../kernel/history/entries.js';
import { hexOf } from '../../kernel/history/hex.js';
import type { Position, Sha256 } from '../../kernel/ports.js';

/** An entry before it is hashed: what a segment stores of it. */
export type PlainEntry = Omit<ChainEntry, 'prevHash' | 'hash'>;

/** As many numbers as there are entries, or the one that all of them have. */
type Column = readonly number[] | number;

/** Entries by column, as few bytes as JSON allows: hashes are computed again from `prev`. */
export type SegmentBody = {
  /** Hash of the entry before the first. */
  readonly prev: string;
  readonly firstSeq: number;
  /** Each as its distance from the one before, the first as it is. */
  readonly positions: readonly number[];
  readonly ids: readonly string[];
  readonly digests: readonly string[];
  /** What the columns below mean by their numbers; -1 is null. */
  readonly texts: readonly string[];
  readonly columns: Readonly<Record<ColumnName, Column>>;
};

type ColumnName = (typeof textColumns)[number] | (typeof numberColumns)[number];
const textColumns = [
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
] as const;
const numberColumns = ['schema', 'revision', 'technical'] as const;

/** A stream's last id, and an instant's seconds: what is before is the same again and again. */
const idLength = 36;
const secondsLength = '00.000000Z'.length;
const positionLength = 16;

/** `entries` follow each other, at least one and at most a segment of them. */
export const bodyOf = (prev: string, entries: readonly PlainEntry[]): SegmentBody => {
  const texts = new Map<string, number>();
  const numberOf = (text: string): number => {
    const known = texts.get(text);
    if (known !== undefined) return known;
    texts.set(text, texts.size);
    return texts.size - 1;
  };
  const column = (of: (entry: PlainEntry) => number): Column => packed(entries.map(of));
  const text = (of: (entry: PlainEntry) => string | null): Column => {
    // Most are what the entry before has.
    let last: string | null = null;
    let number = -1;
    return column((entry) => {
      const one = of(entry);
      if (one !== last) number = one === null ? -1 : numberOf(one);
      last = one;
      return number;
    });
  };
  const columns = {
    type: text(({ type }) => type),
    streamHead: text(({ stream }) => stream.slice(0, -idLength)),
    streamTail: text(({ stream }) => stream.slice(-idLength)),
    atHead: text(({ at }) => at.slice(0, -secondsLength)),
    atTail: text(({ at }) => at.slice(-secondsLength)),
    actor: text(({ actor: { type, id, role } }) => `${type}\n${id}\n${role}`),
    organization: text(({ organizationId }) => organizationId),
    request: text(({ requestId }) => requestId),
    correlation: text(({ correlationId }) => correlationId),
    causation: text(({ causationId }) => causationId),
    resourceType: text(({ resource }) => resource.type),
    resourceId: text(({ resource }) => resource.id),
    project: text(({ projectId }) => projectId),
    schema: column(({ schema }) => schema),
    revision: column(({ revision }) => revision),
    technical: column(({ technical }) => Number(technical)),
  };
  return {
    prev,
    firstSeq: entries[0]?.seq ?? 1,
    positions: distances(entries),
    ids: entries.map(({ eventId }) => eventId),
    digests: entries.map(({ dataDigest }) => dataDigest),
    texts: [...texts.keys()],
    columns,
  };
};

const packed = (column: readonly number[]): Column => {
  const [first = 0] = column;
  return column.every((one) => one === first) ? first : column;
};

const distances = (entries: readonly PlainEntry[]): readonly number[] => {
  let before = 0;
  return entries.map(({ position }) => {
    const number = numberOfPosition(position);
    const distance = number - before;
    before = number;
    return distance;
  });
};

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

/** So many different values are named; a segment with more may have any. */
const namesMax = 32;
const any = '*';

/** What stands in the `dir` document beside a segment: what it may have, for `find`. */
export const fieldsOf = (chain: ChainName, entries: readonly PlainEntry[]): Document['fields'] => {
  const [first] = entries;
  const last = entries.at(-1);
  if (first === undefined || last === undefined) throw new RangeError('a segment has entries');
  const times = entries.map(({ at }) => at);
  return {
    chain,
    first: numberOfPosition(first.position),
    last: numberOfPosition(last.position),
    first_seq: first.seq,
    from_at: times.reduce((low, at) => (at < low ? at : low)),
    to_at: times.reduce((high, at) => (at > high ? at : high)),
    types: named(entries, ({ type }) => type),
    actors: named(entries, ({ actor }) => actor.id),
    projects: named(entries, ({ projectId }) => projectId),
    resource_types: named(entries, ({ resource }) => resource.type),
    resource_ids: named(entries, ({ resource }) => resource.id),
  };
};

const named = (
  entries: readonly PlainEntry[],
  of: (entry: PlainEntry) => string | null,
): string => {
  const names = new Set<string>();
  let last: string | null = null;
  for (const entry of entries) {
    const name = of(entry);
    if (name === null || name === last) continue;
    last = name;
    names.add(name.toLowerCase());
    if (names.size > namesMax) return any;
  }
  return `|${[...names].sort().join('|')}|`;
};

/** Texts of which `named` holds one when the segment may have the name. */
export const namedAs = (name: string): readonly string[] => [any, `|${name.toLowerCase()}|`];
