import type { Document } from 'mongodb';
import { parseJsonText } from '../../kernel/json-text.js';
import {
  spanOutline,
  traceOutline,
  type OutlineSelection,
  type SessionScope,
  type SpanOutline,
  type TraceOutline,
} from '../../kernel/records/outlines.js';
import type { StreamName } from '../../kernel/ports.js';
import type { RowOrdinals } from '../../kernel/records/records.js';
import type { RecordRow } from '../../kernel/records/record.js';
import { rowMembers, rowFromDocument } from './record-decoding.js';
import { bulkTimeoutMs, rowsFromDocuments } from './record-search.js';
import type { Snapshot } from './snapshot.js';

export const firstRows = async (
  snapshot: Snapshot,
  names: readonly StreamName[],
): Promise<ReadonlyMap<StreamName, RecordRow>> => {
  const stored = await snapshot.rows
    .find({ group: { $in: [...names] }, ordinal: 0, ...snapshot.visible })
    .hint('group')
    .project(rowMembers)
    .maxTimeMS(bulkTimeoutMs)
    .toArray();
  const rows = await rowsFromDocuments(snapshot, stored);
  return new Map(rows.map((row) => [row.group, row]));
};

export const spanOutlines = async (
  { rows, visible }: Snapshot,
  names: readonly StreamName[],
): Promise<ReadonlyMap<StreamName, readonly SpanOutline[]>> => {
  const stored = rows
    .find({ group: { $in: [...names] }, ordinal: { $gt: 0 }, ...visible })
    .hint('group')
    .project(outlineMembers)
    .sort({ group: 1, ordinal: 1 })
    .maxTimeMS(bulkTimeoutMs);
  const found = new Map<StreamName, SpanOutline[]>();
  for await (const document of stored) {
    const name = document['group'] as StreamName;
    const known = found.get(name) ?? [];
    known.push(outlineFrom(document, spanOutline));
    found.set(name, known);
  }
  return found;
};

/** Members that an outline is derived from, without a long `rest`. */
const outlineMembers: Document = {
  ...rowMembers,
  values: { parent_id: 1, has_children: 1, is_complete: 1 },
  outline: 1,
  rest: { $cond: [{ $gt: ['$outline', null] }, '$$REMOVE', '$rest'] },
};

const outlineFrom = <Outline>(
  document: Document,
  outlineOf: (row: RecordRow) => Outline,
): Outline =>
  typeof document['outline'] === 'string'
    ? (parseJsonText(document['outline']) as Outline)
    : outlineOf(rowFromDocument(document, noParts));
const noParts: ReadonlyMap<string, string> = new Map();

export const rowsByOrdinal = async (
  snapshot: Snapshot,
  places: readonly RowOrdinals[],
): Promise<readonly RecordRow[]> => {
  const found: RecordRow[] = [];
  for (const { group, ordinals } of places) {
    const stored = await snapshot.rows
      .find({ group: { $eq: group }, ordinal: { $in: [...ordinals] }, ...snapshot.visible })
      .hint('group')
      .project(rowMembers)
      .maxTimeMS(bulkTimeoutMs)
      .toArray();
    found.push(...(await rowsFromDocuments(snapshot, stored)));
  }
  return found;
};

export const sessionsWithTraces = async (
  { rows, visible }: Snapshot,
  sessions: readonly SessionScope[],
): Promise<readonly SessionScope[]> => {
  const found = await rows
    .aggregate(
      [
        { $match: { $and: [{ $or: sessions.map(tracesOf) }, visible] } },
        { $group: { _id: { project: '$project', session: '$session' } } },
      ],
      { hint: 'session', maxTimeMS: bulkTimeoutMs },
    )
    .toArray();
  return found.map(({ _id }) => _id as SessionScope);
};

const tracesOf = ({ project, session }: SessionScope): Document => ({
  project: { $eq: project },
  session: { $eq: session },
  population: 'trace',
});

export const traceOutlines = async (
  { rows, visible }: Snapshot,
  session: SessionScope,
  { after, order, except, limit }: OutlineSelection,
): Promise<readonly TraceOutline[]> => {
  const [sign, direction] = order === 'first' ? (['$gt', 1] as const) : (['$lt', -1] as const);
  const [at = '', id = ''] = (after ?? '').split(' ');
  const beyond =
    after === null ? [] : [{ $or: [{ at: { [sign]: at } }, { at, id: { [sign]: id } }] }];
  const without = except.length === 0 ? [] : [{ group: { $nin: [...except] } }];
  const stored = await rows
    .find({ $and: [tracesOf(session), ...beyond, ...without, visible] })
    .hint('session')
    .sort({ at: direction, id: direction })
    .limit(limit)
    .project(outlineMembers)
    .maxTimeMS(bulkTimeoutMs)
    .toArray();
  return stored.map((document) => outlineFrom(document, traceOutline));
};
