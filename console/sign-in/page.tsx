import { useEffect } from 'preact/hooks';
import { useSurroundings } from '../client/context.js';
import { Button } from '../parts/button.js';
import { PageHeading } from '../parts/heading.js';
import { EmptyNotice } from '../parts/notice.js';
import { SignInForm } from './form.js';
import { backPlace } from './state.js';

/** Signs in, then goes back to the page that was asked for. */
export const Page = () => {
  const { navigation, service, unsaved } = useSurroundings();
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
      <Obstacle />
      {unsaved.hasAny() && (
        <p role="status">Changes of this tab that are not saved wait for you to sign in again.</p>
      )}
      <SignInForm />
      <p class="note">
        No account yet, or the password is lost: an admin invites you, or the operator runs assay
        invite.
      </p>
    </main>
  );
};

/** The question that the service did not answer, and what to do about it. */
const Obstacle = () => {
  const { session } = useSurroundings().service;
  if (session.obstacle.value === 'unanswered') {
    return (
      <EmptyNotice title="The service did not answer">
        <p>This browser may still be signed in.</p>
        <Button onClick={() => void session.open()}>Ask again</Button>
      </EmptyNotice>
    );
  }
  if (session.obstacle.value !== 'unheard') return null;
  return (
    <EmptyNotice title="The service did not answer the sign-out">
      <p>This browser forgot the login, which ends by itself within 7 days.</p>
      <p>To end it now, sign in once the service answers, then sign out.</p>
    </EmptyNotice>
  );
};
