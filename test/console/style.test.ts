import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect } from 'chai';
import { repository } from '../support/test-environment.js';

/** Folders of `console/` that all pages share, and which others each may import. */
const rooms: Readonly<Record<string, readonly string[]>> = {
  engines: [],
  language: [],
  parts: ['language'],
  client: ['engines', 'parts', 'language'],
};
/** Files and folders that compose the others. */
const composing = ['main.tsx', 'routes.ts', 'shell', 'history-worker.ts', 'datasets-worker.ts'];
const client = 'clients/typescript/src/';

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'console'], {
  cwd: repository,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => /\.tsx?$/.test(path));
const read = (path: string): string => readFileSync(join(repository, path), 'utf8');

type Import = { readonly target: string; readonly isType: boolean };
const importsOf = (path: string): readonly Import[] => {
  const text = read(path);
  const fixed = [...text.matchAll(/^import (type )?[^;]*?from '([^']+)'/gm)].map(
    ([, type, target = '']) => ({ target, isType: type !== undefined }),
  );
  const lazy = [...text.matchAll(/\bimport\('([^']+)'\)/g)].map(([, target = '']) => ({
    target,
    isType: false,
  }));
  return [...fixed, ...lazy];
};

/** True for an import that STYLE.md, The console, allows. */
const isAllowed = (path: string, { target, isType }: Import): boolean => {
  const own = path.split('/')[1] ?? '';
  if (!target.startsWith('.')) {
    const isView = /^(preact(\/hooks)?|@preact\/signals)$/.test(target) && own !== 'language';
    return isView || isType || own === 'engines' || path === 'console/client/queries.ts';
  }
  const resolved = normalize(join(dirname(path), target));
  if (/^(kernel|ledger\/chain)\//.test(resolved)) return true;
  if (resolved.startsWith(client)) return isType || own === 'client';
  const [folder, room = '', file] = resolved.split('/');
  if (folder !== 'console') return false;
  if (composing.includes(own) || room === own) return true;
  const below = rooms[own];
  if (room === 'engines' && isType) return own !== 'language';
  if (below !== undefined || room === 'engines') return below?.includes(room) === true;
  return room in rooms || (file !== 'page.js' && file !== 'state.js');
};

/** Clocks, chance, timers, the page, and what it keeps and sends. */
const world = [
  /\b(Date\.now|performance\.now|Math\.random|crypto\.\w+)\b|\bnew Date\(\)/,
  /\b(set(Timeout|Interval|Immediate)|requestAnimationFrame|queueMicrotask)\b/,
  /\b(window|navigator|localStorage|sessionStorage|indexedDB)\./,
  // A retrieved document has none of these.
  /\bdocument\.(query|get|create|add|remove|exec|write|body|head|title|cookie|hidden|\w+Element)/,
  /(?<![.\w])fetch\(|\bnew (Worker|BroadcastChannel|XMLHttpRequest|WebSocket|EventSource)\b/,
];
const withoutComments = (source: string): string =>
  source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');

describe('the folder of the console', () => {
  it('imports only what STYLE.md, The console, allows', () => {
    const complaints = files.flatMap((path) =>
      importsOf(path)
        .filter((one) => !isAllowed(path, one))
        .map(({ target }) => `${path} imports ${target}`),
    );
    expect(complaints).to.deep.equal([]);
  });

  it('touches the browser in console/engines only', () => {
    const outside = files
      .filter((path) => !path.startsWith('console/engines/') && path !== 'console/main.tsx')
      .flatMap((path) => {
        const source = withoutComments(read(path));
        const touched = world
          .map((form) => form.exec(source)?.[0])
          .find((one) => one !== undefined);
        return touched === undefined ? [] : [`${path}: ${touched}`];
      });
    expect(outside).to.deep.equal([]);
  });

  it('makes no HTML of text', () => {
    const html = /dangerouslySetInnerHTML|innerHTML|insertAdjacentHTML|document\.write/;
    expect(files.filter((path) => html.test(read(path)))).to.deep.equal([]);
  });
});
