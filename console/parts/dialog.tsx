import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from './button.js';

const fields = 'input, select, textarea';
const controls = `:is(a[href], button, ${fields}):not(:disabled)`;

/**
 * A modal dialog: keeps the focus, closes on Escape, and gives the focus back. One that begins with
 * a field has the focus there.
 */
export const Dialog = (props: {
  readonly title: string;
  /** Undefined: cannot be closed. */
  readonly onClose?: () => void;
  readonly children: ComponentChildren;
}) => {
  const isClosable = props.onClose !== undefined;
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // Before the next key comes: it belongs to the dialog.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // The browser takes the very first control, which is `Close`.
    const first = element?.querySelectorAll<HTMLElement>(controls)[isClosable ? 1 : 0];
    if (first?.matches(fields) === true) first.focus();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        props.onClose?.();
      }}
      onClose={({ currentTarget }) => {
        // A second Escape closes any dialog, without asking.
        if (!currentTarget.isConnected) return;
        if (isClosable) props.onClose?.();
        else currentTarget.showModal();
      }}
    >
      <div class="spread">
        <h2 id={titleId}>{props.title}</h2>
        {isClosable && (
          <Button look="plain" onClick={props.onClose}>
            Close
          </Button>
        )}
      </div>
      {props.children}
    </dialog>
  );
};
