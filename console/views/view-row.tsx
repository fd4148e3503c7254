import { useEffect, useState } from 'preact/hooks';
import type { PermittedOperations } from '../client/operations.js';
import { useAction } from '../client/queries.js';
import { changedSince } from '../client/write-faults.js';
import { Button } from '../parts/button.js';
import { fieldFault } from '../parts/faults.js';
import { TextField } from '../parts/field.js';
import { FaultNotice } from '../parts/notice.js';
import type { Permit } from '../parts/permits.js';
import type { SavedPageView } from './model.js';

type Props = {
  readonly projectId: string;
  readonly view: SavedPageView;
  /** State of the page now, which overwrites that of the view. */
  readonly state: string;
  readonly permits: Readonly<Record<'change' | 'share', Permit<'view-write'>>>;
  readonly onOpen: () => void;
  /** Asks for the views again: this one is not what it was. */
  readonly onStale: () => void;
};

type ViewChanges = Partial<Pick<SavedPageView, 'name' | 'state' | 'is_shared'>>;

/** One saved view: opens it, renames, overwrites, shares or deletes it. */
export const ViewRow = (props: Props) => {
  const { permits, projectId, view, state } = props;
  const [mode, setMode] = useState<'shown' | 'renamed' | 'deleted'>('shown');
  const target = { project_id: projectId, view_id: view.id };
  const change = useAction(
    permits.change,
    async (operations, changes: ViewChanges, options) => {
      const ifMatch = await tagOf(operations, target, view);
      return operations.views.change({ ...target, ...changes }, { ...options, ifMatch });
    },
    ['views'],
  );
  const remove = useAction(
    permits.change,
    async (operations, _input, options) => {
      const ifMatch = await tagOf(operations, target, view);
      return operations.views.delete(target, { ...options, ifMatch });
    },
    ['views'],
  );
  const fault = change.fault ?? remove.fault;
  const isStale = fault?.code === 'precondition_failed';
  useEffect(() => {
    if (isStale) props.onStale();
  }, [fault]);
  const close = (): void => setMode('shown');
  const rename = async (name: string): Promise<void> => {
    if (await change.run({ name })) close();
  };
  const isNow = view.state === state;
  return (
    <li class="view-row" aria-current={isNow ? 'true' : undefined}>
      <span class="inline">
        <button type="button" class="view-name" onClick={props.onOpen}>
          {view.name}
        </button>
        {view.is_shared && <span class="note">shared</span>}
        {isNow && <span class="note">shown now</span>}
      </span>
      {mode === 'shown' && (
        <ViewActions
          {...props}
          isNow={isNow}
          isRunning={change.isRunning}
          onChange={(changes) => void change.run(changes)}
          onRename={() => setMode('renamed')}
          onDelete={() => setMode('deleted')}
        />
      )}
      {mode === 'renamed' && (
        <RenameView
          name={view.name}
          complaint={fieldFault(change.fault, 'name')}
          isRunning={change.isRunning}
          onRename={(name) => void rename(name)}
          onClose={close}
        />
      )}
      {mode === 'deleted' && (
        <span class="inline" role="group" aria-label={`Delete ${view.name}?`}>
          <Button look="danger" isDisabled={remove.isRunning} onClick={() => void remove.run()}>
            Delete for good
          </Button>
          <Button onClick={close}>Keep</Button>
        </span>
      )}
      {isStale ? <StaleNotice /> : <FaultNotice fault={fault} />}
    </li>
  );
};

const StaleNotice = () => (
  <p class="warn" role="alert">
    It was changed since it was shown here. This is it now: do it again to change that.
  </p>
);

/** Tag for a write that is about the view as it is listed; a fault where it is another by now. */
const tagOf = async (
  { views }: PermittedOperations<'view-write'>,
  target: { readonly project_id: string; readonly view_id: string },
  listed: SavedPageView,
): Promise<string> => {
  let tag = '';
  const now = await views.get(target, {
    onAnswer: ({ headers }) => {
      tag = headers.get('ETag') ?? '';
    },
  });
  if (now.updated_at !== listed.updated_at) throw changedSince();
  return tag;
};

const ViewActions = (
  props: Props & {
    readonly isNow: boolean;
    readonly isRunning: boolean;
    readonly onChange: (changes: ViewChanges) => void;
    readonly onRename: () => void;
    readonly onDelete: () => void;
  },
) => {
  const { permits, view, state } = props;
  const usual = {
    look: 'plain' as const,
    permit: permits.change,
    isDisabled: props.isRunning,
  };
  return (
    <span class="inline">
      {!props.isNow && (
        <Button
          {...usual}
          label={`Overwrite ${view.name}`}
          onClick={() => props.onChange({ state })}
        >
          Overwrite
        </Button>
      )}
      <Button {...usual} label={`Rename ${view.name}`} onClick={props.onRename}>
        Rename
      </Button>
      <Button
        {...usual}
        permit={permits.share}
        label={`${view.is_shared ? 'Unshare' : 'Share'} ${view.name}`}
        onClick={() => props.onChange({ is_shared: !view.is_shared })}
      >
        {view.is_shared ? 'Unshare' : 'Share'}
      </Button>
      <Button {...usual} label={`Delete ${view.name}`} onClick={props.onDelete}>
        Delete
      </Button>
    </span>
  );
};

const RenameView = (props: {
  readonly name: string;
  readonly complaint: string | null;
  readonly isRunning: boolean;
  readonly onRename: (name: string) => void;
  readonly onClose: () => void;
}) => {
  const [name, setName] = useState(props.name);
  return (
    <form
      class="inline"
      onSubmit={(event) => {
        event.preventDefault();
        props.onRename(name);
      }}
    >
      <TextField label="New name" value={name} onInput={setName} complaint={props.complaint} />
      <Button type="submit" isDisabled={name.trim() === '' || props.isRunning}>
        Rename
      </Button>
      <Button onClick={props.onClose}>Cancel</Button>
    </form>
  );
};
