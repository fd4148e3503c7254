import { useState } from 'preact/hooks';
import { kindOf } from '../client/filter-context.js';
import { useAction, useQuery } from '../client/queries.js';
import { Button } from '../parts/button.js';
import { Dialog } from '../parts/dialog.js';
import { TextField } from '../parts/field.js';
import { FaultNotice, Skeleton } from '../parts/notice.js';
import type { Permit } from '../parts/permits.js';
import type { RecordQuestion } from './questions.js';

/** Deletes records for good after their number was typed. */
export const DeleteDialog = (props: {
  readonly population: 'session' | 'trace';
  readonly question: RecordQuestion;
  readonly permit: Permit<'owner'>;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}) => {
  const kind = kindOf[props.population];
  const [typed, setTyped] = useState('');
  const found = useQuery({
    key: [kind, 'deletion', props.question],
    permit: props.permit,
    ask: (operations, signal) =>
      operations[kind].delete({ ...props.question, dry_run: true }, { signal }),
  });
  const remove = useAction(
    props.permit,
    async (operations, _input, { strict }) => {
      for (let isMore = true; isMore;) {
        // Each call is a write of its own, with a key of its own.
        const answer = await operations[kind].delete(props.question, {
          ...(strict !== undefined && { strict }),
        });
        isMore = answer.remaining;
      }
      props.onDeleted();
    },
    [kind, 'metrics'],
  );
  const count = found.value?.matched_count;
  return (
    <Dialog title={`Delete ${kind}`} onClose={props.onClose}>
      <FaultNotice fault={found.fault ?? remove.fault} />
      {found.isLoading && <Skeleton rows={2} />}
      {count !== undefined && (
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault();
            void remove.run();
          }}
        >
          <p>
            {count.toLocaleString('en')} {kind} with everything below them. Their content is erased
            and cannot be brought back; history keeps that they were there.
          </p>
          <TextField label={`Type ${count} to delete`} value={typed} onInput={setTyped} />
          <Button
            type="submit"
            look="danger"
            isDisabled={typed !== String(count) || count === 0 || remove.isRunning}
          >
            Delete
          </Button>
        </form>
      )}
    </Dialog>
  );
};
