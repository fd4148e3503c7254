import { useState } from 'preact/hooks';
import type { Dataset } from '../../clients/typescript/src/generated/datasets-types.js';
import { useAction } from '../client/queries.js';
import { Button } from '../parts/button.js';
import { ConfirmDialog } from '../parts/confirm-dialog.js';
import { Dialog } from '../parts/dialog.js';
import { fieldFault } from '../parts/faults.js';
import { TextField } from '../parts/field.js';
import { FaultNotice } from '../parts/notice.js';
import { datasetPermit } from '../parts/permits.js';
import { markedText } from '../parts/text-pieces.js';
import { countedText } from './changes.js';

type Props = { readonly dataset: Dataset; readonly onClose: () => void };

/** Renames a dataset; names are unique in the organisation. */
export const RenameDialog = ({ dataset, onClose }: Props) => {
  const [name, setName] = useState(dataset.name);
  const rename = useAction(
    datasetPermit(dataset),
    (operations, _input, options) =>
      operations.datasets.change({ dataset_id: dataset.id, name }, options),
    ['datasets'],
  );
  const run = async (): Promise<void> => {
    if (await rename.run()) onClose();
  };
  const complaint = fieldFault(rename.fault, 'name');
  return (
    <Dialog title={`Rename ${markedText(dataset.name)}`} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <TextField label="Name" value={name} onInput={setName} complaint={complaint} isRequired />
        {complaint === null && <FaultNotice fault={rename.fault} />}
        <Button type="submit" look="primary" isDisabled={rename.isRunning || name === dataset.name}>
          Rename
        </Button>
      </form>
    </Dialog>
  );
};

/** Deletes a dataset once its name was typed. */
export const DeletionDialog = (props: Props & { readonly onDeleted: () => void }) => {
  const { dataset } = props;
  const remove = useAction(
    datasetPermit(dataset),
    (operations, _input, options) =>
      operations.datasets.delete({ dataset_id: dataset.id }, options),
    ['datasets'],
  );
  const run = async (): Promise<void> => {
    if (!(await remove.run())) return;
    props.onClose();
    props.onDeleted();
  };
  return (
    <ConfirmDialog
      title={`Delete ${markedText(dataset.name)}`}
      name={dataset.name}
      action="Delete for good"
      isRunning={remove.isRunning}
      onConfirm={() => void run()}
      onClose={props.onClose}
    >
      <p>
        {`${countedText(dataset.num_rows, 'row')} and all ` +
          `${countedText(dataset.current_version_index, 'version')} are erased and cannot be ` +
          'brought back. Experiments keep its id.'}
      </p>
      <FaultNotice fault={remove.fault} />
    </ConfirmDialog>
  );
};
