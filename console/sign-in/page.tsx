import { useEffect } from 'preact/hooks';
import { useSurroundings } from '../client/context.js';
import { PageHeading } from '../parts/heading.js';
import { SignInForm } from './form.js';
import { backPlace } from './state.js';

/** Signs in, then goes back to the page that was asked for. */
export const Page = () => {
  const { navigation, service } = useSurroundings();
  const state = service.session.state.value;
  const { view } = navigation.place.value;
  useEffect(() => {
    if (state !== 'person' && state !== 'key') return;
    const back = backPlace(view);
    navigation.go(back.path, back.view, 'replace');
  }, [state]);
  return (
    <main class="alone">
      <PageHeading title="Sign in" />
      <SignInForm />
      <p class="note">
        No account yet, or the password is lost: an admin invites you, or the operator runs assay
        invite.
      </p>
    </main>
  );
};
