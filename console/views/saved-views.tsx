import { useState } from 'preact/hooks';
import { useSurroundings } from '../client/context.js';
import { useKeys } from '../client/keys.js';
import { useProject } from '../client/project.js';
import { useAction, useCaller, useQuery } from '../client/queries.js';
import { Button } from '../parts/button.js';
import { Dialog } from '../parts/dialog.js';
import { fieldFault } from '../parts/faults.js';
import { Checkbox, TextField } from '../parts/field.js';
import { BehindNotice, EmptyNotice, FaultNotice, Skeleton } from '../parts/notice.js';
import { orderedViews, savingPermit, sharingPermit, viewPermits } from './model.js';
import { ViewRow } from './view-row.js';

type Props = {
  readonly projectId: string;
  /** Name of the page, which its views have. */
  readonly page: string;
};

/**
 * Saved views of a page, which open and save the view of its address: a button for beside the
 * filter, and the dialog that it opens, for outside of any field.
 */
export const useSavedViews = (props: Props) => {
  const [isOpen, setIsOpen] = useState(false);
  useKeys([{ keys: 'b', what: 'Saved views', run: () => setIsOpen(true) }], []);
  return {
    button: <Button onClick={() => setIsOpen(true)}>Views</Button>,
    dialog: isOpen ? <ViewsDialog {...props} onClose={() => setIsOpen(false)} /> : null,
  };
};

const ViewsDialog = (props: Props & { readonly onClose: () => void }) => {
  const { projectId, page } = props;
  const { navigation } = useSurroundings();
  const { path, view: state } = navigation.place.value;
  const where = { caller: useCaller().value, project: useProject(projectId).value };
  const views = useQuery({
    key: ['views', projectId, page],
    ask: (operations, signal) => operations.views.list({ project_id: projectId, page }, { signal }),
  });
  const rows = orderedViews(views.value ?? []);
  const open = (saved: string): void => {
    props.onClose();
    navigation.go(path, saved);
  };
  return (
    <Dialog title="Saved views" onClose={props.onClose}>
      <SaveView {...props} state={state} where={where} />
      <FaultNotice fault={views.fault} onRetry={views.refetch} />
      <BehindNotice isBehind={views.isBehind} />
      {views.isLoading && <Skeleton rows={2} />}
      {views.value !== undefined && rows.length === 0 && (
        <EmptyNotice title="No view of this page is saved yet" />
      )}
      {rows.length > 0 && (
        <ul class="view-list" aria-label="Views">
          {rows.map((view) => (
            <ViewRow
              key={view.id}
              projectId={projectId}
              view={view}
              state={state}
              permits={viewPermits(view, where)}
              onOpen={() => open(view.state)}
              onStale={views.refetch}
            />
          ))}
        </ul>
      )}
    </Dialog>
  );
};

const SaveView = (
  props: Props & { readonly state: string; readonly where: Parameters<typeof savingPermit>[0] },
) => {
  const { projectId, page, state } = props;
  const [name, setName] = useState('');
  const [isShared, setIsShared] = useState(false);
  const sharing = sharingPermit(props.where);
  const save = useAction(
    savingPermit(props.where),
    (operations, _input, options) =>
      operations.views.create(
        { project_id: projectId, page, name, state, is_shared: isShared },
        options,
      ),
    ['views'],
  );
  const complaint = fieldFault(save.fault, 'name');
  const submit = async (): Promise<void> => {
    if (await save.run()) setName('');
  };
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <TextField
        label="Name of this view"
        hint="The range, filter, columns and order as they are now"
        value={name}
        onInput={setName}
        complaint={complaint}
      />
      <div class="spread">
        <Checkbox
          label="Share with the project"
          isChecked={isShared}
          onChange={setIsShared}
          permit={sharing}
        />
        <Button
          type="submit"
          look="primary"
          permit={save.permit}
          isDisabled={name.trim() === '' || save.isRunning}
        >
          Save this view
        </Button>
      </div>
      {save.permit.reason !== null && <p class="note">{save.permit.reason}</p>}
      {complaint === null && <FaultNotice fault={save.fault} />}
    </form>
  );
};
