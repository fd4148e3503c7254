import { useEffect, useRef } from 'preact/hooks';
import { useRecentFilters, useWantedValues } from '../client/filter-context.js';
import { useKeys } from '../client/keys.js';
import { RunPicker } from '../client/run-picker.js';
import type { FilterContext } from '../language/catalogue.js';
import { Button } from '../parts/button.js';
import { FilterField } from '../parts/filter-field.js';
import { rangeName, RangePicker } from '../parts/range-picker.js';
import { runText } from '../parts/record-scope.js';
import { useSavedViews } from '../views/saved-views.js';
import type { RateView } from './state.js';

type ScopeProps = {
  readonly projectId: string;
  readonly view: RateView;
  readonly context: FilterContext;
  readonly onChange: (change: Partial<RateView>) => void;
};

/** The traces of the queue in a line: where, range and filter, and the way to change them. */
export const ScopeLine = (props: { readonly view: RateView; readonly onOpen: () => void }) => {
  const { view } = props;
  useKeys([{ keys: '/', what: 'Filter of the queue', run: props.onOpen }], []);
  return (
    <span class="rate-scope note">
      <span>{runText(view.run)}</span>
      <span>{rangeName(view.t)}</span>
      {view.f !== '' && <code>{view.f}</code>}
      <Button look="plain" title="/" onClick={props.onOpen}>
        Change
      </Button>
    </span>
  );
};

/** The fields that choose the traces of the queue. */
export const ScopeFields = (props: ScopeProps & { readonly onClose: (() => void) | null }) => {
  const { projectId, view, context, onClose } = props;
  const wanted = useWantedValues(projectId);
  const { recents, addRecent } = useRecentFilters();
  const views = useSavedViews({ projectId, page: 'rate' });
  const field = useRef<HTMLInputElement | null>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <div class="rate-scope-fields">
      <RunPicker projectId={projectId} run={view.run} onChange={(run) => props.onChange({ run })} />
      <RangePicker range={view.t} onChange={(t) => props.onChange({ t })} />
      <FilterField
        label="Filter"
        text={view.f}
        context={context}
        {...wanted}
        recents={recents}
        inputRef={field}
        onApply={(f) => {
          addRecent(f);
          if (f !== view.f) props.onChange({ f });
        }}
      >
        {views.button}
        {onClose !== null && (
          <Button look="plain" onClick={onClose}>
            Done
          </Button>
        )}
      </FilterField>
      {views.dialog}
    </div>
  );
};
