import { Instant } from '../client/instants.js';

/** Longest wait for a seal by default, in milliseconds (contract 5.14, rule 5). */
const sealWaitMs = 3_600_000;

/** Says that a seal is still to come, by when, and how to have it now: nothing has failed. */
export const UnsealedNotice = (props: {
  readonly what: 'This entry' | 'This history';
  /** Time of the entry that waits the longest; null: not known. */
  readonly since: string | null;
}) => {
  const due =
    props.since === null ? null : new Date(Date.parse(props.since) + sealWaitMs).toISOString();
  return (
    <p class="notice stale-notice" role="status">
      <span>
        {props.what} is not sealed yet, so there is nothing to check it against. The service seals
        by itself every hour
        {due !== null && (
          <>
            {': '}by <Instant at={due} />
          </>
        )}
        , or as the operator set <code>ASSAY_SEAL_EVERY</code>; <code>assay audit seal</code> on the
        server seals at once.
      </span>
    </p>
  );
};
