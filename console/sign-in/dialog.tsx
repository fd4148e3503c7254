import type { SessionObstacle } from '../client/session.js';
import { Dialog } from '../parts/dialog.js';
import { SignInForm } from './form.js';

/** Signs in again over the page, whose drafts stay for the same person. */
export const SignInDialog = (props: { readonly obstacle: SessionObstacle | null }) => {
  if (props.obstacle !== 'over' && props.obstacle !== 'replaced') return null;
  return (
    <Dialog title="Your login ended">
      {props.obstacle === 'replaced' && (
        <p>Another person signed in in this browser. Reload this tab to go on as that person.</p>
      )}
      <p>Sign in again to go on as yourself. Nothing that you typed is lost.</p>
      <SignInForm />
    </Dialog>
  );
};
