import { useMemo, useRef } from 'preact/hooks';
import { useSurroundings } from '../client/context.js';
import {
  kindOf,
  useFilterContext,
  useRecentFilters,
  useWantedValues,
} from '../client/filter-context.js';
import { useKeys } from '../client/keys.js';
import { useView } from '../client/view.js';
import { parseFilter } from '../language/parse-filter.js';
import { printFilter } from '../language/print-filter.js';
import { FilterField } from '../parts/filter-field.js';
import { PageHeading } from '../parts/heading.js';
import type { PageProps } from '../parts/page.js';
import { RangePicker } from '../parts/range-picker.js';
import { Tabs } from '../parts/tabs.js';
import type { Population } from '../../kernel/records/record.js';
import { moveFilter } from './move-filter.js';
import { Records } from './records.js';
import { explorerCodec, type ExplorerView } from './state.js';

const tabs = [
  { key: 'trace', text: 'Traces' },
  { key: 'span', text: 'Spans' },
  { key: 'session', text: 'Sessions' },
] as const;

/** Which records? The kind is the last part of the path, the question is the view. */
export const Page = ({ params }: PageProps) => {
  const { navigation } = useSurroundings();
  const projectId = params['project_id'] ?? '';
  const kind = navigation.place.value.path.split('/').at(-1);
  const population: Population =
    kind === 'sessions' ? 'session' : kind === 'spans' ? 'span' : 'trace';
  const [view, change] = useView(explorerCodec);
  const context = useFilterContext(projectId, population);
  const wanted = useWantedValues(projectId);
  const { recents, addRecent } = useRecentFilters();
  const field = useRef<HTMLInputElement | null>(null);
  const parsed = useMemo(() => parseFilter(view.filter, context), [view.filter, context]);
  useKeys([{ keys: '/', what: 'Filter', run: () => field.current?.focus() }], []);
  const apply = (filter: string): void => {
    addRecent(filter);
    if (filter !== view.filter) change({ filter });
  };
  const goTo = (to: Population): void =>
    navigation.go(`/p/${projectId}/${kindOf[to]}`, explorerCodec.write(viewOfTab(view, to)));
  const viewOfTab = (from: ExplorerView, to: Population): ExplorerView => {
    const moved = moveFilter(parsed.tree, population, to);
    const print = (tree: typeof moved.tree): string =>
      tree === null ? '' : printFilter(tree, context.me);
    const kept = { population, filter: from.filter, lost: print(moved.lost) };
    const isBack = from.kept?.population === to;
    return {
      ...from,
      filter: isBack ? from.kept.filter : print(moved.tree),
      kept: isBack || from.filter === '' ? null : kept,
      sort: null,
      columns: null,
    };
  };
  return (
    <>
      <div class="explorer-head">
        <PageHeading title={tabs.find(({ key }) => key === population)?.text ?? ''} />
        <Tabs label="Kind of records" tabs={tabs} selected={population} onSelect={goTo} />
        <RangePicker range={view.range} onChange={(range) => change({ range })} />
      </div>
      <FilterField
        label="Filter"
        text={view.filter}
        context={context}
        {...wanted}
        recents={recents}
        onApply={apply}
        inputRef={field}
      />
      {view.kept !== null && view.kept.lost !== '' && (
        <p class="note">
          Not applied here: <code>{view.kept.lost}</code>
        </p>
      )}
      <Records
        projectId={projectId}
        context={context}
        view={view}
        tree={parsed.tree}
        onChange={change}
      />
    </>
  );
};
