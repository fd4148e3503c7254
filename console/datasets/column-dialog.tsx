import { useState } from 'preact/hooks';
import { Button } from '../parts/button.js';
import { Dialog } from '../parts/dialog.js';
import { TextField } from '../parts/field.js';
import { markedText } from '../parts/text-pieces.js';
import { columnNameFault, type DraftColumn } from './changes.js';

/** Names a new column, or renames one. */
export const ColumnDialog = (props: {
  readonly columns: readonly DraftColumn[];
  /** Null: a new one. */
  readonly column: DraftColumn | null;
  readonly onName: (name: string) => void;
  readonly onClose: () => void;
}) => {
  const { column, columns } = props;
  const [name, setName] = useState(column?.name ?? '');
  const fault = columnNameFault(columns, name, column?.key ?? null);
  const title = column === null ? 'New column' : `Rename column ${markedText(column.name)}`;
  return (
    <Dialog title={title} onClose={props.onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (fault === null) props.onName(name);
        }}
      >
        <TextField
          label="Name"
          value={name}
          onInput={setName}
          complaint={name === '' ? null : fault}
          isRequired
        />
        <Button type="submit" look="primary" isDisabled={fault !== null}>
          {column === null ? 'Add' : 'Rename'}
        </Button>
      </form>
    </Dialog>
  );
};
