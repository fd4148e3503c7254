import { useState } from 'preact/hooks';
import { Button } from './button.js';

/** A text to take along; where the browser refuses to copy, it is selected instead. */
export const CopyText = (props: {
  readonly label: string;
  readonly text: string;
  readonly onCopy: (text: string) => Promise<boolean>;
}) => {
  const [state, setState] = useState<'new' | 'copied' | 'refused'>('new');
  return (
    <div class="copy-text">
      <pre
        tabIndex={0}
        aria-label={props.label}
        ref={(element) => {
          if (state === 'refused' && element !== null) {
            element.ownerDocument.getSelection()?.selectAllChildren(element);
          }
        }}
      >
        {props.text}
      </pre>
      <Button
        label={`Copy ${props.label}`}
        onClick={() => {
          void props
            .onCopy(props.text)
            .then((isCopied) => setState(isCopied ? 'copied' : 'refused'));
        }}
      >
        {state === 'copied' ? 'Copied' : 'Copy'}
      </Button>
    </div>
  );
};
