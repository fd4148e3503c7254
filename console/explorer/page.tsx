import { useMemo, useRef, useState } from 'preact/hooks';
import { useSurroundings } from '../client/context.js';
import {
  kindOf,
  useFilterContext,
  useRecentFilters,
  useWantedValues,
} from '../client/filter-context.js';
import { useKeys } from '../client/keys.js';
import { RunPicker } from '../client/run-picker.js';
import { useView } from '../client/view.js';
import type { FilterTree } from '../language/filter-tree.js';
import { parseFilter } from '../language/parse-filter.js';
import { printFilter } from '../language/print-filter.js';
import { Button } from '../parts/button.js';
import { FilterBuilder } from '../parts/filter-builder.js';
import { FilterField } from '../parts/filter-field.js';
import { PageHeading } from '../parts/heading.js';
import type { PageProps } from '../parts/page.js';
import { RangePicker } from '../parts/range-picker.js';
import { Tabs } from '../parts/tabs.js';
import { useSavedViews } from '../views/saved-views.js';
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
  const [isBuilding, setIsBuilding] = useState(false);
  const views = useSavedViews({ projectId, page: kindOf[population] });
  const parsed = useMemo(() => parseFilter(view.f, context), [view.f, context]);
  useKeys([{ keys: '/', what: 'Filter', run: () => field.current?.focus() }], []);
  const apply = (filter: string): void => {
    addRecent(filter);
    if (filter !== view.f) change({ f: filter });
  };
  const goTo = (to: Population): void => {
    const next = viewOfKind(view, parsed.tree, population, to, context.me);
    navigation.go(`/p/${projectId}/${kindOf[to]}`, explorerCodec.write(next));
  };
  return (
    <>
      <div class="explorer-head">
        <PageHeading title={tabs.find(({ key }) => key === population)?.text ?? ''} />
        <Tabs label="Kind of records" tabs={tabs} selected={population} onSelect={goTo} />
        <div class="explorer-scope">
          <RunPicker projectId={projectId} run={view.run} onChange={(run) => change({ run })} />
          <RangePicker range={view.t} onChange={(range) => change({ t: range })} />
        </div>
      </div>
      <FilterField
        label="Filter"
        text={view.f}
        context={context}
        {...wanted}
        recents={recents}
        onApply={apply}
        inputRef={field}
      >
        <Button onClick={() => setIsBuilding(true)}>Builder</Button>
        {views.button}
      </FilterField>
      {views.dialog}
      {isBuilding && (
        <FilterBuilder
          tree={parsed.tree}
          context={context}
          onApply={apply}
          onClose={() => setIsBuilding(false)}
        />
      )}
      {view.lost !== '' && (
        <p class="note">
          Not applied here: <code>{view.lost}</code>
        </p>
      )}
      <Records
        projectId={projectId}
        context={context}
        view={view}
        tree={parsed.tree}
        onChange={change}
        onTree={(tree) => apply(tree === null ? '' : printFilter(tree, context.me))}
      />
    </>
  );
};

/** The view of another kind of records, with the filter as far as it applies there. */
const viewOfKind = (
  view: ExplorerView,
  tree: FilterTree | null,
  from: Population,
  to: Population,
  me: string | null,
): ExplorerView => {
  const usual = { ...view, sort: null, cols: null };
  if (view.was === to) return { ...usual, f: view.wasf, was: null, wasf: '', lost: '' };
  const moved = moveFilter(tree, from, to);
  const print = (part: FilterTree | null): string => (part === null ? '' : printFilter(part, me));
  const kept = tree === null ? null : from;
  return { ...usual, f: print(moved.tree), was: kept, wasf: view.f, lost: print(moved.lost) };
};
