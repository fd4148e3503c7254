import { useState } from 'preact/hooks';
import type { NodeType } from '../../kernel/sandbox.js';
import { useSurroundings } from '../client/context.js';
import { useAction } from '../client/queries.js';
import { Button } from '../parts/button.js';
import { Dialog } from '../parts/dialog.js';
import { fieldFault } from '../parts/faults.js';
import { TextField } from '../parts/field.js';
import { FaultNotice } from '../parts/notice.js';
import type { Permit } from '../parts/permits.js';
import { NodeTypes } from './node-types.js';

/** Makes a code scorer, and goes to it; its name cannot be changed afterwards. */
export const NewScorer = (props: {
  readonly permit: Permit<'creator'>;
  readonly onClose: () => void;
}) => {
  const { navigation } = useSurroundings();
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [kinds, setKinds] = useState<readonly NodeType[]>(['trace']);
  const create = useAction(
    props.permit,
    async (operations, _input, options) => {
      const { id } = await operations.scorers.create(
        { name, scorer_type: 'code', description, scoreable_node_types: kinds },
        options,
      );
      navigation.go(`/scorers/${id}`);
    },
    ['scorers'],
  );
  const complaint = fieldFault(create.fault, 'name');
  return (
    <Dialog title="New scorer" onClose={props.onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void create.run();
        }}
      >
        <TextField
          label="Name"
          hint="Also the name of its metric. It stays."
          value={name}
          onInput={setName}
          complaint={complaint}
          isRequired
        />
        <TextField label="Purpose" value={description} onInput={setDescription} />
        <NodeTypes chosen={kinds} onChange={setKinds} />
        <p class="note">
          A trace is scored as a whole, with its spans; spans each by themselves. The details of the
          scorer change it.
        </p>
        {complaint === null && <FaultNotice fault={create.fault} />}
        <Button type="submit" look="primary" isDisabled={create.isRunning || kinds.length === 0}>
          Create
        </Button>
      </form>
    </Dialog>
  );
};
