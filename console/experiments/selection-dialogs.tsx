import { useState } from 'preact/hooks';
import type { Experiment } from '../../clients/typescript/src/generated/experiments-types-2.js';
import { useAction } from '../client/queries.js';
import { Button } from '../parts/button.js';
import { ConfirmDialog } from '../parts/confirm-dialog.js';
import { Dialog } from '../parts/dialog.js';
import { Select, TextField } from '../parts/field.js';
import { FaultNotice } from '../parts/notice.js';
import type { Permit } from '../parts/permits.js';
import { markedText } from '../parts/text-pieces.js';
import type { ExperimentGroup } from './model.js';
import { experimentName } from './questions.js';
import { ownMember } from '../../kernel/own-member.js';

type Props = {
  readonly projectId: string;
  readonly permit: Permit<'editor'>;
  readonly selected: readonly Experiment[];
  readonly onClose: () => void;
};

/** Gives the selected experiments one tag. */
export const TagDialog = (props: Props) => {
  const [key, setKey] = useState('');
  const [value, setValue] = useState('');
  const tag = useAction(
    props.permit,
    async (operations, _input, { strict = true }) => {
      for (const { id, tags } of props.selected) {
        // A second try leaves out those that have the tag already.
        if (ownMember(tags, key)?.some((one) => one.value === value) === true) continue;
        const ids = { project_id: props.projectId, experiment_id: id };
        await operations.experiments.tag({ ...ids, key, value, tag_type: 'generic' }, { strict });
      }
      props.onClose();
    },
    ['experiments'],
  );
  return (
    <Dialog title={`Tag ${countedText(props.selected.length)}`} onClose={props.onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void tag.run();
        }}
      >
        <TextField label="Key" value={key} onInput={setKey} isRequired />
        <TextField label="Value" value={value} onInput={setValue} isRequired />
        <FaultNotice fault={tag.fault} />
        <Button type="submit" look="primary" isDisabled={tag.isRunning}>
          Tag
        </Button>
      </form>
    </Dialog>
  );
};

const newGroup = 'new';

/** Puts the selected experiments into a group; an experiment can change its group, not leave it. */
export const GroupDialog = (props: Props & { readonly groups: readonly ExperimentGroup[] }) => {
  const { groups, projectId, selected } = props;
  const [group, setGroup] = useState(groups[0]?.id ?? newGroup);
  const [name, setName] = useState('');
  const move = useAction(
    props.permit,
    async (operations, _input, { strict = true }) => {
      const target =
        group === newGroup ? { experiment_group_name: name } : { experiment_group_id: group };
      for (const experiment of selected) {
        const ids = { project_id: projectId, experiment_id: experiment.id };
        const input = { ...ids, name: experiment.name, ...target };
        await operations.experiments.change(input, { strict });
      }
      props.onClose();
    },
    ['experiments'],
  );
  return (
    <Dialog title={`Group ${countedText(selected.length)}`} onClose={props.onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void move.run();
        }}
      >
        <p class="note">
          Experiments are ranked within their group. One can change its group, not leave it.
        </p>
        <Select
          label="Group"
          value={group}
          choices={[
            ...groups.map(({ id, name: text }) => ({ value: id, text: markedText(text) })),
            { value: newGroup, text: 'New group…' },
          ]}
          onChange={setGroup}
        />
        {group === newGroup && (
          <TextField label="Name of the new group" value={name} onInput={setName} isRequired />
        )}
        <FaultNotice fault={move.fault} />
        <Button type="submit" look="primary" isDisabled={move.isRunning}>
          Move
        </Button>
      </form>
    </Dialog>
  );
};

/** Deletes experiments with their records after the name, or of several their number, was typed. */
export const DeletionDialog = (props: Props & { readonly onDeleted: () => void }) => {
  const { projectId, selected } = props;
  const [first] = selected;
  const isOne = selected.length === 1 && first !== undefined;
  const remove = useAction(
    props.permit,
    async (operations, _input, { strict = true }) => {
      for (const { id } of selected) {
        await operations.experiments.delete(
          { project_id: projectId, experiment_id: id },
          { strict },
        );
      }
      props.onClose();
      props.onDeleted();
    },
    ['experiments', 'traces', 'sessions', 'spans', 'metrics'],
  );
  return (
    <ConfirmDialog
      title={`Delete ${countedText(selected.length)}`}
      name={isOne ? experimentName(first) : String(selected.length)}
      action="Delete"
      isRunning={remove.isRunning}
      onConfirm={() => void remove.run()}
      onClose={props.onClose}
    >
      <p>
        Their sessions, traces and spans are deleted with them. The content is erased and cannot be
        brought back; history keeps that it was there.
      </p>
      <FaultNotice fault={remove.fault} />
    </ConfirmDialog>
  );
};

const countedText = (count: number): string =>
  count === 1 ? '1 experiment' : `${count} experiments`;
