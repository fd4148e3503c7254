import { Instant } from '../client/instants.js';
import { Button } from '../parts/button.js';
import { printCount } from '../parts/numbers.js';
import type { Permit } from '../parts/permits.js';
import { useSealStatus } from './trust.js';
import { UnsealedNotice } from './unsealed.js';

/** How far the history is sealed, and whether it continues what this browser kept. */
export const SealLine = ({ permit }: { readonly permit: Permit<'audit-org'> }) => {
  const status = useSealStatus(permit);
  if (status === null) return null;
  const { seal, step, keep } = status;
  if (seal === null) return <UnsealedNotice what="This history" since={null} />;
  if (step?.outcome === 'fails') {
    return (
      <div class="notice bad-notice" role="alert">
        <div>
          <strong>This history was rewritten, or its seal is another’s</strong>
          <p>{step.note}.</p>
          <p class="note">The kept checkpoint stays; keep both and ask the operator.</p>
        </div>
        <Button onClick={keep}>Keep the new one instead</Button>
      </div>
    );
  }
  return (
    <p class="note">
      Sealed to {printCount(seal.size)} at <Instant at={seal.at} />
      {step !== null && `, ${step.note}`}
    </p>
  );
};
