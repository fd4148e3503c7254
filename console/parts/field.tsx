import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { Permit } from './permits.js';

type FieldProps = {
  readonly label: string;
  readonly hint?: string;
  /** The complaint about this field; null: none. */
  readonly complaint?: string | null;
};

type TextFieldProps = FieldProps & {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly type?: 'text' | 'email' | 'password' | 'number' | 'search' | 'date' | 'datetime-local';
  readonly autocomplete?: string;
  readonly placeholder?: string;
  readonly isRequired?: boolean;
  readonly isDisabled?: boolean;
};

/** A labelled text input; its complaint is announced and tied to the input. */
export const TextField = (props: TextFieldProps) => (
  <Labelled {...props}>
    {(id, described, isInvalid) => (
      <input
        id={id}
        {...({ type: props.type ?? 'text' } as { readonly type: 'text' })}
        // Browsers refuse fractions of a number without it.
        step={props.type === 'number' ? 'any' : undefined}
        value={props.value}
        autocomplete={props.autocomplete}
        placeholder={props.placeholder}
        required={props.isRequired === true}
        disabled={props.isDisabled === true}
        aria-describedby={described}
        aria-invalid={isInvalid}
        onInput={(event) => props.onInput(event.currentTarget.value)}
      />
    )}
  </Labelled>
);

/** A labelled text of several lines. */
export const TextArea = (
  props: FieldProps & {
    readonly value: string;
    readonly onInput: (value: string) => void;
    readonly rows?: number;
    readonly placeholder?: string;
    readonly isRequired?: boolean;
    readonly isDisabled?: boolean;
    /** Fixed width and no spelling marks, for code and JSON. */
    readonly isCode?: boolean;
  },
) => (
  <Labelled {...props}>
    {(id, described, isInvalid) => (
      <textarea
        id={id}
        class={props.isCode === true ? 'mono' : undefined}
        rows={props.rows ?? 4}
        value={props.value}
        placeholder={props.placeholder}
        spellcheck={props.isCode === true ? false : undefined}
        required={props.isRequired === true}
        disabled={props.isDisabled === true}
        aria-describedby={described}
        aria-invalid={isInvalid}
        onInput={(event) => props.onInput(event.currentTarget.value)}
      />
    )}
  </Labelled>
);

/** A labelled choice of one file of the user's disk. */
export const FileField = (
  props: FieldProps & {
    /** Endings and types that the browser offers, as `accept` takes them. */
    readonly accept: string;
    readonly onChoose: (file: File | null) => void;
    readonly isRequired?: boolean;
  },
) => (
  <Labelled {...props}>
    {(id, described, isInvalid) => (
      <input
        id={id}
        type="file"
        accept={props.accept}
        required={props.isRequired === true}
        aria-describedby={described}
        aria-invalid={isInvalid}
        onChange={(event) => props.onChoose(event.currentTarget.files?.[0] ?? null)}
      />
    )}
  </Labelled>
);

/** A box to tick with its text behind it. */
export const Checkbox = (props: {
  readonly label: ComponentChildren;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
  /** Disables it where the caller may not do what it does, and says why. */
  readonly permit?: Permit;
  readonly isDisabled?: boolean;
  readonly title?: string;
}) => (
  <label class="checkbox" title={props.permit?.reason ?? props.title}>
    <input
      type="checkbox"
      checked={props.isChecked}
      disabled={props.isDisabled === true || props.permit?.isAllowed === false}
      onChange={(event) => props.onChange(event.currentTarget.checked)}
    />
    <span>{props.label}</span>
  </label>
);

export type Choice<V extends string> = { readonly value: V; readonly text: string };

export const Select = <V extends string>(
  props: FieldProps & {
    readonly value: V;
    readonly choices: readonly Choice<V>[];
    readonly onChange: (value: V) => void;
    readonly isDisabled?: boolean;
  },
) => (
  <Labelled {...props}>
    {(id, described, isInvalid) => (
      <select
        id={id}
        value={props.value}
        disabled={props.isDisabled === true}
        aria-describedby={described}
        aria-invalid={isInvalid}
        onChange={(event) => props.onChange(event.currentTarget.value as V)}
      >
        {props.choices.map(({ value, text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    )}
  </Labelled>
);

const Labelled = (
  props: FieldProps & {
    readonly children: (id: string, described: string, isInvalid: boolean) => ComponentChildren;
  },
) => {
  const id = useId();
  const complaint = props.complaint ?? null;
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      {props.children(id, `${id}-note`, complaint !== null)}
      <span id={`${id}-note`} class={complaint === null ? 'note' : 'bad'} aria-live="polite">
        {complaint ?? props.hint}
      </span>
    </div>
  );
};
