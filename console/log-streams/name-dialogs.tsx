import { useState } from 'preact/hooks';
import type { LogStream } from '../../clients/typescript/src/generated/log-streams-types.js';
import { useSurroundings } from '../client/context.js';
import { useAction, type Action } from '../client/queries.js';
import { Button } from '../parts/button.js';
import { ConfirmDialog } from '../parts/confirm-dialog.js';
import { Dialog } from '../parts/dialog.js';
import { fieldFault } from '../parts/faults.js';
import { TextField } from '../parts/field.js';
import { FaultNotice } from '../parts/notice.js';
import { printCount } from '../parts/numbers.js';
import type { Permit } from '../parts/permits.js';
import { markedText } from '../parts/text-pieces.js';

/** Makes a log stream, and goes to it. */
export const NewLogStream = (props: {
  readonly projectId: string;
  readonly permit: Permit<'editor'>;
  readonly onClose: () => void;
}) => {
  const { navigation } = useSurroundings();
  const create = useAction(
    props.permit,
    async (operations, name: string, options) => {
      const { id } = await operations.logStreams.create(
        { project_id: props.projectId, name },
        options,
      );
      navigation.go(`/p/${props.projectId}/runs/${id}`);
    },
    ['log-streams'],
  );
  return (
    <NameDialog
      title="New log stream"
      name=""
      act="Create"
      action={create}
      onClose={props.onClose}
    />
  );
};

/** Gives a log stream another name. */
export const RenameLogStream = (props: {
  readonly stream: LogStream;
  readonly permit: Permit<'editor'>;
  readonly onClose: () => void;
}) => {
  const { stream } = props;
  const rename = useAction(
    props.permit,
    async (operations, name: string, options) => {
      const ids = { project_id: stream.project_id, log_stream_id: stream.id };
      await operations.logStreams.rename({ ...ids, name }, options);
      props.onClose();
    },
    ['log-streams'],
  );
  return (
    <NameDialog
      title={`Rename ${markedText(stream.name)}`}
      name={stream.name}
      act="Rename"
      action={rename}
      onClose={props.onClose}
    />
  );
};

const NameDialog = (props: {
  readonly title: string;
  readonly name: string;
  readonly act: string;
  readonly action: Action<string>;
  readonly onClose: () => void;
}) => {
  const { action } = props;
  const [name, setName] = useState(props.name);
  const complaint = fieldFault(action.fault, 'name');
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void action.run(name);
        }}
      >
        <TextField
          label="Name"
          hint="Unique among the log streams of the project"
          value={name}
          onInput={setName}
          complaint={complaint}
          isRequired
        />
        {complaint === null && <FaultNotice fault={action.fault} />}
        <Button type="submit" look="primary" isDisabled={action.isRunning || name === props.name}>
          {props.act}
        </Button>
      </form>
    </Dialog>
  );
};

/** Deletes a log stream with its records after its name was typed. */
export const DeleteLogStream = (props: {
  readonly stream: LogStream;
  readonly permit: Permit<'owner'>;
  readonly onClose: () => void;
}) => {
  const { navigation } = useSurroundings();
  const { stream } = props;
  const { num_traces: traces } = stream;
  const count = traces === null ? 'All its traces' : `${printCount(traces)} traces`;
  const ids = { project_id: stream.project_id, log_stream_id: stream.id };
  const remove = useAction(
    props.permit,
    (operations, _input, options) => operations.logStreams.delete(ids, options),
    ['log-streams', 'traces', 'spans', 'sessions', 'metrics'],
  );
  const confirm = async (): Promise<void> => {
    if (await remove.run()) navigation.go(`/p/${stream.project_id}/runs`);
  };
  return (
    <ConfirmDialog
      title={`Delete ${markedText(stream.name)}?`}
      name={stream.name}
      action="Delete for good"
      isRunning={remove.isRunning}
      onConfirm={() => void confirm()}
      onClose={props.onClose}
    >
      <p>
        {count} go, with everything below them. Their content is erased and cannot be brought back.
      </p>
      <FaultNotice fault={remove.fault} />
    </ConfirmDialog>
  );
};
