import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { appPassword, sharedApp, type App } from '../../support/app.js';
import {
  expectAccessible,
  openTestBrowser,
  signIn,
  type TestBrowser,
} from '../../support/browser.js';
import { describeInBrowser } from '../../support/browser-suites.js';
import { startOpenAiServer } from '../../support/openai-server.js';
import type { ScriptedServer } from '../../support/scripted-server.js';
import { bareEnvironment, program, repository } from '../../support/test-environment.js';

const run = promisify(execFile);
const email = 'admin@localhost';
const compiled = join(program, '..');

describeInBrowser('the console, first run of a project', function () {
  let app: App;
  let browser: TestBrowser;
  let models: ScriptedServer;
  before(async () => {
    app = await sharedApp();
    models = await startOpenAiServer();
    browser = await openTestBrowser(app.url);
    await signIn(await browser.open('/'), email, appPassword);
  });
  afterEach(async () => {
    await Promise.all(browser.context.pages().map((page) => page.close()));
    expect(browser.offences).to.deep.equal([]);
  });
  after(async () => {
    await browser.close();
    await models.close();
  });

  const newProject = async (name: string): Promise<string> => {
    const body = { name: `${name} ${Date.now()}` };
    return (await app.client.call<{ readonly id: string }>('POST', '/v2/projects', { body })).body
      .id;
  };
  /** Opens the page of a new project with a key, at one way to send. */
  const openStart = async (tab: string): Promise<Page> => {
    const page = await browser.open(`/p/${await newProject(tab)}/start`);
    await page.getByRole('button', { name: 'Make a key' }).click();
    await page.getByText('I have kept it').waitFor();
    await page.getByRole('tab', { name: tab }).click();
    return page;
  };
  const textOf = (page: Page, label: string): Promise<string> =>
    page.getByLabel(label, { exact: true }).innerText();
  const shell = async (lines: string): Promise<void> => {
    const env = {
      ...bareEnvironment(),
      PATH: process.env['PATH'] ?? '',
      PYTHONPATH: join(repository, 'clients/python'),
      PYTHONDONTWRITEBYTECODE: '1',
      OPENAI_BASE_URL: `${models.url}/v1`,
      OPENAI_API_KEY: 'sk-made-up',
    };
    await run('sh', ['-c', lines], { env, cwd: repository });
  };
  /** The page asks every 2 s; a busy machine may answer later than the 3 s of a quiet one. */
  const expectArrival = (page: Page): Promise<void> =>
    page.getByText(/came .* after it began/).waitFor();
  const exporting = (example: string): string =>
    `"${process.execPath}" "${join(compiled, 'examples', example)}"`;

  it('shows the first trace of a program with OpenTelemetry (check 7)', async () => {
    const page = await openStart('OpenTelemetry');
    await shell(`${await textOf(page, 'shell lines')}\n${exporting('opentelemetry.js')}`);
    await expectArrival(page);
    await expectAccessible(page);
    await page.getByRole('link', { name: 'All traces' }).click();
    await page.getByRole('grid').getByText('answer').waitFor();
  });

  it('shows the first trace of a program with LangChain (check 7)', async () => {
    const page = await openStart('LangChain');
    const example = readFileSync(join(repository, 'examples/langchain.ts'), 'utf8').split('\n');
    const lines = (await textOf(page, 'program')).trimEnd().split('\n');
    expect(lines.filter((line) => !line.startsWith('//') && !example.includes(line))).to.be.empty;
    await shell(`${await textOf(page, 'shell lines')}\n${exporting('langchain.js')}`);
    await expectArrival(page);
  });

  it('shows the first trace of a program with the Python client (check 7)', async () => {
    const page = await openStart('Python');
    const lines = await textOf(page, 'program');
    await shell(`${await textOf(page, 'shell lines')}\npython3 - <<'END'\n${lines}\nEND`);
    await expectArrival(page);
  });

  it('shows the first trace of a program with the TypeScript client (check 7)', async () => {
    const page = await openStart('TypeScript');
    const client = `file://${join(compiled, 'clients/typescript/src/node.js')}`;
    const lines = (await textOf(page, 'program')).replace('assay-client', client);
    const node = `"${process.execPath}" --input-type=module -`;
    await shell(`${await textOf(page, 'shell lines')}\n${node} <<'END'\n${lines}\nEND`);
    await expectArrival(page);
  });

  it('shows the first trace that curl sent (check 7)', async () => {
    const page = await openStart('curl');
    await shell(await textOf(page, 'shell lines'));
    await expectArrival(page);
  });

  it('leads there from an empty project, and never once it has traces (check 7)', async () => {
    const project = await newProject('empty');
    const page = await browser.open(`/p/${project}/traces`);
    await page.getByRole('heading', { name: 'Send a first trace' }).waitFor();
    await page.getByRole('button', { name: 'Send one from here' }).click();
    await expectArrival(page);
    const again = await browser.open(`/p/${project}/start`);
    await again.getByRole('grid').getByText('hello').waitFor();
    expect(again.url()).to.match(/\/traces$/);
  });
});
