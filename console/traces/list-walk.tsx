import { useMemo, useState } from 'preact/hooks';
import { useSurroundings } from '../client/context.js';
import { useFilterContext } from '../client/filter-context.js';
import { useKeys } from '../client/keys.js';
import { useQuery } from '../client/queries.js';
import { lastAskedAt } from '../explorer/asked-at.js';
import { useRecordCount, withFilter, type RecordQuestion } from '../explorer/questions.js';
import { parseFilter } from '../language/parse-filter.js';
import { addressCodec, sortMember } from '../parts/address.js';
import { runSelector, scopeMembers, windowOf, type RecordList } from '../parts/record-scope.js';
import { neighboursIn, partAround, wholePart, type ListPart } from './list-neighbours.js';
import { traceCodec, type TraceView } from './state.js';

const listCodec = addressCodec<Omit<RecordList, 'from' | 'row'>>({
  ...scopeMembers,
  sort: sortMember(),
});

/** The way back to the list that a record was opened from, with its filter. */
export const BackToList = (props: { readonly projectId: string; readonly view: TraceView }) => {
  const { navigation } = useSurroundings();
  const { from } = props.view;
  if (from === 'none') return null;
  return (
    <a
      href={navigation.href(`/p/${props.projectId}/${from}`, listCodec.write(props.view))}
      aria-label={`Back to the ${from}`}
    >
      {from === 'traces' ? 'Traces' : 'Spans'}
    </a>
  );
};

/** The place of a trace in the list that it was opened from; `J` and `K` walk that list. */
export const ListWalk = (props: {
  readonly projectId: string;
  readonly traceId: string;
  readonly view: TraceView;
}) => {
  const { projectId, traceId, view } = props;
  const { navigation } = useSurroundings();
  const { neighbours, count } = useTraceList(projectId, traceId, view);
  const viewAt = (row: number): string => traceCodec.write({ ...view, row, sel: '' });
  const go = (id: string | null | undefined, by: 1 | -1): void => {
    if (neighbours == null || id == null) return;
    navigation.go(`/p/${projectId}/traces/${id}`, viewAt(neighbours.row + by));
  };
  const link = (id: string | null | undefined, by: 1 | -1, text: string, name: string) =>
    neighbours == null || id == null ? (
      <span class="muted" aria-hidden="true">
        {text}
      </span>
    ) : (
      <a
        href={navigation.href(`/p/${projectId}/traces/${id}`, viewAt(neighbours.row + by))}
        aria-label={name}
        title={by === 1 ? 'J' : 'K'}
      >
        {text}
      </a>
    );
  useKeys(
    [
      { keys: 'J', what: 'Next trace of the list', run: () => go(neighbours?.after, 1) },
      { keys: 'K', what: 'Trace before it in the list', run: () => go(neighbours?.before, -1) },
    ],
    [],
  );
  return (
    <span class="list-walk">
      {link(neighbours?.before, -1, '‹', 'Trace before in the list')}
      <span class="muted">
        {neighbours === null
          ? 'not in the list any more'
          : placeText(neighbours?.row ?? view.row, count)}
      </span>
      {link(neighbours?.after, 1, '›', 'Next trace of the list')}
    </span>
  );
};

const placeText = (row: number, count: number | undefined): string =>
  `${row.toLocaleString('en')} of ${count?.toLocaleString('en') ?? '…'}`;

/** The neighbours of a trace in the list of a view; undefined until known, null without it. */
const useTraceList = (projectId: string, traceId: string, view: TraceView) => {
  const { service } = useSurroundings();
  const context = useFilterContext(projectId, 'trace');
  const { tree, problems } = useMemo(() => parseFilter(view.f, context), [view.f, context]);
  const [now] = useState(() => lastAskedAt(projectId, service.now()));
  const isEnabled = problems.length === 0;
  const question = withFilter(
    { project_id: projectId, ...runSelector(view.run), ...windowOf(view.t, now) },
    tree,
  );
  const near = partAround(view.row);
  const nearIds = useListIds(question, view, near, isEnabled);
  const isMissing = nearIds !== undefined && !nearIds.includes(traceId);
  const wideIds = useListIds(question, view, wholePart, isEnabled && isMissing);
  const count = useRecordCount('trace', question, { name: 'count', now, isEnabled });
  const [part, ids] = isMissing ? [wholePart, wideIds] : [near, nearIds];
  const neighbours = useMemo(
    () => (ids === undefined ? undefined : neighboursIn(part, ids, traceId)),
    [ids, traceId],
  );
  return { neighbours, count: count.value };
};

const freshMs = 60_000;

const useListIds = (
  question: RecordQuestion,
  { sort }: TraceView,
  part: ListPart,
  isEnabled: boolean,
): readonly string[] | undefined =>
  useQuery({
    key: ['traces', 'ids', question, sort, part],
    ask: async (operations, signal) => {
      const order = sort && { column_id: sort.column, ascending: sort.ascending };
      const asked = { ...question, ...part, ...(order !== null && { sort: order }) };
      const page = await operations.traces.search({ ...asked, fields: ['name'] }, { signal });
      return page.records.map(({ id }) => id);
    },
    freshMs,
    isEnabled,
  }).value;
