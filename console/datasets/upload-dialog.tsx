import { useState } from 'preact/hooks';
import type { Dataset } from '../../clients/typescript/src/generated/datasets-types.js';
import type { PermittedOperations } from '../client/operations.js';
import { useAction, useCaller } from '../client/queries.js';
import { newId } from '../client/unsaved.js';
import { useView } from '../client/view.js';
import { Button } from '../parts/button.js';
import { Dialog } from '../parts/dialog.js';
import { fieldFault } from '../parts/faults.js';
import { FileField, Select } from '../parts/field.js';
import { FaultNotice } from '../parts/notice.js';
import { markedText } from '../parts/text-pieces.js';
import { countedText } from './changes.js';
import { uploadPermit } from './model.js';
import { tableFiles } from './new-dataset-dialog.js';
import { useContentTag } from './questions.js';
import { datasetCodec } from './state.js';
import { uploadedChanges } from './uploaded-rows.js';
import { useDraft } from './use-draft.js';

/** Rows that one version can take as edits (contract 1.11). */
const addedMax = 1_000;

/** Operations for making a dataset of the file, and changing the one that it goes to. */
type Uploading = PermittedOperations<'creator'>;
type Mode = 'add' | 'replace';
type Props = { readonly dataset: Dataset; readonly onClose: () => void };

/**
 * Adds the rows of a file to the changes, or replaces all rows by them. The service reads the file:
 * it becomes a draft dataset, which is deleted again.
 */
export const UploadDialog = (props: Props) => {
  const { dataset, onClose } = props;
  const [file, setFile] = useState<File | null>(null);
  const [mode, setMode] = useState<Mode>('add');
  const [problem, setProblem] = useState<string | null>(null);
  const upload = useUpload(props, file, mode, setProblem);
  const complaint = fieldFault(upload.fault, 'file');
  return (
    <Dialog title={`Upload to ${markedText(dataset.name)}`} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          setProblem(null);
          void upload.run();
        }}
      >
        <FileField
          label="File"
          hint="CSV, JSON or JSON Lines, 32 MB at most"
          accept={tableFiles}
          complaint={complaint ?? problem}
          onChoose={(chosen) => {
            setFile(chosen);
            setProblem(null);
            upload.clearFault();
          }}
          isRequired
        />
        <Select
          label="Its rows"
          hint={modeHints[mode]}
          value={mode}
          choices={[
            { value: 'add', text: 'are added to the changes' },
            {
              value: 'replace',
              text: `replace all rows, as v${dataset.current_version_index + 1}`,
            },
          ]}
          onChange={setMode}
        />
        {complaint === null && <FaultNotice fault={upload.fault} />}
        <Button
          type="submit"
          look="primary"
          permit={upload.permit}
          isDisabled={file === null || upload.isRunning}
        >
          {upload.isRunning ? 'Uploading…' : 'Upload'}
        </Button>
      </form>
    </Dialog>
  );
};

/** Uploads the file; `onProblem` gets a sentence about a file that cannot be added. */
const useUpload = (
  { dataset, onClose }: Props,
  file: File | null,
  mode: Mode,
  onProblem: (problem: string) => void,
) => {
  const [, change] = useView(datasetCodec);
  const current = dataset.current_version_index;
  const editing = useDraft(dataset.id, {
    version: current,
    columns: dataset.column_names,
    rows: dataset.num_rows,
  });
  const tag = useContentTag(dataset.id, current, mode === 'replace');
  const replace = async (operations: Uploading, uploaded: Dataset): Promise<void> => {
    const body = { dataset_id: uploaded.id, version_index: 1 };
    const match = typeof tag.value === 'string' ? { ifMatch: tag.value } : {};
    await operations.datasets.replaceContent({ dataset_id: dataset.id, body }, match);
  };
  const add = async (operations: Uploading, uploaded: Dataset): Promise<void> => {
    const rows = [];
    const pages = operations.datasets.content({ dataset_id: uploaded.id, limit: addedMax });
    for await (const row of pages) rows.push(row.values);
    editing.apply(uploadedChanges(editing.folded, uploaded.column_names, rows, newId));
  };
  const { value: caller } = useCaller();
  return useAction(
    uploadPermit(dataset, caller),
    async (operations) => {
      if (file === null) return;
      await withUploaded(operations, dataset, file, async (uploaded) => {
        if (mode === 'add' && uploaded.num_rows > addedMax) {
          const count = countedText(uploaded.num_rows, 'row');
          onProblem(`The file has ${count}; 1,000 at most can be added to a version at once.`);
          return;
        }
        await (mode === 'replace' ? replace : add)(operations, uploaded);
        onClose();
        change({ tab: 'rows', v: null, from: null, to: null });
      });
    },
    ['datasets'],
  );
};

const modeHints: Readonly<Record<Mode, string>> = {
  add: 'Nothing is saved yet: look at them, then save. 1,000 rows at most.',
  replace: 'Its rows are new ones: experiments on the rows of now are not compared with them.',
};

/** Characters of a name (contract 1.3), less those of a suffix. */
const nameMax = 240;

/** Works with a dataset of the file, which is deleted after it. */
const withUploaded = async (
  operations: Uploading,
  { name }: Dataset,
  file: File,
  work: (uploaded: Dataset) => Promise<void>,
): Promise<void> => {
  const uploaded = await operations.datasets.create({
    file,
    name: `${Array.from(name).slice(0, nameMax).join('')} upload`,
    draft: true,
    append_suffix_if_duplicate: true,
  });
  try {
    await work(uploaded);
  } finally {
    // A failed deletion leaves a draft in the list; the work has not failed with it.
    await operations.datasets.delete({ dataset_id: uploaded.id }).catch(() => undefined);
  }
};
