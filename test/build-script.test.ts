import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { temporaryFolder } from './support/folder.js';
import { bundler, repository } from './support/test-environment.js';

const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};
const { include } = JSON.parse(readFileSync(join(repository, 'tsconfig.json'), 'utf8')) as {
  readonly include: readonly string[];
};

/** A source in each folder that the compiler and the bundler read (not `bench` and `test`). */
const sources = [
  ...include
    .filter((folder) => !['*.ts', 'bench', 'test'].includes(folder))
    .map((folder) => (folder === 'clients' ? 'clients/typescript/src' : folder)),
  'console',
].map((folder) => `${folder}/deep/source.ts`);
const rootFiles = ['main.ts', 'package.json', 'tsconfig.json', 'node_modules/.package-lock.json'];

/** Programs that note how they were called, in place of those that take seconds. */
const stubs = {
  tsc: 'mkdir -p dist',
  node: `case $1 in dist/bundle.js)
    mkdir -p dist/web && touch dist/assay.js dist/web/index.html;; esac`,
};
const compiled = ['tsc -b --noCheck', 'node dist/bundle.js'];
const checked = ['tsc -b', 'tsc -p console', 'node dist/bundle.js'];
const served = 'node --max-semi-space-size=32 dist/assay.js serve';

describe('the build script', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  const path = (name: string): string => join(folder.dir, name);
  const write = (name: string, text: string, mode = 0o644): void => {
    mkdirSync(dirname(path(name)), { recursive: true });
    writeFileSync(path(name), text, { mode });
  };
  /** Runs a script of package.json; returns its calls of the compiler and of Node. */
  const run = (script: 'start' | 'demo' | 'build'): readonly string[] => {
    rmSync(path('calls'), { force: true });
    spawnSync('sh', ['-c', scripts[script] ?? ''], {
      cwd: folder.dir,
      env: { PATH: `${path('bin')}:/usr/bin:/bin` },
    });
    return existsSync(path('calls')) ? readFileSync(path('calls'), 'utf8').trim().split('\n') : [];
  };

  beforeEach(async () => {
    folder = await temporaryFolder();
    for (const name of [...sources, ...rootFiles]) write(name, 'before');
    mkdirSync(path('.ci'));
    copyFileSync(join(repository, '.ci/build'), path('.ci/build'));
    for (const [name, does] of Object.entries(stubs))
      write(`bin/${name}`, `#!/bin/sh\necho "${name} $*" >>calls\n${does}\n`, 0o755);
  });
  afterEach(() => folder.remove());

  it('compiles at the first start, and at the next ones runs the service only', () => {
    expect(run('start')).to.deep.equal([...compiled, served]);
    expect(run('start')).to.deep.equal([served]);
    expect(run('demo')).to.deep.equal([served.replace('serve', 'demo')]);
  });

  it('leaves nothing to compile to a start after a build, which always checks types', () => {
    expect(run('build')).to.deep.equal(checked);
    expect(run('start')).to.deep.equal([served]);
    expect(run('build')).to.deep.equal(checked);
  });

  it('compiles once after a change of any source, also by an older file', () => {
    run('start');
    for (const name of [...sources, ...rootFiles]) {
      write(name, 'edited');
      utimesSync(path(name), 1, 1);
      expect(run('start'), name).to.deep.equal([...compiled, served]);
      expect(run('start'), name).to.deep.equal([served]);
    }
  });

  it('compiles after a source was added or deleted', () => {
    const [first = '', second = ''] = sources;
    run('start');
    write(`${first}x`, 'added');
    expect(run('start')).to.deep.equal([...compiled, served]);
    rmSync(path(second));
    expect(run('start')).to.deep.equal([...compiled, served]);
    expect(run('start')).to.deep.equal([served]);
  });

  it('compiles again after a build that failed, and after a part of it was removed', () => {
    run('start');
    const [first = ''] = sources;
    write(first, 'broken');
    appendFileSync(path('bin/tsc'), 'exit 1\n');
    expect(run('start')).to.deep.equal(['tsc -b --noCheck']);
    expect(run('start')).to.deep.equal(['tsc -b --noCheck']);
    write('bin/tsc', '#!/bin/sh\necho "tsc $*" >>calls\n', 0o755);
    expect(run('start')).to.deep.equal([...compiled, served]);
    rmSync(path('dist/assay.js'));
    expect(run('start')).to.deep.equal([...compiled, served]);
  });
});

describe('the check of bundles', () => {
  it('names the build when a module or a console source is newer than the bundles', async () => {
    const folder = await temporaryFolder();
    const touch = (name: string, seconds: number): void => {
      mkdirSync(dirname(join(folder.dir, name)), { recursive: true });
      appendFileSync(join(folder.dir, name), '');
      utimesSync(join(folder.dir, name), seconds, seconds);
    };
    const modules = ['bundle', 'bundle-console', 'console-budgets', 'engines/node/minimum-version'];
    for (const name of modules) {
      touch(`dist/${name}.js`, 1);
      copyFileSync(join(dirname(bundler), `${name}.js`), join(folder.dir, `dist/${name}.js`));
      touch(`dist/${name}.js`, 1);
    }
    writeFileSync(join(folder.dir, 'package.json'), '{ "type": "module" }');
    const check = (): string =>
      spawnSync(process.execPath, [join(folder.dir, 'dist/bundle.js'), '--check'], {
        encoding: 'utf8',
      }).stdout;
    const stale = 'The bundles in dist are older than their sources: run npm run build.\n';
    touch('dist/assay.js', 10);
    touch('dist/web/index.html', 10);
    touch('dist/kernel/ports.js', 9);
    expect(check()).to.equal('');
    touch('dist/kernel/ports.js', 11);
    expect(check()).to.equal(stale);
    touch('dist/assay.js', 12);
    expect(check()).to.equal('');
    touch('console/main.tsx', 13);
    expect(check()).to.equal(stale);
    await folder.remove();
  });
});
