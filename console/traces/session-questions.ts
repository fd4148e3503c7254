import { useState } from 'preact/hooks';
import type { Session } from '../../clients/typescript/src/generated/sessions-types.js';
import { useQuery, type Query } from '../client/queries.js';
import type { Operations } from '../client/operations.js';
import type { TraceRecord } from './record-facts.js';
import { turnsOf, type Turn } from './session-turns.js';

export type SessionIds = { readonly projectId: string; readonly sessionId: string };

/** How often a session that has not ended is asked for again. */
const incompleteMs = 3_000;

/** The session without its traces; null: not found. */
export const useSession = ({ projectId, sessionId }: SessionIds): Query<Session | null> => {
  const [isIncomplete, setIsIncomplete] = useState(false);
  return useQuery({
    key: ['sessions', 'one', projectId, sessionId],
    ask: async (operations, signal) => {
      const page = await operations.sessions.search(
        {
          project_id: projectId,
          filters: [{ type: 'id', name: 'id', value: sessionId }],
          include_counts: true,
          truncate_fields: true,
          limit: 1,
        },
        { signal },
      );
      const session = page.records[0] ?? null;
      setIsIncomplete(session !== null && !session.is_complete);
      return session;
    },
    everyMs: isIncomplete ? incompleteMs : false,
  });
};

const turnFields = ['created_at', 'status_code', 'metrics/duration_ns', 'metrics/cost'];
/** Turns of one session that are shown. */
export const turnsMax = 10_000;

const questionOf = ({ projectId, sessionId }: SessionIds) => ({
  project_id: projectId,
  filters: [{ type: 'id', name: 'session_id', value: sessionId } as const],
  sort: { column_id: 'created_at' },
});

/** All turns in their order, without texts. */
export const useTurns = (ids: SessionIds, isComplete: boolean): Query<readonly Turn[]> =>
  useQuery({
    key: ['traces', 'turns', ids.projectId, ids.sessionId],
    ask: (operations, signal) => readTurns(operations, ids, signal),
    everyMs: isComplete ? false : incompleteMs,
  });

const readTurns = async (
  operations: Operations,
  ids: SessionIds,
  signal: AbortSignal,
): Promise<readonly Turn[]> => {
  const question = { ...questionOf(ids), fields: turnFields, limit: 1_000 };
  const records = [];
  for await (const record of operations.traces.search(question, { signal })) {
    records.push(record);
    if (records.length === turnsMax) break;
  }
  return turnsOf(records);
};

/** Turns whose texts are asked for at once. */
export const turnsPageSize = 50;

/** The texts of a page of turns, cut to 1,000 characters. */
export const useTurnTexts = (
  ids: SessionIds,
  page: number,
  isEnabled: boolean,
  version: string,
): Query<ReadonlyMap<string, TraceRecord>> =>
  useQuery({
    key: ['traces', 'turn-texts', ids.projectId, ids.sessionId, page, version],
    ask: async (operations, signal) => {
      const question = {
        ...questionOf(ids),
        starting_token: page * turnsPageSize,
        limit: turnsPageSize,
        truncate_fields: true,
      };
      const { records } = await operations.traces.search(question, { signal });
      return new Map(records.map((record) => [record.id, record]));
    },
    isEnabled,
    keepsPrevious: true,
    freshMs: 60_000,
  });
