import { useState } from 'preact/hooks';
import { useCaller } from '../client/queries.js';
import { Button } from '../parts/button.js';
import { PageHeading } from '../parts/heading.js';
import { ownPermit } from '../parts/permits.js';
import { KeyTable } from './key-table.js';
import { NewKey } from './new-key.js';

/** The caller's API keys: made here, shown once, revoked with their children. */
export const Page = () => {
  const [isCreating, setIsCreating] = useState(false);
  const { value: caller } = useCaller();
  const permit = ownPermit(caller, 'api-key');
  return (
    <>
      <PageHeading title="Keys">
        <Button look="primary" permit={permit} onClick={() => setIsCreating(true)}>
          New key
        </Button>
        <span class="note">{permit.reason}</span>
      </PageHeading>
      <p class="muted">A program that uses a key has your rights, or the lesser ones of the key.</p>
      {caller !== undefined && <KeyTable caller={caller} projectId={null} />}
      {isCreating && (
        <NewKey projectId={null} permit={permit} onClose={() => setIsCreating(false)} />
      )}
    </>
  );
};
