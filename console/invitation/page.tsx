import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useAction } from '../client/queries.js';
import { useSurroundings } from '../client/context.js';
import { Button } from '../parts/button.js';
import { fieldFault } from '../parts/faults.js';
import { TextField } from '../parts/field.js';
import { PageHeading } from '../parts/heading.js';
import { EmptyNotice, FaultNotice } from '../parts/notice.js';
import { publicPermit } from '../parts/permits.js';

/** Accepts an invitation: the token in the address works once, the password is chosen here. */
export const Page = () => {
  const { navigation, service } = useSurroundings();
  const [token] = useState(
    () => new URLSearchParams(navigation.place.peek().view).get('token') ?? '',
  );
  const [password, setPassword] = useState('');
  const accept = useAction(publicPermit, () => service.acceptInvitation({ token, password }));
  const form = useRef<HTMLFormElement>(null);
  // The token leaves the address, so that neither history nor a copied link has it.
  useEffect(() => navigation.go('/invitation', '', 'replace'), []);
  // After the heading, which takes the focus of a new page.
  useLayoutEffect(() => form.current?.querySelector('input')?.focus(), []);
  if (token === '') {
    return (
      <main class="alone">
        <PageHeading title="Invitation" />
        <EmptyNotice title="The link has no token">
          <p>Open the whole link that you were given; it works once.</p>
        </EmptyNotice>
      </main>
    );
  }
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (await accept.run()) navigation.go('/', '', 'replace');
  };
  return (
    <main class="alone">
      <PageHeading title="Welcome to Assay" />
      <form class="stack" ref={form} onSubmit={(event) => void submit(event)}>
        <TextField
          label="Choose a password"
          type="password"
          autocomplete="new-password"
          hint="12 to 128 characters"
          complaint={fieldFault(accept.fault, 'password')}
          value={password}
          onInput={setPassword}
          isRequired
        />
        {accept.fault?.code !== 'invalid_request' && <FaultNotice fault={accept.fault} />}
        {accept.fault?.code === 'invalid_credentials' && (
          <p>
            The link was used before, a newer one took its place, or it is older than seven days. If
            you set a password with it, <a href={navigation.href('/sign-in')}>sign in</a>; else ask
            for a new link.
          </p>
        )}
        <Button type="submit" look="primary" isDisabled={accept.isRunning}>
          Set the password and sign in
        </Button>
      </form>
    </main>
  );
};
