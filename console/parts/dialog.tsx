import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Button } from './button.js';

/** A modal dialog: keeps the focus, closes on Escape, and gives the focus back. */
export const Dialog = (props: {
  readonly title: string;
  /** Undefined: cannot be closed. */
  readonly onClose?: () => void;
  readonly children: ComponentChildren;
}) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
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
    >
      <div class="spread">
        <h2 id={titleId}>{props.title}</h2>
        {props.onClose !== undefined && (
          <Button look="plain" onClick={props.onClose}>
            Close
          </Button>
        )}
      </div>
      {props.children}
    </dialog>
  );
};
