import type { ComponentChildren, ComponentType } from 'preact';
import { useEffect, useErrorBoundary, useLayoutEffect, useState } from 'preact/hooks';
import { useSurroundings } from '../client/context.js';
import { Button } from '../parts/button.js';
import { EmptyNotice, Skeleton } from '../parts/notice.js';
import { PageHeading } from '../parts/heading.js';
import type { PageModule, PageProps } from '../parts/page.js';
import { matchRoute, type RouteMatch } from '../routes.js';
import { Shell } from './shell.js';
import { SignInDialog } from '../sign-in/dialog.js';

/** The page of the current path; without a login, the sign-in with the way back. */
export const App = () => {
  const { navigation, queries, service } = useSurroundings();
  const { path, view } = navigation.place.value;
  const { session } = service;
  const state = session.state.value;
  const match = matchRoute(path);
  const isAlone = match?.route.frame === 'alone';
  useEffect(() => {
    if (state !== 'signed-out') return;
    // Answers and places are the last person's; drafts wait for them to sign in again.
    queries.clear();
    navigation.forgetVisited();
  }, [state]);
  useLayoutEffect(() => {
    if (state !== 'signed-out' || isAlone) return;
    const back = path === '/' && view === '' ? '' : `back=${encodeURIComponent(`${path}#${view}`)}`;
    navigation.go('/sign-in', back, 'replace');
  }, [state, isAlone]);
  if (isAlone) return <RoutedPage match={match} path={path} />;
  if (state === 'opening' || state === 'signed-out') return null;
  return (
    <Shell key={session.person.value ?? ''}>
      {match === null ? <NotFound /> : <RoutedPage match={match} path={path} />}
      <SignInDialog obstacle={session.obstacle.value} />
    </Shell>
  );
};

const RoutedPage = ({ match, path }: { readonly match: RouteMatch; readonly path: string }) => {
  const [loaded, loadAgain] = useModule(match.route.load);
  if (loaded === 'failed') return <NotLoaded onRetry={loadAgain} />;
  if (loaded === null) return <Skeleton />;
  const Page: ComponentType<PageProps> = loaded.Page;
  return (
    <Contained key={path}>
      <Page params={match.params} />
    </Contained>
  );
};

/** Keeps a page that fails while it is drawn from taking the rail and the bar with it. */
const Contained = ({ children }: { readonly children: ComponentChildren }) => {
  const { queries } = useSurroundings();
  const [error, draw] = useErrorBoundary((thrown) => {
    // An answer that cannot be shown is asked for again.
    queries.clear();
    reportError(thrown);
  });
  if (error === undefined) return <>{children}</>;
  return (
    <>
      <PageHeading title="This page failed" />
      <EmptyNotice title="What the service answered cannot be shown">
        <p>{(error as Error).message}</p>
        <p>Nothing was changed by it. Draw it again, or choose another page.</p>
        <Button onClick={draw}>Draw it again</Button>
      </EmptyNotice>
    </>
  );
};

const modules = new WeakMap<() => Promise<PageModule>, PageModule>();

/** The module, kept once it is loaded; `failed` where its file cannot be fetched. */
const useModule = (
  load: () => Promise<PageModule>,
): readonly [PageModule | 'failed' | null, () => void] => {
  const [failed, setFailed] = useState<(() => Promise<PageModule>) | null>(null);
  const [, setLoaded] = useState<PageModule | null>(null);
  const tryLoad = (): void => {
    setFailed(null);
    load().then(
      (module) => {
        modules.set(load, module);
        setLoaded(module);
      },
      () => setFailed(() => load),
    );
  };
  useLayoutEffect(() => {
    if (!modules.has(load)) tryLoad();
  }, [load]);
  return [modules.get(load) ?? (failed === load ? 'failed' : null), tryLoad];
};

const NotFound = () => (
  <>
    <PageHeading title="Not found" />
    <EmptyNotice title="No page has this address">
      <p>Choose one on the left, or press ? for the keys.</p>
    </EmptyNotice>
  </>
);

const NotLoaded = (props: { readonly onRetry: () => void }) => (
  <EmptyNotice title="This page could not be loaded">
    <p>
      The service does not answer, or was updated. Where trying again does not help, reload to get
      the current version.
    </p>
    <Button onClick={props.onRetry}>Try again</Button>
  </EmptyNotice>
);
