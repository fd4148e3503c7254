import { Dialog } from '../parts/dialog.js';
import { SignInForm } from './form.js';

/** Signs in again over the page, whose drafts stay. */
export const SignInDialog = () => (
  <Dialog title="Your login ended">
    <p>Sign in again to go on. Nothing that you typed is lost.</p>
    <SignInForm />
  </Dialog>
);
