import { signal, type ReadonlySignal } from '@preact/signals';

/**
 * Where the page is: `path` below the console, with a slash first, names the thing; `view`, the
 * fragment without `#`, names how it is seen.
 */
type PageAddress = { readonly path: string; readonly view: string };

/** A place that was left, with the heading of its page. */
type VisitedPlace = PageAddress & { readonly title: string };

export type Navigation = {
  readonly place: ReadonlySignal<PageAddress>;
  /** Places that this tab left last, newest first, each path once; never stored. */
  readonly visited: ReadonlySignal<readonly VisitedPlace[]>;
  readonly forgetVisited: () => void;
  /** The address of a place, for links; `view` without `#`, empty by default. */
  readonly href: (path: string, view?: string) => string;
  /** Goes there and adds an entry to the history; `replace` changes the current entry. */
  readonly go: (path: string, view?: string, how?: 'push' | 'replace') => void;
  /** The absolute address of a place, to hand over. */
  readonly linkTo: (path: string, view?: string) => string;
};

const visitedMax = 20;

/**
 * Keeps the place in the address, below `root`. Plain clicks on links within the console change
 * the place without a request; with a modifier key, a target or `download` the browser takes them.
 */
export const openNavigation = (window: Window, root: URL): Navigation => {
  const { location, history, document } = window;
  const current = (): PageAddress => ({
    path: `/${location.pathname.slice(root.pathname.length)}`,
    view: location.hash.slice(1),
  });
  const place = signal(current());
  const visited = signal<readonly VisitedPlace[]>([]);
  const href = (path: string, view = ''): string =>
    `${root.pathname}${path.slice(1)}${view === '' ? '' : `#${view}`}`;
  /** Before the next page is drawn, so that the heading is that of the place that is left. */
  const remember = (left: PageAddress): void => {
    const title = document.querySelector('h1')?.textContent ?? '';
    const others = visited.peek().filter(({ path }) => path !== left.path);
    if (title !== '') visited.value = [{ ...left, title }, ...others].slice(0, visitedMax);
  };
  const update = (how: 'push' | 'replace'): void => {
    const next = current();
    const left = place.peek();
    if (next.path === left.path && next.view === left.view) return;
    // A replaced place was on the way only.
    if (next.path !== left.path && how === 'push') remember(left);
    place.value = next;
  };
  const go: Navigation['go'] = (path, view = '', how = 'push') => {
    try {
      if (how === 'push') history.pushState(null, '', href(path, view));
      else history.replaceState(null, '', href(path, view));
    } catch {
      // Safari takes 100 changes of an address in 30 seconds: the page goes on without it.
      place.value = { path, view };
      return;
    }
    update(how);
  };
  window.addEventListener('popstate', () => update('push'));
  window.addEventListener('hashchange', () => update('push'));
  document.addEventListener('click', (event) => {
    const target = linkOf(event);
    if (target === null || !isWithin(target, location, root)) return;
    event.preventDefault();
    history.pushState(null, '', target.href);
    update('push');
  });
  const linkTo = (path: string, view?: string): string => `${location.origin}${href(path, view)}`;
  const forgetVisited = (): void => {
    visited.value = [];
  };
  return { place, visited, forgetVisited, href, go, linkTo };
};

const linkOf = (event: MouseEvent): HTMLAnchorElement | null => {
  const hasModifier = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
  if (event.defaultPrevented || event.button !== 0 || hasModifier) return null;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  return link === null || link.target !== '' || link.hasAttribute('download') ? null : link;
};

const isWithin = (link: HTMLAnchorElement, location: Location, root: URL): boolean =>
  link.origin === location.origin && link.pathname.startsWith(root.pathname);
