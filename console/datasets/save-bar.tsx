import { useState } from 'preact/hooks';
import { Button } from '../parts/button.js';
import { FaultNotice } from '../parts/notice.js';
import { changesText, type DatasetDraft } from './changes.js';
import type { DraftEditing } from './use-draft.js';
import type { Saving } from './use-saving.js';

/** The changes that are not saved, counted, and the way to save or drop them. */
export const SaveBar = (props: { readonly editing: DraftEditing; readonly saving: Saving }) => {
  const { editing, saving } = props;
  const [dropped, setDropped] = useState<DatasetDraft | null>(null);
  if (!editing.hasChanges) {
    if (dropped === null) {
      return saving.savedAs === null ? null : (
        <p class="note" role="status">{`Saved as v${saving.savedAs}.`}</p>
      );
    }
    return (
      <div class="selection-bar" role="group" aria-label="Dropped changes">
        <span role="status">The changes were dropped.</span>
        <Button
          onClick={() => {
            editing.replace(dropped);
            setDropped(null);
          }}
        >
          Bring them back
        </Button>
        <Button look="plain" onClick={() => setDropped(null)}>
          Close
        </Button>
      </div>
    );
  }
  return (
    <>
      <FaultNotice fault={saving.fault} />
      <div class="selection-bar" role="group" aria-label="Changes">
        <strong role="status">{changesText(editing.counts)}</strong>
        <Button
          isDisabled={saving.isSaving}
          onClick={() => {
            setDropped(editing.draft);
            editing.replace(null);
          }}
        >
          Discard
        </Button>
        <Button look="primary" isDisabled={!saving.canSave} onClick={saving.save}>
          {saving.isSaving ? 'Saving…' : `Save as v${editing.draft.version + 1}`}
        </Button>
        <span class={saving.limit === null ? 'note' : 'warn'}>
          {saving.limit ?? 'Kept in this tab until it closes. Ctrl+Z undoes, Ctrl+S saves.'}
        </span>
      </div>
    </>
  );
};
