import { useEffect } from 'preact/hooks';
import { useSurroundings } from '../client/context.js';
import { kindOf } from '../client/filter-context.js';
import { useQuery } from '../client/queries.js';
import type { FilterTree } from '../language/filter-tree.js';
import { printFilter } from '../language/print-filter.js';
import { Button } from '../parts/button.js';
import { EmptyNotice } from '../parts/notice.js';
import type { TimeRange } from '../parts/address.js';
import type { Population } from '../../kernel/records/record.js';
import { allOf, termsOf } from './move-filter.js';
import { NewestRecord } from './newest-record.js';
import { useBounds, withFilter, type RecordQuestion } from './questions.js';

type Props = {
  readonly population: Population;
  readonly question: RecordQuestion;
  readonly tree: FilterTree | null;
  readonly me: string | null;
  /** Records of the range without the filter; undefined until counted. */
  readonly all: number | undefined;
  readonly onTree: (tree: FilterTree | null) => void;
  readonly onRange: (range: TimeRange) => void;
};

/** Why no record is shown, and the way to some. */
export const EmptyRecords = (props: Props) => {
  if (props.all === undefined) return null;
  return props.all === 0 ? <EmptyRange {...props} /> : <NoMatch {...props} />;
};

const EmptyRange = (props: Props) => {
  const { navigation } = useSurroundings();
  const { population, question } = props;
  const { start_time: _start, end_time: _end, filter_tree: _tree, ...place } = question;
  const bounds = useBounds(population, place, { isEnabled: true });
  const isUnused = bounds.value === null && population === 'trace' && isWholeProject(place);
  useEffect(() => {
    if (isUnused) navigation.go(`/p/${question.project_id}/start`, '', 'replace');
  }, [isUnused]);
  const kind = kindOf[population];
  if (bounds.value === undefined) return null;
  if (bounds.value === null) return <EmptyNotice title={`No ${kind} are recorded here yet`} />;
  return (
    <EmptyNotice title={`No ${kind} in this range`}>
      <NewestRecord at={bounds.value.toMs} onRange={props.onRange} />
    </EmptyNotice>
  );
};

const isWholeProject = (place: RecordQuestion): boolean => Object.keys(place).length === 1;

/** Conditions that are tried, each left out. */
const triedMax = 8;

const NoMatch = ({ population, question, tree, me, onTree }: Props) => {
  const terms = termsOf(tree).slice(0, triedMax);
  const kind = kindOf[population];
  const counts = useQuery({
    key: [kind, 'counts without a condition', question, tree],
    ask: async (operations, signal) => {
      const found: { readonly term: FilterTree; readonly count: number }[] = [];
      for (const term of terms) {
        const asked = withFilter(question, without(tree, term));
        const { total_count: count } = await operations[kind].count(asked, { signal });
        found.push({ term, count });
      }
      return found.sort((one, other) => other.count - one.count);
    },
  });
  return (
    <EmptyNotice title={`No ${kind} match the filter`}>
      {(counts.value ?? []).map(({ term, count }) => (
        <div key={printFilter(term, me)} class="inline">
          <Button onClick={() => onTree(without(tree, term))}>Leave out</Button>
          <code>{printFilter(term, me)}</code>
          <span class="note">then {count.toLocaleString('en')}</span>
        </div>
      ))}
    </EmptyNotice>
  );
};

const without = (tree: FilterTree | null, term: FilterTree): FilterTree | null =>
  allOf(termsOf(tree).filter((one) => one !== term));
