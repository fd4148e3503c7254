import { useState } from 'preact/hooks';
import type { Dataset } from '../../clients/typescript/src/generated/datasets-types.js';
import { useSurroundings } from '../client/context.js';
import { ExportDialog } from '../client/export-dialog.js';
import { useCaller } from '../client/queries.js';
import { useView } from '../client/view.js';
import { Button } from '../parts/button.js';
import { datasetPermit, readPermit, type Permit } from '../parts/permits.js';
import { countedText } from './changes.js';
import { DeletionDialog, RenameDialog } from './dataset-dialogs.js';
import { datasetCreationPermit, uploadPermit } from './model.js';
import { NewDatasetDialog } from './new-dataset-dialog.js';
import { datasetCodec } from './state.js';
import { UploadDialog } from './upload-dialog.js';

type Open = 'upload' | 'export' | 'copy' | 'rename' | 'delete';

/** Actions on a dataset as a whole. */
export const DatasetActions = ({ dataset }: { readonly dataset: Dataset }) => {
  const { navigation } = useSurroundings();
  const [open, setOpen] = useState<Open | null>(null);
  const [view] = useView(datasetCodec);
  const close = (): void => setOpen(null);
  const change = datasetPermit(dataset);
  const { value: caller } = useCaller();
  const button = (name: Open, text: string, permit: Permit) => (
    <Button permit={permit} onClick={() => setOpen(name)}>
      {text}
    </Button>
  );
  return (
    <span class="inline dataset-actions">
      {button('upload', 'Upload', uploadPermit(dataset, caller))}
      {button('export', 'Export', readPermit)}
      {button('copy', 'Copy', datasetCreationPermit(caller))}
      {button('rename', 'Rename', change)}
      {button('delete', 'Delete…', change)}
      <a href={navigation.href(`/history/dataset/${dataset.id}`)}>History</a>
      {open === 'upload' && <UploadDialog dataset={dataset} onClose={close} />}
      {open === 'export' && <DatasetExport dataset={dataset} version={view.v} onClose={close} />}
      {open === 'copy' && (
        <NewDatasetDialog source={{ dataset, version: view.v }} onClose={close} />
      )}
      {open === 'rename' && <RenameDialog dataset={dataset} onClose={close} />}
      {open === 'delete' && (
        <DeletionDialog
          dataset={dataset}
          onClose={close}
          onDeleted={() => navigation.go('/datasets', '', 'replace')}
        />
      )}
    </span>
  );
};

/** Saves a version by the server's export. */
const DatasetExport = (props: {
  readonly dataset: Dataset;
  /** Null: the current one. */
  readonly version: number | null;
  readonly onClose: () => void;
}) => {
  const { dataset, version } = props;
  const shown = version ?? dataset.current_version_index;
  const count = version === null ? `, ${countedText(dataset.num_rows, 'row')}` : '';
  return (
    <ExportDialog
      title={`Export v${shown}${count}`}
      fileName={`${dataset.name}-v${shown}`}
      rows="rows"
      texts={{ jsonl: 'JSON Lines, to upload again', csv: 'CSV, for a spreadsheet' }}
      download={(operations, format) =>
        operations.datasets.exportContent({
          dataset_id: dataset.id,
          version_index: shown,
          format,
        })
      }
      onClose={props.onClose}
    />
  );
};
