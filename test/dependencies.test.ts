import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { temporaryFolder } from './support/folder.js';
import { repository } from './support/test-environment.js';

type Locked = {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly optional?: boolean;
  readonly dev?: boolean;
  readonly os?: string | readonly string[];
  readonly cpu?: string | readonly string[];
  readonly hasInstallScript?: boolean;
};
type Manifest = {
  readonly os: readonly string[];
  readonly cpu: readonly string[];
};

const read = (path: string): string => readFileSync(join(repository, path), 'utf8');
const { packages } = JSON.parse(read('package-lock.json')) as {
  readonly packages: Readonly<Record<string, Locked>>;
};
const lock = Object.entries(packages).filter(([path]) => path !== '');
const manifest = JSON.parse(read('package.json')) as Manifest;

/** True if npm installs the package on the platform of package.json. */
const isForUs = ({ os, cpu }: Locked): boolean => {
  const names = (of: Locked['os'], ours: readonly string[]): boolean =>
    of === undefined || [of].flat().some((one) => ours.includes(one));
  return names(os, manifest.os) && names(cpu, manifest.cpu);
};

describe('the installed packages', () => {
  it('is what it was when it was chosen, on every platform that npm takes us on', () => {
    expect(manifest.os).to.deep.equal(['linux']);
    expect(manifest.cpu).to.deep.equal(['x64']);
    for (const [path, locked] of lock) {
      // The registries in reach lack packages of other platforms, so npm refuses those (D-113).
      const form = isForUs(locked) ? /^sha512-[\w+/]{86}==$/ : /^(sha512-[\w+/]{86}==)?$/;
      expect(locked.integrity ?? '', path).to.match(form);
      if (!isForUs(locked)) expect(locked.optional, path).to.equal(true);
      expect(locked.resolved, path).to.equal(undefined);
    }
  });

  it('runs nothing by being installed', async () => {
    // An empty home has no configuration of npm.
    const home = await temporaryFolder();
    const asked = spawnSync('npm', ['config', 'get', 'ignore-scripts'], {
      cwd: repository,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] ?? '', HOME: home.dir },
    });
    expect(asked.stdout.trim()).to.equal('true');
    await home.remove();
    const scripted = lock.filter(([, { hasInstallScript }]) => hasInstallScript === true);
    expect(scripted.map(([path]) => path.replace('node_modules/', ''))).to.deep.equal([
      // Of the clients' tests: its script warns about versions. The service's own copy has none.
      '@grpc/proto-loader/node_modules/protobufjs',
      // Takes its binary from the package itself.
      'argon2',
      // Take theirs from a package for the platform, @deno/linux-x64-glibc and @esbuild/linux-x64.
      'deno',
      'esbuild',
    ]);
  });

  it('leaves every package for development out of the build', () => {
    const built = readdirSync(join(repository, 'dist/node_modules'), { recursive: true });
    const names = built
      .map((path) => `node_modules/${String(path)}`)
      .filter((path) => packages[path] !== undefined);
    expect(names).to.include('node_modules/@duckdb/node-bindings-linux-x64');
    expect(names.filter((path) => packages[path]?.dev === true)).to.deep.equal([]);
  });
});
