import { useState } from 'preact/hooks';
import { useAction } from '../client/queries.js';
import { useSurroundings } from '../client/context.js';
import { Button } from '../parts/button.js';
import { TextField } from '../parts/field.js';
import { FaultNotice } from '../parts/notice.js';
import { publicPermit } from '../parts/permits.js';

/** Signs in by password, or with an API key for this tab alone. Keeps the e-mail on a refusal. */
export const SignInForm = () => {
  const { service } = useSurroundings();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [apiKey, setApiKey] = useState('');
  const byPassword = useAction(publicPermit, () => service.signIn(email, password));
  const byKey = useAction(publicPermit, () => service.signInWithKey(apiKey));
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    byKey.clearFault();
    if (!(await byPassword.run())) setPassword('');
  };
  const submitKey = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    byPassword.clearFault();
    if (!(await byKey.run())) setApiKey('');
  };
  return (
    <>
      <form class="stack" onSubmit={(event) => void submit(event)}>
        <TextField
          label="E-mail"
          type="email"
          autocomplete="username"
          value={email}
          onInput={setEmail}
          isRequired
        />
        <TextField
          label="Password"
          type="password"
          autocomplete="current-password"
          value={password}
          onInput={setPassword}
          isRequired
        />
        <FaultNotice fault={byPassword.fault} />
        <Button type="submit" look="primary" isDisabled={byPassword.isRunning}>
          Sign in
        </Button>
      </form>
      <details>
        <summary>With an API key</summary>
        <form class="stack" onSubmit={(event) => void submitKey(event)}>
          <TextField
            label="API key"
            type="password"
            autocomplete="off"
            hint="This login ends with this tab or a reload. The key is not kept."
            value={apiKey}
            onInput={setApiKey}
            isRequired
          />
          <FaultNotice fault={byKey.fault} />
          <Button type="submit" isDisabled={byKey.isRunning}>
            Sign in with the key
          </Button>
        </form>
      </details>
    </>
  );
};
