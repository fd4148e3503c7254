import { signal, type ReadonlySignal } from '@preact/signals';

/**
 * Where the page is: `path` below the console, with a slash first, names the thing; `view`, the
 * fragment without `#`, names how it is seen.
 */
type PageAddress = { readonly path: string; readonly view: string };

export type Navigation = {
  readonly place: ReadonlySignal<PageAddress>;
  /** The address of a place, for links; `view` without `#`, empty by default. */
  readonly href: (path: string, view?: string) => string;
  /** Goes there and adds an entry to the history; `replace` changes the current entry. */
  readonly go: (path: string, view?: string, how?: 'push' | 'replace') => void;
  /** The absolute address of a place, to hand over. */
  readonly linkTo: (path: string, view?: string) => string;
};

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
  const href = (path: string, view = ''): string =>
    `${root.pathname}${path.slice(1)}${view === '' ? '' : `#${view}`}`;
  const update = (): void => {
    const next = current();
    const { path, view } = place.peek();
    if (next.path !== path || next.view !== view) place.value = next;
  };
  const go: Navigation['go'] = (path, view = '', how = 'push') => {
    if (how === 'push') history.pushState(null, '', href(path, view));
    else history.replaceState(null, '', href(path, view));
    update();
  };
  window.addEventListener('popstate', update);
  window.addEventListener('hashchange', update);
  document.addEventListener('click', (event) => {
    const target = linkOf(event);
    if (target === null || !isWithin(target, location, root)) return;
    event.preventDefault();
    history.pushState(null, '', target.href);
    update();
  });
  const linkTo = (path: string, view?: string): string => `${location.origin}${href(path, view)}`;
  return { place, href, go, linkTo };
};

const linkOf = (event: MouseEvent): HTMLAnchorElement | null => {
  const hasModifier = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
  if (event.defaultPrevented || event.button !== 0 || hasModifier) return null;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  return link === null || link.target !== '' || link.hasAttribute('download') ? null : link;
};

const isWithin = (link: HTMLAnchorElement, location: Location, root: URL): boolean =>
  link.origin === location.origin && link.pathname.startsWith(root.pathname);
