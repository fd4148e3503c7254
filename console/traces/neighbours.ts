import type { RecordQuery } from '../../clients/typescript/src/generated/traces-types-3.js';
import { useSurroundings } from '../client/context.js';
import { useKeys } from '../client/keys.js';
import { useQuery } from '../client/queries.js';
import { neighbourOf } from './neighbour-order.js';
import type { TraceRecord } from './record-facts.js';

/** Traces that may have begun in the same microsecond. */
const sameInstantMax = 20;

/** The question for traces of the same run from this one on, in one direction. */
const neighbourQuestion = (
  trace: Pick<TraceRecord, 'id' | 'created_at' | 'run_id'>,
  direction: 'older' | 'newer',
): RecordQuery & { readonly fields: readonly string[] } => ({
  filters: [
    { type: 'id', name: 'run_id', value: trace.run_id },
    {
      type: 'date',
      name: 'created_at',
      operator: direction === 'older' ? 'lte' : 'gte',
      value: trace.created_at,
    },
  ],
  sort: { column_id: 'created_at', ascending: direction === 'newer' },
  limit: sameInstantMax,
  fields: ['created_at'],
});

/** `J` goes to the next older trace of the run, `K` to the next newer one; shows nothing. */
export const RunWalk = (props: {
  readonly projectId: string;
  readonly trace: TraceRecord;
}): null => {
  const { projectId, trace } = props;
  const { navigation } = useSurroundings();
  const older = useNeighbour(projectId, trace, 'older');
  const newer = useNeighbour(projectId, trace, 'newer');
  const go = (id: string | null | undefined): void => {
    if (id != null) navigation.go(`/p/${projectId}/traces/${id}`);
  };
  useKeys(
    [
      { keys: 'J', what: 'Next trace of the run, older', run: () => go(older) },
      { keys: 'K', what: 'Trace before, newer', run: () => go(newer) },
    ],
    [older, newer],
  );
  return null;
};

const useNeighbour = (
  projectId: string,
  trace: TraceRecord,
  direction: 'older' | 'newer',
): string | null | undefined =>
  useQuery({
    key: ['traces', 'neighbour', projectId, trace.id, direction],
    ask: async (operations, signal) => {
      const question = { project_id: projectId, ...neighbourQuestion(trace, direction) };
      const { records } = await operations.traces.search(question, { signal });
      return neighbourOf(trace, records, direction);
    },
    freshMs: 10_000,
  }).value;
