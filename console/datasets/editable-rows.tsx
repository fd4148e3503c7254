import { useState } from 'preact/hooks';
import type { Dataset } from '../../clients/typescript/src/generated/datasets-types.js';
import { useKeys } from '../client/keys.js';
import { EmptyNotice } from '../parts/notice.js';
import { datasetPermit } from '../parts/permits.js';
import { LaterVersions, RebaseNotice } from './later-versions.js';
import type { RebasedDraft } from './rebase.js';
import { RowsView } from './rows-view.js';
import { SaveBar } from './save-bar.js';
import type { DraftEditing } from './use-draft.js';
import { useSaving } from './use-saving.js';

/** The rows of the current version with the changes of this tab, which become the next version. */
export const EditableRows = (props: {
  readonly dataset: Dataset;
  readonly editing: DraftEditing;
  /** Asks for the dataset again. */
  readonly onStale: () => void;
}) => {
  const { dataset, editing } = props;
  const saving = useSaving(dataset, editing, props.onStale);
  const [rebased, setRebased] = useState<RebasedDraft | null>(null);
  const { draft, folded } = editing;
  useKeys(
    [
      {
        keys: 'Ctrl+z',
        what: 'Undo the last change',
        run: () => (saving.isSaving ? undefined : editing.undo()),
      },
      { keys: 'Ctrl+s', what: 'Save the changes', run: saving.save },
    ],
    [draft, saving.isSaving],
  );
  const permit = datasetPermit(dataset);
  const isEmpty = draft.rows === 0 && folded.newRows.length === 0 && folded.columns.length === 0;
  return (
    <>
      {!permit.isAllowed && <p class="note">{`Read-only: ${permit.reason ?? ''}.`}</p>}
      {saving.isLater && (
        <LaterVersions
          datasetId={dataset.id}
          editing={editing}
          onRebased={(next) => {
            setRebased(next);
            editing.replace(next.draft);
          }}
        />
      )}
      {rebased !== null && editing.hasChanges && (
        <RebaseNotice rebased={rebased} onClose={() => setRebased(null)} />
      )}
      {isEmpty && (
        <EmptyNotice title="No rows yet">
          <p>Upload a file, or add a column and then rows. Traces can be added in their list.</p>
        </EmptyNotice>
      )}
      <RowsView
        dataset={dataset}
        version={draft}
        folded={folded}
        editing={permit.isAllowed && !saving.isSaving ? editing : null}
        onSave={saving.save}
        isStale={saving.isSaving}
      />
      {permit.isAllowed && <SaveBar editing={editing} saving={saving} />}
    </>
  );
};
