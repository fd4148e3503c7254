import type { ComponentChildren } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { parseFilter } from '../language/parse-filter.js';
import { FilterField } from '../parts/filter-field.js';
import { RangePicker } from '../parts/range-picker.js';
import type { RecordScope } from '../parts/record-scope.js';
import type { Population } from '../../kernel/records/record.js';
import { useFilterContext, useRecentFilters, useWantedValues } from './filter-context.js';
import { useKeys } from './keys.js';
import { RunPicker } from './run-picker.js';

type Props = {
  readonly projectId: string;
  readonly population: Population;
  readonly view: Pick<RecordScope, 't' | 'f'> & Partial<RecordScope>;
  readonly onChange: (change: Partial<RecordScope>) => void;
  /** True where an empty run is the log streams. */
  readonly isOfStreams?: boolean;
  /** Shows the filter, where it is not on the page. */
  readonly onFind?: () => void;
};

/**
 * Fields of a page that choose its records: run, range and filter, each for its place on the page,
 * and the filter as it is read. `/` goes to the filter.
 */
export const useScopeFields = (props: Props) => {
  const { projectId, population, view, onChange } = props;
  const context = useFilterContext(projectId, population);
  const wanted = useWantedValues(projectId);
  const { recents, addRecent } = useRecentFilters();
  const input = useRef<HTMLInputElement | null>(null);
  const { tree, problems } = useMemo(() => parseFilter(view.f, context), [view.f, context]);
  const find = (): void => (input.current === null ? props.onFind?.() : input.current.focus());
  useKeys([{ keys: '/', what: 'Filter', run: find }], []);
  const apply = (text: string): void => {
    addRecent(text);
    if (text !== view.f) onChange({ f: text });
  };
  return {
    context,
    /** Null: no filter, or one that cannot be read. */
    tree,
    problems,
    /** Applies a filter that was made elsewhere on the page. */
    apply,
    run: (
      <RunPicker
        projectId={projectId}
        run={view.run ?? ''}
        isOfStreams={props.isOfStreams === true}
        onChange={(run) => onChange({ run })}
      />
    ),
    range: <RangePicker range={view.t} onChange={(t) => onChange({ t })} />,
    /** The filter's input, once it is on the page. */
    input,
    /** `children`: buttons beside it. */
    filter: (children: ComponentChildren) => (
      <FilterField
        label="Filter"
        text={view.f}
        context={context}
        {...wanted}
        recents={recents}
        inputRef={input}
        onApply={apply}
      >
        {children}
      </FilterField>
    ),
  };
};
