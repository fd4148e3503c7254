import { useSignal } from '@preact/signals';
import type { Clipboard } from '../engines/clipboard.js';
import { Button } from './button.js';

/** A secret that is shown this once, to copy. Without the clipboard its text can be selected. */
export const SecretOnce = (props: {
  readonly label: string;
  readonly secret: string;
  readonly clipboard: Clipboard;
}) => {
  const copied = useSignal<boolean | null>(null);
  return (
    <div class="secret">
      <span class="note">{props.label}, shown this once</span>
      <div class="inline">
        <code class="secret-text">{props.secret}</code>
        <Button
          onClick={() =>
            void props.clipboard.copy(props.secret).then((isCopied) => {
              copied.value = isCopied;
            })
          }
        >
          Copy
        </Button>
      </div>
      <span class="note" role="status">
        {copied.value === true && 'Copied'}
        {copied.value === false && 'The browser refuses to copy here: select the text'}
      </span>
    </div>
  );
};
