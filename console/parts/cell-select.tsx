import type { Permit } from './permits.js';

/** A choice in a table's cell that changes at once; it goes back where the change is refused. */
export const CellSelect = <V extends string>(props: {
  readonly label: string;
  readonly value: V;
  readonly choices: readonly V[];
  readonly permit: Permit;
  readonly isDisabled: boolean;
  /** Resolves with false where nothing changed. */
  readonly onChange: (value: V) => Promise<boolean>;
}) => (
  <select
    class="cell-input"
    aria-label={props.label}
    value={props.value}
    disabled={props.isDisabled || !props.permit.isAllowed}
    title={props.permit.reason ?? undefined}
    onChange={(event) => {
      const select = event.currentTarget;
      void props.onChange(select.value as V).then((isDone) => {
        if (!isDone) select.value = props.value;
      });
    }}
  >
    {props.choices.map((value) => (
      <option key={value} value={value}>
        {value}
      </option>
    ))}
  </select>
);
