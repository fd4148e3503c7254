import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useSurroundings } from '../client/context.js';
import { useKeys } from '../client/keys.js';
import { useCaller, useQuery } from '../client/queries.js';
import { Button } from '../parts/button.js';
import type { ListedPage } from '../go-to/model.js';
import { matchRoute } from '../routes.js';
import { CopyLink } from './copy-link.js';
import { GoTo } from './go-to.js';
import { KeyList } from './key-list.js';
import { projectOf, rangeView } from './places.js';

/** `view`: that of pages whose records are of a range. */
const projectDestinations = (root: string, view: string): readonly ListedPage[] => [
  { text: 'Overview', path: root, view, keys: 'g o' },
  { text: 'Traces', path: `${root}/traces`, view, keys: 'g t' },
  { text: 'Sessions', path: `${root}/sessions`, view, keys: 'g s' },
  { text: 'Experiments', path: `${root}/experiments`, keys: 'g e' },
  { text: 'Rate', path: `${root}/rate`, view, keys: 'g r' },
  { text: 'Log streams', path: `${root}/runs` },
  { text: 'Settings', path: `${root}/settings` },
];
const organizationDestinations: readonly ListedPage[] = [
  { text: 'Datasets', path: '/datasets', keys: 'g d' },
  { text: 'Scorers', path: '/scorers', keys: 'g c' },
  { text: 'History', path: '/history', keys: 'g h' },
  { text: 'Keys', path: '/keys' },
  { text: 'People', path: '/people' },
];

/** Pages that the search lists beside those of the rail. */
const furtherDestinations = (root: string | null, view: string): readonly ListedPage[] => [
  ...(root === null ? [] : [{ text: 'Spans', path: `${root}/spans`, view }]),
  { text: 'Projects', path: '/' },
  { text: 'Account', path: '/account' },
];

/** True for the page itself and for what is below it; the overview of a project is only itself. */
const isCurrent = ({ path, text }: ListedPage, current: string): boolean =>
  current === path ||
  (text !== 'Overview' && current.startsWith(`${path}/`)) ||
  // The history of one thing is of no project.
  (text === 'History' && current.startsWith('/history'));
const isShown = ({ path }: ListedPage): boolean => matchRoute(path) !== null;

/** Rail, bar and page; on pages of the organisation those of the project that one came from. */
export const Shell = (props: { readonly children: ComponentChildren }) => {
  const { appearance, navigation } = useSurroundings();
  const [showsKeys, setShowsKeys] = useState(false);
  const places = [navigation.place.value, ...navigation.visited.value];
  const projectId = projectOf(places);
  const range = rangeView(projectId, places);
  const root = `/p/${projectId ?? ''}`;
  const inProject = projectId === null ? [] : projectDestinations(root, range).filter(isShown);
  const inOrganization = organizationDestinations.filter(isShown).map((one) =>
    // A project's owner may read its history, and not that of the organisation.
    one.path === '/history' && projectId !== null ? { ...one, path: `${root}/history` } : one,
  );
  const all = [...inProject, ...inOrganization];
  useKeys(
    [
      ...all.flatMap(({ keys, text, path, view }) =>
        keys === undefined ? [] : [{ keys, what: text, run: () => navigation.go(path, view) }],
      ),
      { keys: '?', what: 'Keys', run: () => setShowsKeys(true) },
      {
        keys: '[',
        what: 'Fold the rail',
        run: () => {
          appearance.rail.value = appearance.rail.value === 'open' ? 'folded' : 'open';
        },
      },
    ],
    [projectId],
  );
  return (
    <div class="shell" data-rail={appearance.rail.value}>
      <a class="skip-link" href="#main" onClick={focusMain}>
        To the page
      </a>
      <nav class="rail" aria-label="Pages">
        <a class="brand" href={navigation.href('/')}>
          Assay
        </a>
        <Links destinations={inProject} />
        <hr />
        <Links destinations={inOrganization} />
      </nav>
      <div>
        <Bar
          projectId={projectId}
          pages={[...all, ...furtherDestinations(projectId === null ? null : root, range)]}
          onKeys={() => setShowsKeys(true)}
        />
        <main class="page" id="main" tabIndex={-1}>
          {props.children}
        </main>
      </div>
      {showsKeys && <KeyList onClose={() => setShowsKeys(false)} />}
    </div>
  );
};

const focusMain = (event: MouseEvent): void => {
  event.preventDefault();
  (event.currentTarget as Element).ownerDocument.querySelector<HTMLElement>('#main')?.focus();
};

const Links = (props: { readonly destinations: readonly ListedPage[] }) => {
  const { navigation } = useSurroundings();
  const { path } = navigation.place.value;
  return (
    <>
      {props.destinations.map((one) => (
        <a
          key={one.path}
          href={navigation.href(one.path, one.view)}
          title={one.keys}
          aria-current={isCurrent(one, path) ? 'page' : undefined}
        >
          {one.text}
        </a>
      ))}
    </>
  );
};

const Bar = (props: {
  readonly projectId: string | null;
  readonly pages: readonly ListedPage[];
  readonly onKeys: () => void;
}) => {
  const { navigation, service } = useSurroundings();
  const id = props.projectId;
  const project = useQuery({
    key: ['projects', id],
    ask: (operations, signal) => operations.projects.get({ project_id: id ?? '' }, { signal }),
    isEnabled: id !== null,
    freshMs: 60_000,
  });
  const user = useCaller();
  const isKey = service.session.state.value === 'key';
  return (
    <header class="bar">
      <span>{project.value?.name ?? (id === null ? 'All projects' : '')}</span>
      <span class="inline">
        <CopyLink />
        <GoTo projectId={id} pages={props.pages} />
        <Button label="Shortcuts" title="Shortcuts on this page (?)" onClick={props.onKeys}>
          ?
        </Button>
        <a href={navigation.href('/account')}>
          {user.value?.email ?? 'Account'}
          {isKey && ' by an API key, until this tab closes'}
        </a>
        <Button look="plain" onClick={() => void service.signOut()}>
          Sign out
        </Button>
      </span>
    </header>
  );
};
