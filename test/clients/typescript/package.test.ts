import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { Assay } from '../../../clients/typescript/src/node.js';
import { sharedApp } from '../../support/app.js';
import { temporaryFolder } from '../../support/folder.js';
import { bareEnvironment, program, repository } from '../../support/test-environment.js';

const run = promisify(execFile);
const home = join(repository, 'clients/typescript');
const tsc = join(repository, 'node_modules/typescript/bin/tsc');

/** The environment of a program that uses the client, with a project of its own. */
const environment = async (): Promise<NodeJS.ProcessEnv> => {
  const { url, apiKey } = await sharedApp();
  const { id } = await new Assay({ url, apiKey }).projects.create({ name: `of ${Math.random()}` });
  return { ...bareEnvironment(), ASSAY_URL: url, ASSAY_API_KEY: apiKey, ASSAY_PROJECT: id };
};

describe('the package of the TypeScript client', () => {
  it('is built and used as its README says', async () => {
    const { dir, remove } = await temporaryFolder();
    const installed = join(dir, 'node_modules/assay-client');
    await mkdir(join(dir, 'node_modules'), { recursive: true });
    await symlink(join(repository, 'node_modules/@types'), join(dir, 'node_modules/@types'));
    await run(process.execPath, [tsc, '-p', home, '--outDir', join(installed, 'dist')]);
    await copyFile(join(home, 'package.json'), join(installed, 'package.json'));
    const readme = await readFile(join(home, 'README.md'), 'utf8');
    const blocks = [...readme.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
    expect(blocks.length).to.be.greaterThan(1);
    for (const [index, text] of blocks.entries()) {
      expect(text.split('\n').length).to.be.at.most(20);
      await writeFile(join(dir, `block-${index}.mts`), text);
    }
    const strict = ['--strict', '--exactOptionalPropertyTypes', '--module', 'nodenext'];
    const rest = ['--target', 'es2022', '--skipLibCheck', 'false', '--types', 'node'];
    const files = blocks.map((_, index) => join(dir, `block-${index}.mts`));
    await run(process.execPath, [tsc, ...strict, ...rest, ...files], { cwd: dir }).catch(
      ({ stdout }: { readonly stdout: string }) => expect.fail(stdout),
    );
    const env = await environment();
    const [first, inSession, second] = [0, 1, 2].map((at) => join(dir, `block-${at}.mjs`));
    const { stdout } = await run(process.execPath, [first ?? ''], { env });
    expect(stdout).to.equal('book true\n');
    const named = { ...env, ASSAY_PROJECT: '' };
    const logged = await run(process.execPath, [inSession ?? ''], { env: named });
    expect(logged.stdout).to.equal('');
    expect(logged.stderr).to.match(
      /^(assay: made project airline\n)?assay: made log stream nightly\n$/,
    );
    const said = (await run(process.execPath, [second ?? ''], { env })).stdout;
    expect(said).to.match(/completed\npath\.trace_id Input should be a valid UUID/);
    const use = '({ Assay }) => console.log(new Assay().span("s", () => 5))';
    const entry = `import('assay-client/browser').then(${use})`;
    const page = await run(process.execPath, ['-e', entry], { cwd: dir, env });
    expect(page.stdout).to.equal('5\n');
    await remove();
  });

  it('depends on nothing', async () => {
    const manifest = JSON.parse(await readFile(join(home, 'package.json'), 'utf8')) as object;
    expect(Object.keys(manifest).filter((name) => /dependencies/i.test(name))).to.deep.equal([]);
  });

  it('has an example that runs', async () => {
    const example = join(program, '../examples/typescript.js');
    const { stdout } = await run(process.execPath, [example], { env: await environment() });
    expect(stdout.split('\n').sort()).to.deep.equal([
      '',
      'To Oslo? booked',
      'To the moon? refused',
      'correct: 1',
    ]);
  });
});
