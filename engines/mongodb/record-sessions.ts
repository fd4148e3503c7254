import type { StreamName } from '../../kernel/ports.js';
import {
  groupBySession,
  sessionsWithinLimit,
  type TracesOfSessionsPlan,
} from '../../kernel/records/outlines.js';
import {
  pageBytesMax,
  type SessionPage,
  type SessionPlan,
  type SessionTraces,
} from '../../kernel/records/query-plans.js';

import { bulkTimeoutMs, queryTimeoutMs } from './record-search.js';
import { takeGroupsWithin } from './record-weights.js';
import type { Snapshot } from './snapshot.js';

/** Implements `Records.sessionPage`: first the traces, then their sizes. */
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
    .maxTimeMS(queryTimeoutMs)
    .toArray();
  const names = found.slice(0, limit).map(({ group }) => String(group) as StreamName);
  const traces = await takeGroupsWithin(snapshot, names, bytesMax);
  return { traces, more: found.length > traces.length };
};

/**
 * Implements `Records.tracesOfSessions`: counts the traces first, then reads those of as many
 * sessions as fit.
 */
export const tracesOfSessions = async (
  { rows, visible }: Snapshot,
  { project, sessions, tracesMax }: TracesOfSessionsPlan,
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
      maxTimeMS: bulkTimeoutMs,
    })
    .toArray();
  const counts = new Map(counted.map(({ _id, count }) => [String(_id), Number(count)]));
  const first = sessionsWithinLimit(sessions, counts, tracesMax);
  const found = await rows
    .find(of(first))
    .hint('session')
    .project({ _id: 0, session: 1, id: 1, spans: 1 })
    .maxTimeMS(bulkTimeoutMs)
    .toArray();
  const traces = found.map(({ session, id, spans }) => {
    const size = { id: String(id), spanCount: Number(spans) };
    return [String(session), size] as const;
  });
  return groupBySession(first, traces);
};
