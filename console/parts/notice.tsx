import type { ComponentChildren } from 'preact';
import type { AssayFault } from '../../clients/typescript/src/fault.js';
import { faultText } from './faults.js';
import { Button } from './button.js';

/** A fault in the place of what it kept from being shown, with a way to ask again. */
export const FaultNotice = (props: {
  readonly fault: AssayFault | null;
  readonly onRetry?: () => void;
}) => {
  if (props.fault === null) return null;
  const { title, detail } = faultText(props.fault);
  return (
    <div class="notice bad-notice" role="alert">
      <div>
        <strong>{title}</strong>
        {detail !== null && <p class="note">{detail}</p>}
      </div>
      {props.onRetry !== undefined && <Button onClick={props.onRetry}>Ask again</Button>}
    </div>
  );
};

/** Says that nothing is there, why, and what to do. */
export const EmptyNotice = (props: {
  readonly title: string;
  readonly children?: ComponentChildren;
}) => (
  <div class="notice empty-notice">
    <strong>{props.title}</strong>
    {props.children}
  </div>
);

/** Says that an answer lacks this page's last change. */
export const BehindNotice = (props: { readonly isBehind: boolean }) =>
  props.isBehind ? (
    <p class="notice stale-notice" role="status">
      Not folded yet: this is from before your last change.
    </p>
  ) : null;

/** Rows without content while the first answer is on its way. */
export const Skeleton = (props: { readonly rows?: number }) => (
  <div class="skeleton" role="status" aria-label="Loading">
    {Array.from({ length: props.rows ?? 6 }, (_row, index) => (
      <span key={index} />
    ))}
  </div>
);
