import { useState } from 'preact/hooks';

/** The first eight digits of an id; a click copies all of it, or shows it where that is refused. */
export const CopyId = (props: {
  readonly id: string;
  readonly onCopy: (id: string) => Promise<boolean>;
}) => {
  const [state, setState] = useState<'new' | 'copied' | 'refused'>('new');
  if (state === 'refused') return <span class="mono">{props.id}</span>;
  return (
    <button
      type="button"
      class="copy-id mono"
      title={`Copy ${props.id}`}
      onClick={() =>
        void props.onCopy(props.id).then((isCopied) => setState(isCopied ? 'copied' : 'refused'))
      }
    >
      {props.id.slice(0, 8)}
      <span aria-live="polite">{state === 'copied' ? ' copied' : ''}</span>
    </button>
  );
};
