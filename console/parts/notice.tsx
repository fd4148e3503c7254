import { createContext, type ComponentChildren } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import type { ReadonlySignal } from '@preact/signals';
import type { AssayFault } from '../../clients/typescript/src/fault.js';
import type { PageClock } from '../engines/clock.js';
import { faultText } from './faults.js';
import { Button } from './button.js';
import { printDuration } from './numbers.js';

/** Facts that notices show and their page does not pass. */
type NoticeSurroundings = {
  readonly clock: PageClock;
  /** Lag of the read model, as the latest answer that had one says it; null before that. */
  readonly lagSeconds: ReadonlySignal<number | null>;
};
/** Null: notices neither count down nor know the lag. */
export const NoticeContext = createContext<NoticeSurroundings | null>(null);

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
        {props.fault.retryAfterMs !== null && <Countdown fault={props.fault} />}
      </div>
      {props.onRetry !== undefined && <Button onClick={props.onRetry}>Ask again</Button>}
    </div>
  );
};

/** Counts the seconds down until the service takes the next try. */
const Countdown = ({ fault }: { readonly fault: AssayFault }) => {
  const waitMs = fault.retryAfterMs ?? 0;
  const clock = useContext(NoticeContext)?.clock;
  const [leftMs, setLeftMs] = useState(waitMs);
  useEffect(() => {
    if (clock === undefined) return;
    const stop = new AbortController();
    const end = clock.now() + waitMs;
    const tick = (): void => {
      const left = end - clock.now();
      setLeftMs(left);
      if (left <= 0) return;
      void clock.wait(Math.min(left, 1_000), stop.signal).then(() => {
        if (!stop.signal.aborted) tick();
      });
    };
    tick();
    return () => stop.abort();
  }, [clock, fault]);
  // A timer is not read aloud with each second.
  return (
    <p class="note" role="timer">
      {leftMs > 0 ? `Try again in ${Math.ceil(leftMs / 1_000)} s.` : 'Try again now.'}
    </p>
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

/** Says that an answer lacks this page's last change, and how far the service lags. */
export const BehindNotice = (props: { readonly isBehind: boolean }) => {
  const lag = useContext(NoticeContext)?.lagSeconds.value ?? null;
  return props.isBehind ? (
    <p class="notice stale-notice" role="status">
      <span>Not folded yet: this is from before your last change.</span>
      {lag !== null && (
        <span role="timer">The service is {printDuration(lag * 1e9, 0)} behind.</span>
      )}
    </p>
  ) : null;
};

/** Rows without content while the first answer is on its way. */
export const Skeleton = (props: { readonly rows?: number }) => (
  <div class="skeleton" role="status" aria-label="Loading">
    {Array.from({ length: props.rows ?? 6 }, (_row, index) => (
      <span key={index} />
    ))}
  </div>
);
