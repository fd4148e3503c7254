import { useState } from 'preact/hooks';
import { useSurroundings } from '../client/context.js';
import { kindOf } from '../client/filter-context.js';
import { useScopeFields } from '../client/scope-fields.js';
import { useView } from '../client/view.js';
import type { FilterTree } from '../language/filter-tree.js';
import { printFilter } from '../language/print-filter.js';
import { Button } from '../parts/button.js';
import { FilterBuilder } from '../parts/filter-builder.js';
import { PageHeading } from '../parts/heading.js';
import type { PageProps } from '../parts/page.js';
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
  const fields = useScopeFields({ projectId, population, view, onChange: change });
  const { apply, context, tree } = fields;
  const [isBuilding, setIsBuilding] = useState(false);
  const views = useSavedViews({ projectId, page: kindOf[population] });
  const goTo = (to: Population): void => {
    const next = viewOfKind(view, tree, population, to, context.me);
    navigation.go(`/p/${projectId}/${kindOf[to]}`, explorerCodec.write(next));
  };
  return (
    <>
      <div class="explorer-head">
        <PageHeading title={tabs.find(({ key }) => key === population)?.text ?? ''} />
        <Tabs label="Kind of records" tabs={tabs} selected={population} onSelect={goTo} />
        <div class="explorer-scope">
          {fields.run}
          {fields.range}
        </div>
      </div>
      {fields.filter(
        <>
          <Button onClick={() => setIsBuilding(true)}>Builder</Button>
          {views.button}
        </>,
      )}
      {views.dialog}
      {isBuilding && (
        <FilterBuilder
          tree={tree}
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
        tree={tree}
        onChange={change}
        onTree={(next) => apply(next === null ? '' : printFilter(next, context.me))}
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
