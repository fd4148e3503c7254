import { useState } from 'preact/hooks';
import type { Column } from '../../clients/typescript/src/generated/traces-types.js';
import { Button } from '../parts/button.js';
import { Dialog } from '../parts/dialog.js';
import { Checkbox, TextField } from '../parts/field.js';
import { columnsMax } from './model.js';

/** Further columns in the page at once: a project may have 2,000. */
const foundMax = 100;

/** Chooses columns and their order. */
export const ColumnsDialog = (props: {
  readonly columns: readonly Column[];
  readonly shown: readonly Column[];
  /** Null: the usual columns. */
  readonly onChange: (ids: readonly string[] | null) => void;
  readonly onClose: () => void;
}) => {
  const ids = props.shown.map(({ id }) => id);
  const move = (id: string, step: number): void => {
    const next = ids.filter((one) => one !== id);
    next.splice(Math.max(0, ids.indexOf(id) + step), 0, id);
    props.onChange(next);
  };
  return (
    <Dialog title="Columns" onClose={props.onClose}>
      <ul class="column-list" aria-label="Shown columns">
        {props.shown.map(({ id, label }, index) => (
          <li key={id} class="spread">
            <Checkbox
              label={label}
              isChecked
              isDisabled={ids.length === 1}
              onChange={() => props.onChange(ids.filter((one) => one !== id))}
            />
            <span class="inline">
              <Button
                look="plain"
                label={`${label} earlier`}
                isDisabled={index === 0}
                onClick={() => move(id, -1)}
              >
                ↑
              </Button>
              <Button
                look="plain"
                label={`${label} later`}
                isDisabled={index === ids.length - 1}
                onClick={() => move(id, 1)}
              >
                ↓
              </Button>
            </span>
          </li>
        ))}
      </ul>
      <FurtherColumns
        columns={props.columns.filter(({ id }) => !ids.includes(id))}
        isFull={ids.length >= columnsMax}
        onAdd={(id) => props.onChange([...ids, id])}
      />
      <Button onClick={() => props.onChange(null)}>The usual columns</Button>
    </Dialog>
  );
};

/** Columns that are not shown, those without values last; each can be added. */
const FurtherColumns = (props: {
  readonly columns: readonly Column[];
  /** True: no column can be added. */
  readonly isFull: boolean;
  readonly onAdd: (id: string) => void;
}) => {
  const [wanted, setWanted] = useState('');
  const { columns, isFull } = props;
  const ordered = [...columns.filter((one) => !one.is_empty), ...columns.filter(isEmptyColumn)];
  const found = ordered.filter(({ id, label }) =>
    `${label} ${id}`.toLowerCase().includes(wanted.toLowerCase()),
  );
  const more = found.length - foundMax;
  return (
    <>
      {isFull && <p role="status">{columnsMax} columns at once: take one away to add another.</p>}
      <TextField label="Find a column" type="search" value={wanted} onInput={setWanted} />
      <ul class="column-list" aria-label="Further columns">
        {found.slice(0, foundMax).map(({ id, label, group_label: group, is_empty: isEmpty }) => (
          <li key={id} class="spread">
            <Checkbox
              label={label}
              isChecked={false}
              isDisabled={isFull}
              onChange={() => props.onAdd(id)}
            />
            <span class="note">{isEmpty ? `${group}, no values` : group}</span>
          </li>
        ))}
      </ul>
      {more > 0 && <p class="note">{more.toLocaleString('en')} more: find them by name</p>}
    </>
  );
};

const isEmptyColumn = (column: Column): boolean => column.is_empty;
