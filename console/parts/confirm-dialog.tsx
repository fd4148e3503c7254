import { useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { TextField } from './field.js';
import { typeableName } from './hostile-text.js';

/** Confirms what cannot be undone: the button works once `name` was typed. */
export const ConfirmDialog = (props: {
  readonly title: string;
  readonly name: string;
  readonly action: string;
  readonly isRunning: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  /** The effect, and a fault of the last try. */
  readonly children: ComponentChildren;
}) => {
  const [typed, setTyped] = useState('');
  const name = typeableName(props.name) || 'delete';
  const isSame = typeableName(typed) === name;
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (isSame) props.onConfirm();
        }}
      >
        {props.children}
        <TextField label={`Type ${name} to confirm`} value={typed} onInput={setTyped} />
        <Button type="submit" look="danger" isDisabled={!isSame || props.isRunning}>
          {props.action}
        </Button>
      </form>
    </Dialog>
  );
};
