import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect } from 'chai';
import { minimumNode, oldNodeMessage } from '../../engines/node/minimum-version.js';
import { temporaryFolder } from '../support/folder.js';
import { bareEnvironment, repository } from '../support/test-environment.js';

const manifest = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
  readonly engines: { readonly node: string };
  readonly bin: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
};
/** The files that package.json has Node start, as `dist/assay.js`. */
const entryPoints = [
  ...new Set(
    [...Object.values(manifest.bin), ...Object.values(manifest.scripts)].flatMap(
      (command) => command.match(/\bdist\/[\w./-]+\.js/g) ?? [],
    ),
  ),
];
const sourceOf = (entry: string): string =>
  entry === 'dist/assay.js' ? 'entry.ts' : entry.replace('dist/', '').replace(/js$/, 'ts');

const newest = '20.20.2';
const pretence = `data:text/javascript,Object.defineProperty(process, 'versions', {
  value: { ...process.versions, node: '${newest}' } })`;
const versionOf = (node: string): string =>
  spawnSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' }).stdout.trim();

/** Nodes of this machine that are too old, by what they say of themselves. */
const paths = (process.env['PATH'] ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'node'))
  .filter((path) => existsSync(path))
  .map((path) => realpathSync(path));
const olderNodes = [...new Set(paths)].filter((path) => oldNodeMessage(versionOf(path)) !== null);

describe('the minimum version of Node', () => {
  it('is the one of package.json', () => {
    expect(manifest.engines.node).to.equal(`>=${minimumNode}`);
  });

  it('is compared by number, the newest part last', () => {
    const [major = 0, minor = 0] = minimumNode.split('.').map(Number);
    for (const version of [`${major}.${minor}.0`, `${major}.${minor + 10}.1`, `${major + 1}.0.0`])
      expect(oldNodeMessage(version), version).to.equal(null);
    for (const version of ['9.11.2', newest, `${major - 1}.99.0`, `${major}.${minor - 1}.9`])
      expect(oldNodeMessage(version), version).to.match(
        new RegExp(`^Assay needs Node ${minimumNode} .* started by Node ${version}: .*npm .*\\.$`),
      );
  });

  it('is checked by each entry point before anything else is loaded', () => {
    expect(entryPoints).to.include.members(['dist/assay.js', 'dist/bundle.js', 'dist/test/run.js']);
    for (const entry of entryPoints) {
      const [first] = readFileSync(join(repository, sourceOf(entry)), 'utf8').match(
        /^import .*/m,
      ) ?? [''];
      expect(first, entry).to.match(/^import '(\.\.?\/)+engines\/node\/minimum-version\.js';$/);
    }
  });

  const starts = [
    {
      who: 'one that takes itself for older',
      node: process.execPath,
      args: ['--import', pretence],
    },
    ...olderNodes.map((node) => ({ who: 'an older one of this machine', node, args: [] })),
  ];
  for (const { who, node, args } of starts)
    it(`ends each entry point with one sentence and code 1 in ${who}`, async () => {
      const folder = await temporaryFolder();
      for (const entry of entryPoints) {
        const { status, stdout, stderr } = spawnSync(node, [...args, join(repository, entry)], {
          cwd: folder.dir,
          encoding: 'utf8',
          env: bareEnvironment(),
          timeout: 20_000,
        });
        const version = args.length > 0 ? newest : versionOf(node);
        expect([status, stdout, stderr], entry).to.deep.equal([
          1,
          '',
          `${oldNodeMessage(version) ?? ''}\n`,
        ]);
      }
      await folder.remove();
    });
});
