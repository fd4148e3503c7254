import type { PageModule } from './parts/page.js';

type Route = {
  /** A path with `{names}`. */
  readonly pattern: string;
  readonly load: () => Promise<PageModule>;
  /** `alone`: without rail and bar, and without a login. */
  readonly frame?: 'shell' | 'alone';
};

const loadExplorer = (): Promise<PageModule> => import('./explorer/page.js');
const loadHistory = (): Promise<PageModule> => import('./history/page.js');

/** All pages; a path that matches none is not found. */
export const routes: readonly Route[] = [
  { pattern: '/sign-in', load: () => import('./sign-in/page.js'), frame: 'alone' },
  { pattern: '/invitation', load: () => import('./invitation/page.js'), frame: 'alone' },
  { pattern: '/keys', load: () => import('./keys/page.js') },
  { pattern: '/people', load: () => import('./people/page.js') },
  { pattern: '/account', load: () => import('./account/page.js') },
  { pattern: '/p/{project_id}', load: () => import('./overview/page.js') },
  { pattern: '/p/{project_id}/settings', load: () => import('./settings/page.js') },
  { pattern: '/', load: () => import('./projects/page.js') },
  { pattern: '/p/{project_id}/start', load: () => import('./first-run/page.js') },
  { pattern: '/p/{project_id}/traces', load: loadExplorer },
  { pattern: '/p/{project_id}/spans', load: loadExplorer },
  { pattern: '/p/{project_id}/sessions', load: loadExplorer },
  {
    pattern: '/p/{project_id}/sessions/{session_id}',
    load: () => import('./traces/session-page.js'),
  },
  { pattern: '/p/{project_id}/experiments', load: () => import('./experiments/page.js') },
  {
    pattern: '/p/{project_id}/experiments/compare',
    load: () => import('./experiments/compare-page.js'),
  },
  { pattern: '/p/{project_id}/traces/{trace_id}', load: () => import('./traces/page.js') },
  { pattern: '/p/{project_id}/templates', load: () => import('./templates/page.js') },
  { pattern: '/p/{project_id}/rate', load: () => import('./rate/page.js') },
  { pattern: '/datasets', load: () => import('./datasets/page.js') },
  { pattern: '/datasets/{dataset_id}', load: () => import('./datasets/dataset-page.js') },
  { pattern: '/p/{project_id}/runs', load: () => import('./log-streams/page.js') },
  { pattern: '/p/{project_id}/runs/{run_id}', load: () => import('./log-streams/run-page.js') },
  { pattern: '/scorers', load: () => import('./scorers/page.js') },
  { pattern: '/scorers/{scorer_id}', load: () => import('./scorers/scorer-page.js') },
  { pattern: '/history', load: loadHistory },
  { pattern: '/p/{project_id}/history', load: loadHistory },
  { pattern: '/history/{resource}/{id}', load: () => import('./history/record-page.js') },
];

export type RouteMatch = {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
};

/** The route of a path, a slash at its end ignored; null if there is none. */
export const matchRoute = (path: string): RouteMatch | null => {
  const parts = partsOf(path);
  for (const route of routes) {
    const params = paramsOf(partsOf(route.pattern), parts);
    if (params !== null) return { route, params };
  }
  return null;
};

const partsOf = (path: string): readonly string[] => path.split('/').filter((part) => part !== '');

const paramsOf = (
  pattern: readonly string[],
  parts: readonly string[],
): Readonly<Record<string, string>> | null => {
  if (pattern.length !== parts.length) return null;
  const params: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const part = parts[index] ?? '';
    if (expected.startsWith('{')) params[expected.slice(1, -1)] = decoded(part);
    else if (expected !== part) return null;
  }
  return params;
};

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};
