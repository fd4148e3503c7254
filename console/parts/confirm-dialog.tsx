import { useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { TextField } from './field.js';

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
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (typed === props.name) props.onConfirm();
        }}
      >
        {props.children}
        <TextField label={`Type ${props.name} to confirm`} value={typed} onInput={setTyped} />
        <Button type="submit" look="danger" isDisabled={typed !== props.name || props.isRunning}>
          {props.action}
        </Button>
      </form>
    </Dialog>
  );
};
