import type { ComponentChildren } from 'preact';
import type { Permit } from './permits.js';

type Props = {
  readonly children: ComponentChildren;
  readonly onClick?: () => void;
  readonly type?: 'button' | 'submit';
  /** `primary`: the one thing to do here; `danger`: cannot be undone; `plain`: without a border. */
  readonly look?: 'primary' | 'danger' | 'plain' | 'usual';
  /** Disables it where the caller may not do what it does, and says why. */
  readonly permit?: Permit;
  readonly isDisabled?: boolean;
  /** Why it is disabled, or what it does where the text does not say it. */
  readonly title?: string;
  readonly label?: string;
  readonly isPressed?: boolean;
  /** For a button that opens a part of the page and closes it. */
  readonly isExpanded?: boolean;
};

export const Button = (props: Props) => (
  <button
    type={props.type ?? 'button'}
    class={`button ${props.look ?? 'usual'}`}
    disabled={props.isDisabled === true || props.permit?.isAllowed === false}
    title={props.permit?.reason ?? props.title}
    aria-label={props.label}
    aria-pressed={props.isPressed}
    aria-expanded={props.isExpanded}
    onClick={props.onClick}
  >
    {props.children}
  </button>
);
