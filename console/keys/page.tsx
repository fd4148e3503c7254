import { useState } from 'preact/hooks';
import { useCaller } from '../client/queries.js';
import { Button } from '../parts/button.js';
import { PageHeading } from '../parts/heading.js';
import { credentialPermit } from '../people/model.js';
import { KeyTable } from './key-table.js';
import { NewKey } from './new-key.js';

/** The caller's API keys: made here, shown once, revoked with their children. */
export const Page = () => {
  const [isCreating, setIsCreating] = useState(false);
  const { value: caller } = useCaller();
  const permit = caller === undefined ? null : credentialPermit(caller.credential);
  return (
    <>
      <PageHeading title="Keys">
        <Button
          look="primary"
          isDisabled={permit?.isAllowed !== true}
          onClick={() => setIsCreating(true)}
        >
          New key
        </Button>
        <span class="note">{permit?.reason}</span>
      </PageHeading>
      <p class="muted">A program that uses a key has your rights, or the lesser ones of the key.</p>
      {caller !== undefined && (
        <KeyTable userId={caller.id} projectId={null} mayRevoke={permit?.isAllowed === true} />
      )}
      {isCreating && <NewKey projectId={null} onClose={() => setIsCreating(false)} />}
    </>
  );
};
