import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { Metafile } from 'esbuild';
import { budgetExcesses } from '../../console-budgets.js';

const kilobyte = 1_024;
type Output = Metafile['outputs'][string];

const output = (entryPoint: string | undefined, ...imports: Output['imports']): Output => ({
  bytes: 0,
  inputs: {},
  imports,
  exports: [],
  ...(entryPoint !== undefined && { entryPoint }),
});
const statically = (path: string) => ({ path, kind: 'import-statement' as const });
const lazily = (path: string) => ({ path, kind: 'dynamic-import' as const });

/** The first page with a shared chunk, and a lazy page with a chunk of its own. */
const outputs = {
  'main.js': output('console/main.tsx', statically('shared.js'), lazily('page.js')),
  'style.css': output('console/main.css'),
  'shared.js': output(undefined),
  'page.js': {
    ...output('console/traces/page.tsx', statically('shared.js'), statically('own.js')),
    inputs: { 'console/traces/page.tsx': { bytesInOutput: 1 } },
  },
  'own.js': output(undefined),
  'chart.js': {
    ...output(undefined),
    inputs: { 'console/parts/time-chart.tsx': { bytesInOutput: 1 } },
  },
};
type Sizes = Readonly<Partial<Record<keyof typeof outputs, number>>>;
const excessesOf = (kilobytes: Sizes): readonly string[] =>
  budgetExcesses(outputs, (path) => (kilobytes[path as keyof Sizes] ?? 0) * kilobyte);

describe('the budgets of the console (check 35)', () => {
  it('take the first page with its style and what it imports up to 150 KB', () => {
    expect(excessesOf({ 'main.js': 100, 'style.css': 10, 'shared.js': 40 })).to.deep.equal([]);
    expect(excessesOf({ 'main.js': 100, 'style.css': 10, 'shared.js': 41 })).to.deep.equal([
      `The first page of the console has ${151 * kilobyte} gzipped bytes ` +
        `(${150 * kilobyte} at most). Import what it shows late by import(), or write less.`,
    ]);
  });

  it('take what a lazy page adds to the first one up to 50 KB', () => {
    expect(excessesOf({ 'page.js': 20, 'own.js': 30, 'shared.js': 40 })).to.deep.equal([]);
    expect(excessesOf({ 'page.js': 20, 'own.js': 31 })).to.have.length(1);
  });

  it('take the own code of a trace up to 25 KB, and charts up to 12 KB', () => {
    expect(excessesOf({ 'page.js': 25, 'chart.js': 12 })).to.deep.equal([]);
    expect(excessesOf({ 'page.js': 26, 'chart.js': 13 })).to.have.length(2);
  });
});

describe('the page of the console', () => {
  const web = new URL('../../web/', import.meta.url);
  const textOf = (path: string): Promise<string> => readFile(new URL(path, web), 'utf8');
  const importsOf = async (path: string): Promise<readonly string[]> => {
    const statements = (await textOf(path)).matchAll(/(?:from|import)"\.\/([\w.-]+\.js)"/g);
    const own = [...new Set(Array.from(statements, ([, name]) => `assets/${name}`))];
    return [...own, ...(await Promise.all(own.map(importsOf))).flat()];
  };

  it('names each module that its script imports, so that all are fetched at once', async () => {
    const html = await textOf('index.html');
    const [, main = ''] = /<script type="module" src="([^"]+)"/.exec(html) ?? [];
    const imports = new Set(await importsOf(main));
    expect(imports.size).to.be.greaterThan(3);
    const preloads = html.matchAll(/rel="modulepreload" href="([^"]+)"/g);
    expect(Array.from(preloads, ([, path]) => path)).to.have.members([...imports]);
  });
});
