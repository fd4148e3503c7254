import { useState } from 'preact/hooks';
import { Button } from '../parts/button.js';
import { Dialog } from '../parts/dialog.js';
import { TextField } from '../parts/field.js';
import type { CheckStep } from './seal-signature.js';
import type { KeyChoice } from './trust.js';

const marks = { holds: '✓', fails: '✗', unchecked: '○' } as const;
const words = { holds: 'holds', fails: 'fails', unchecked: 'not checked' } as const;
const looks = { holds: 'good', fails: 'bad', unchecked: 'warn' } as const;

/** One step of a check: a mark with its word, and why. */
export const StepLine = (props: { readonly name: string; readonly step: CheckStep }) => {
  const { outcome, note } = props.step;
  return (
    <li class="check-step" data-step={props.name} data-outcome={outcome}>
      <span class={looks[outcome]}>
        <span aria-hidden="true">{marks[outcome]}</span> {words[outcome]}
      </span>{' '}
      <span>{note}</span>
    </li>
  );
};

/** Where the key is from, and a field for the user's own. */
export const KeyNotice = ({ keys }: { readonly keys: KeyChoice }) => {
  const [text, setText] = useState('');
  if (keys.isPinned) {
    const id = keys.vkeys[0]?.split('+')[1];
    return (
      <p class="note">
        Checked by the key that this browser keeps, <code>{id}</code>.{' '}
        <Button look="plain" onClick={() => keys.pin(null)}>
          Forget it
        </Button>
      </p>
    );
  }
  return (
    <form
      class="key-notice"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '') keys.pin(text.trim());
      }}
    >
      <p class="warn">
        {keys.vkeys.length === 0
          ? 'No key: the service gave none, and this browser keeps none. ' +
            'The signature is checked once you paste one.'
          : 'The key came from the service, which cannot vouch for itself: compare it with yours.'}
      </p>
      <p class="note">
        The operator prints it with <code>assay audit keys</code>: one line, a vkey. Get it from
        them by another way than this page and paste it here; this browser keeps it and checks by it
        from then on.
      </p>
      <TextField
        label="Key from the operator (vkey)"
        placeholder="assay.example.org+421162e4+A…"
        value={text}
        onInput={setText}
      />
      <Button type="submit">Keep and check</Button>
    </form>
  );
};

/** Limits of every check, in short (docs/auditing.md, What is not proven). */
const limits: readonly (readonly [string, string])[] = [
  ['The unsealed tail', 'Entries after the newest seal can still be cut off or written anew.'],
  ['Absence', 'Only the whole history of an organisation shows that nothing is missing.'],
  ['The clock', 'The time of an entry is the service’s word.'],
  ['That it happened', 'The history shows what the service was told, and by which credential.'],
  ['Writing past the service', 'A writer of the log can append events, which later seals cover.'],
  ['That nothing came back', 'Erased content that returns with its salt fits its digest.'],
  ['Who holds the key', 'With the log and the key, what was not kept yet can be made anew.'],
  ['This page', 'It came from the same service: verifier/assay-verify.mjs needs nothing of it.'],
];

/** Opens what no check here shows. */
export const NotProven = () => {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button look="plain" onClick={() => setIsOpen(true)}>
        What this does not prove
      </Button>
      {isOpen && (
        <Dialog title="What is not proven" onClose={() => setIsOpen(false)}>
          <dl class="limits">
            {limits.map(([name, text]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{text}</dd>
              </div>
            ))}
          </dl>
          <p class="note">In full: docs/auditing.md, What is not proven.</p>
        </Dialog>
      )}
    </>
  );
};
