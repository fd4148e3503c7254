import { useLayoutEffect } from 'preact/hooks';
import type { useScopeFields } from '../client/scope-fields.js';
import { Button } from '../parts/button.js';
import { rangeName } from '../parts/range-picker.js';
import { runText } from '../parts/record-scope.js';
import { useSavedViews } from '../views/saved-views.js';
import type { RateView } from './state.js';

/** The traces of the queue in a line: where, range and filter, and the way to change them. */
export const ScopeLine = (props: { readonly view: RateView; readonly onOpen: () => void }) => {
  const { view } = props;
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
export const ScopeFields = (props: {
  readonly projectId: string;
  readonly fields: ReturnType<typeof useScopeFields>;
  readonly onClose: (() => void) | null;
}) => {
  const { fields, onClose } = props;
  const views = useSavedViews({ projectId: props.projectId, page: 'rate' });
  // Before the next key comes: it belongs to the field.
  useLayoutEffect(() => fields.input.current?.focus(), []);
  return (
    <div class="rate-scope-fields">
      {fields.run}
      {fields.range}
      {fields.filter(
        <>
          {views.button}
          {onClose !== null && (
            <Button look="plain" onClick={onClose}>
              Done
            </Button>
          )}
        </>,
      )}
      {views.dialog}
    </div>
  );
};
