import type { Dataset } from '../../clients/typescript/src/generated/datasets-types.js';
import { useAction } from '../client/queries.js';
import { Button } from '../parts/button.js';
import { Dialog } from '../parts/dialog.js';
import { FaultNotice } from '../parts/notice.js';
import { datasetPermit } from '../parts/permits.js';
import { useContentTag } from './questions.js';

/** Makes the content of an older version the next version. */
export const RollbackDialog = (props: {
  readonly dataset: Dataset;
  readonly version: number;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) => {
  const { dataset, version } = props;
  const next = dataset.current_version_index + 1;
  const tag = useContentTag(dataset.id, dataset.current_version_index, true);
  const rollback = useAction(
    datasetPermit(dataset),
    (operations, _input, options) =>
      operations.datasets.replaceContent(
        { dataset_id: dataset.id, body: { rollback_version: version } },
        { ...options, ...(typeof tag.value === 'string' && { ifMatch: tag.value }) },
      ),
    ['datasets'],
  );
  const run = async (): Promise<void> => {
    if (!(await rollback.run())) return;
    props.onClose();
    props.onDone();
  };
  return (
    <Dialog title={`Roll back to v${version}`} onClose={props.onClose}>
      <p>
        {`The content of v${version} becomes v${next}. The versions between stay, and rows keep ` +
          'their ids. Changes of this tab that are not saved stay, too.'}
      </p>
      <FaultNotice fault={rollback.fault ?? tag.fault} />
      {tag.value === null && (
        <p class="warn">Another version came meanwhile. Close this and look at it first.</p>
      )}
      <Button
        look="primary"
        isDisabled={rollback.isRunning || typeof tag.value !== 'string'}
        onClick={() => void run()}
      >
        {`Roll back, as v${next}`}
      </Button>
    </Dialog>
  );
};
