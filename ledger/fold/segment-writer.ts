import type { Document } from '../../kernel/documents.js';
import type { ChainName } from '../chain/entries.js';
import {
  columnNames,
  nameListText,
  hashMarkInterval,
  numberOfPosition,
  type PackedCells,
  type ColumnName,
  type PlainEntry,
  type SegmentBody,
} from './segment-format.js';

/** A growing segment; the result does not depend on when it was stored in between. */
export type SegmentWriter = {
  /** `prev`: the hash of the entry before. */
  readonly add: (entry: PlainEntry, prev: string) => void;
  readonly count: () => number;
  readonly body: () => SegmentBody;
  /** Index for `find`: the fields of the `dir` document beside the segment. */
  readonly fields: (chain: ChainName) => Document['fields'];
};

/**
 * Length of a stream's last id, and of an instant's seconds: the part before them repeats often.
 */
const idLength = 36;
const secondsLength = '00.000000Z'.length;

/** Values by column: texts are stored as dictionary numbers, numbers as they are. */
const valuesOf: Readonly<Record<ColumnName, (entry: PlainEntry) => string | number | null>> = {
  type: ({ type }) => type,
  streamHead: ({ stream }) => stream.slice(0, -idLength),
  streamTail: ({ stream }) => stream.slice(-idLength),
  atHead: ({ at }) => at.slice(0, -secondsLength),
  atTail: ({ at }) => at.slice(-secondsLength),
  actor: ({ actor: { type, id, role } }) => `${type}\n${id}\n${role}`,
  organization: ({ organizationId }) => organizationId,
  request: ({ requestId }) => requestId,
  correlation: ({ correlationId }) => correlationId,
  causation: ({ causationId }) => causationId,
  resourceType: ({ resource }) => resource.type,
  resourceId: ({ resource }) => resource.id,
  project: ({ projectId }) => projectId,
  schema: ({ schema }) => schema,
  revision: ({ revision }) => revision,
  technical: ({ technical }) => Number(technical),
};

export const openNewSegment = (firstSeq: number): SegmentWriter =>
  reopenSegment({
    firstSeq,
    marks: [],
    positions: [],
    ids: [],
    digests: [],
    texts: [],
    columns: null,
  });

type SegmentDraft = Omit<SegmentBody, 'columns'> & {
  readonly columns: SegmentBody['columns'] | null;
};

/** Reopens a stored segment for appending. */
export const reopenSegment = (draft: SegmentDraft): SegmentWriter => {
  const { firstSeq } = draft;
  const [marks, positions] = [[...draft.marks], [...draft.positions]];
  const [ids, digests] = [[...draft.ids], [...draft.digests]];
  const texts = openTextTable(draft.texts);
  const columns = columnNames.map((name) => ({
    name,
    of: valuesOf[name],
    cells: unpackCells(draft.columns?.[name] ?? [], ids.length),
    /** Value of the entry before, which most entries repeat. */
    last: undefined as string | number | null | undefined,
  }));
  let position = positions.reduce((sum, distance) => sum + distance, 0);
  return {
    add: (entry, prev) => {
      if (ids.length % hashMarkInterval === 0) marks.push(prev);
      const next = numberOfPosition(entry.position);
      positions.push(next - position);
      position = next;
      ids.push(entry.eventId);
      digests.push(entry.dataDigest);
      for (const column of columns) {
        const value = column.of(entry);
        if (value === column.last) column.cells.push(column.cells.at(-1) ?? -1);
        else if (value === null) column.cells.push(-1);
        else column.cells.push(typeof value === 'number' ? value : texts.numberOf(value));
        column.last = value;
      }
    },
    count: () => ids.length,
    body: () => {
      const whole = Object.fromEntries(columns.map(({ name, cells }) => [name, packCells(cells)]));
      return {
        firstSeq,
        marks,
        positions,
        ids,
        digests,
        texts: texts.all,
        columns: whole as SegmentBody['columns'],
      };
    },
    fields: (chain) => ({
      chain,
      first: positions[0] ?? 0,
      last: position,
      first_seq: firstSeq,
      ...nameFields(texts.all, (name) => columns.find((one) => one.name === name)?.cells ?? []),
    }),
  };
};

/** Dictionary of texts: each once, numbered by its index. */
const openTextTable = (draft: readonly string[]) => {
  const all = [...draft];
  const numbers = new Map(all.map((text, number) => [text, number]));
  return {
    all,
    numberOf: (text: string): number => {
      const known = numbers.get(text);
      if (known !== undefined) return known;
      numbers.set(text, all.length);
      return all.push(text) - 1;
    },
  };
};

/** Search fields of the segment: the names that its columns hold, in any order. */
const nameFields = (
  texts: readonly string[],
  cellsOf: (name: ColumnName) => readonly number[],
): Document['fields'] => {
  const textsIn = (name: ColumnName): readonly string[] =>
    [...new Set(cellsOf(name))].flatMap((number) => texts[number] ?? []);
  const tails = cellsOf('atTail');
  let [earliest, latest] = [null as string | null, null as string | null];
  for (const [row, head] of cellsOf('atHead').entries()) {
    const at = `${texts[head] ?? ''}${texts[tails[row] ?? -1] ?? ''}`;
    if (earliest === null || at < earliest) earliest = at;
    if (latest === null || at > latest) latest = at;
  }
  return {
    from_at: earliest,
    to_at: latest,
    types: nameField(textsIn('type')),
    actors: nameField(textsIn('actor').map((actor) => actor.split('\n')[1] ?? '')),
    projects: nameField(textsIn('project')),
    resource_types: nameField(textsIn('resourceType')),
    resource_ids: nameField(textsIn('resourceId')),
  };
};

const packCells = (cells: readonly number[]): PackedCells => {
  const [first = 0] = cells;
  return cells.every((one) => one === first) ? first : cells;
};

const unpackCells = (column: PackedCells, count: number): number[] =>
  typeof column === 'number' ? Array.from({ length: count }, () => column) : [...column];

const nameField = (texts: readonly string[]): string =>
  nameListText(new Set(texts.map((text) => text.toLowerCase())));
