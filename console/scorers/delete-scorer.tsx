import type { Scorer } from '../../clients/typescript/src/generated/scorers-types-2.js';
import { useAction } from '../client/queries.js';
import { ConfirmDialog } from '../parts/confirm-dialog.js';
import { FaultNotice } from '../parts/notice.js';
import { markedText } from '../parts/text-pieces.js';
import { scorerPermit } from './model.js';

/** Deletes a scorer after its name was typed. */
export const DeleteScorer = (props: {
  readonly scorer: Scorer;
  readonly onClose: () => void;
  readonly onDeleted?: () => void;
}) => {
  const { scorer } = props;
  const remove = useAction(
    scorerPermit(scorer),
    (operations, _input, options) => operations.scorers.delete({ scorer_id: scorer.id }, options),
    ['scorers', 'scorer-settings'],
  );
  const confirm = async (): Promise<void> => {
    if (!(await remove.run())) return;
    props.onClose();
    props.onDeleted?.();
  };
  return (
    <ConfirmDialog
      title={`Delete ${markedText(scorer.name)}?`}
      name={scorer.name}
      action="Delete for good"
      isRunning={remove.isRunning}
      onConfirm={() => void confirm()}
      onClose={props.onClose}
    >
      <p>
        Log streams and experiments that have it score nothing more by it. Scores that it gave stay.
      </p>
      <FaultNotice fault={remove.fault} />
    </ConfirmDialog>
  );
};
