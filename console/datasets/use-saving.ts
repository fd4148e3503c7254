import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Dataset } from '../../clients/typescript/src/generated/datasets-types.js';
import { useAction } from '../client/queries.js';
import { newId } from '../client/unsaved.js';
import { datasetPermit } from '../parts/permits.js';
import { editsOf, makesColumns, savingFault } from './edits.js';
import { useContentTag } from './questions.js';
import type { DraftEditing } from './use-draft.js';

/** Saves the changes of a draft as one version, where no other version came meanwhile. */
export const useSaving = (dataset: Dataset, editing: DraftEditing, onStale: () => void) => {
  const { draft, folded, hasChanges } = editing;
  const current = dataset.current_version_index;
  const isSaved = draft.isSaved === true;
  const [savedAs, setSavedAs] = useState<number | null>(null);
  const [wantsSave, setWantsSave] = useState(false);
  const tag = useContentTag(dataset.id, draft.version, hasChanges);
  const [makerId] = useState(newId);
  const edits = useMemo(() => editsOf(folded, makerId), [folded]);
  const fault = useMemo(() => (hasChanges ? savingFault(edits) : null), [edits, hasChanges]);
  const isLater = hasChanges && !isSaved && (current > draft.version || tag.value === null);
  const save = useAction(
    datasetPermit(dataset),
    async (operations, _input, options) => {
      const known = tag.value ?? '';
      let next = '';
      await operations.datasets.editContent(
        { dataset_id: dataset.id, edits },
        {
          ...options,
          // Strict handling would refuse a new column (contract 1.2, rule 3).
          strict: !makesColumns(folded),
          ifMatch: known,
          onAnswer: ({ headers }) => {
            next = headers.get('ETag') ?? '';
          },
        },
      );
      if (next !== known) setSavedAs(draft.version + 1);
      // Edits without a change make no version.
      editing.replace(next === known ? null : { ...draft, isSaved: true });
    },
    ['datasets'],
  );
  const canSave =
    hasChanges &&
    !isLater &&
    !save.isRunning &&
    !isSaved &&
    fault === null &&
    typeof tag.value === 'string';
  const run = async (): Promise<void> => {
    const isDone = await save.run();
    if (!isDone) onStale();
  };
  useEffect(() => {
    const isPointless = !hasChanges || isLater || fault !== null || tag.fault !== null;
    if (!wantsSave || (!canSave && !isPointless)) return;
    setWantsSave(false);
    if (canSave) void run();
  }, [wantsSave, canSave, hasChanges, isLater, fault, tag.fault]);
  useEffect(() => {
    if (tag.value === null) onStale();
  }, [tag.value]);
  return {
    canSave,
    /** Saves as soon as it can, with the changes that are there then. */
    save: () => setWantsSave(true),
    isSaving: save.isRunning || isSaved,
    /** Version that was saved here last; null: none yet. */
    savedAs,
    /** True where another version came since the changes began. */
    isLater,
    /** Reason against saving at once. */
    limit: fault,
    fault: save.fault?.code === 'precondition_failed' ? null : (save.fault ?? tag.fault),
  };
};

export type Saving = ReturnType<typeof useSaving>;
