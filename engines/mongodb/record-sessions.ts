import { bySession, firstSessions, type TracesAsked } from '../../kernel/outlines.js';
import {
  pageBytesMax,
  type RecordRow,
  type SessionPage,
  type SessionPlan,
  type SessionTraces,
} from '../../kernel/records.js';
import { weightOf } from './record-portions.js';
import { rowMembers } from './record-rows.js';
import { bulkMs, questionMs, rowsFrom } from './record-search.js';
import type { Snapshot } from './snapshots.js';

/** As `Records.sessionPage`: first which traces, then one after the other. */
export const sessionPage = async (
  snapshot: Snapshot,
  { project, session, offset, limit, bytesMax = pageBytesMax }: SessionPlan,
): Promise<SessionPage> => {
  const theirs = { project: { $eq: project }, session: { $eq: session } };
  const found = await snapshot.rows
    .find({ ...theirs, population: 'trace', ...snapshot.visible })
    .hint('session')
    .project({ _id: 0, group: 1 })
    .sort({ at: 1, id: 1 })
    .skip(offset)
    .limit(limit + 1)
    .maxTimeMS(questionMs)
    .toArray();
  const traces: (readonly RecordRow[])[] = [];
  let left = bytesMax;
  for (const { group } of found.slice(0, limit)) {
    const documents = await snapshot.rows
      .find({ group: String(group), ordinal: { $gte: 0 }, ...snapshot.visible })
      .project(rowMembers)
      .sort({ ordinal: 1 })
      .maxTimeMS(questionMs)
      .toArray();
    left -= documents.reduce((sum, document) => sum + weightOf(document), 0);
    if (left < 0 && traces.length > 0) break;
    traces.push(await rowsFrom(snapshot, documents));
  }
  return { traces, more: found.length > traces.length };
};

/** As `Records.tracesOfSessions`: first how many there are, then those of so many sessions. */
export const tracesOfSessions = async (
  { rows, visible }: Snapshot,
  { project, sessions, tracesMax }: TracesAsked,
): Promise<readonly SessionTraces[]> => {
  const of = (some: readonly string[]) => ({
    $and: [
      { project: { $eq: project }, session: { $in: [...some] }, population: 'trace' },
      visible,
    ],
  });
  const counted = await rows
    .aggregate([{ $match: of(sessions) }, { $group: { _id: '$session', count: { $sum: 1 } } }], {
      hint: 'session',
      maxTimeMS: bulkMs,
    })
    .toArray();
  const counts = new Map(counted.map(({ _id, count }) => [String(_id), Number(count)]));
  const first = firstSessions(sessions, counts, tracesMax);
  const found = await rows
    .find(of(first))
    .hint('session')
    .project({ _id: 0, session: 1, id: 1, spans: 1 })
    .maxTimeMS(bulkMs)
    .toArray();
  const traces = found.map(({ session, id, spans }) => {
    const size = { id: String(id), spanCount: Number(spans) };
    return [String(session), size] as const;
  });
  return bySession(first, traces);
};
