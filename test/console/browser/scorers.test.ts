import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { appPassword, sharedApp, type App } from '../../support/app.js';
import {
  expectAccessible,
  openTestBrowser,
  signIn,
  untilInPage,
  type TestBrowser,
} from '../../support/browser.js';
import { describeInBrowser } from '../../support/browser-suites.js';
import { clientOf } from '../../support/client.js';
import { upload } from '../../support/datasets.js';
import { waits } from '../../support/sandboxes.js';
import { registeredScorer } from '../../support/scorer-validations.js';

const email = 'admin@localhost';
const password = 'a password of a test';
const ofTraces = { scoreable_node_types: ['trace'] };
const first = 'def scorer_fn(*, node_output, **kwargs) -> int:\n    return 0\n';
/** Raises on the second row; a page of 100 traces takes it a second without a processor. */
const raising = [
  'def scorer_fn(*, node_output, **kwargs) -> int:',
  '    if node_output == "bb":',
  '        raise ValueError("it is bb")',
  `    ${waits(10)}`,
  '    return len(str(node_output))',
].join('\n');
const mended = raising.replace('raise ValueError("it is bb")', 'return 2');

describeInBrowser('the console, scorers and log streams', function () {
  let app: App;
  let browser: TestBrowser;
  let page: Page;
  let project = '';
  let run = '';
  let dataset = '';
  let scorer = '';
  const name = `length ${randomUUID()}`;
  before(async () => {
    app = await sharedApp('strict');
    project = await created('/v2/projects', { name: `scorers ${randomUUID()}` });
    run = await created(`/v2/projects/${project}/log_streams`, { name: 'support' });
    const traces = Array.from({ length: 500 }, (_trace, index) => ({
      name: `turn ${index}`,
      input: 'q',
      output: index === 499 ? 'bb' : 'answer',
    }));
    const body = { log_stream_id: run, traces };
    await app.client.call('POST', `/v2/projects/${project}/traces`, { body });
    const mapping = JSON.stringify({ input: ['question'], output: ['answer'] });
    const uploaded = await upload(app, {
      file: 'question,answer\nq0,a\nq1,bb\nq2,ccc\n',
      parts: { name: `rows ${randomUUID()}`, column_mapping: mapping, project_id: project },
    });
    dataset = uploaded.body.id;
    scorer = (await registeredScorer(app, { name, ...ofTraces }, first)).id;
    await openBrowser();
  });
  afterEach(async () => {
    expect([...browser.offences, ...browser.refusals]).to.deep.equal([]);
  });
  after(() => browser.close());

  const created = async (path: string, body: object): Promise<string> =>
    (await app.client.call<{ readonly id: string }>('POST', path, { body })).body.id;
  /** A browser whose offences and answers 403 fail the test. */
  const openBrowser = async (who = email, secret = appPassword): Promise<void> => {
    browser = await openTestBrowser(app.url);
    page = await browser.open('/scorers');
    await signIn(page, who, secret);
  };
  const goTo = (path: string) => page.goto(`${app.url}/console${path}`);
  const editor = () => page.getByRole('textbox', { name: 'Code of the scorer' });
  const write = async (code: string): Promise<void> => {
    await editor().click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(code);
  };
  /** Validates by key; the progress, which may end soon, is looked for in each frame. */
  const validate = async (): Promise<void> => {
    const bar = '[aria-label="Progress of the validation"]';
    const progress = untilInPage(page, `document.querySelector('${bar}') !== null`);
    await page.keyboard.press('Control+Enter');
    await progress;
  };
  const result = () => page.getByRole('region', { name: 'Result of the validation' });
  const expectWellMade = async (): Promise<void> => {
    for (const width of [1_280, 360]) {
      await page.setViewportSize({ width, height: 800 });
      for (const theme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme: theme });
        await expectAccessible(page);
      }
      const overflow = 'document.documentElement.scrollWidth - innerWidth';
      expect(await page.evaluate(overflow), `${page.url()} at ${width}`).to.be.at.most(0);
    }
    await page.setViewportSize({ width: 1_280, height: 800 });
  };

  it('marks a raising scorer, and saves the mended one as v2 (check 28)', async () => {
    await page.getByLabel('Find by name').fill(name);
    await page.getByRole('link', { name }).click();
    await page.getByRole('heading', { name }).waitFor();
    await editor().getByText('return 0').waitFor();
    await page.getByLabel('Dataset', { exact: true }).selectOption(dataset);
    await write('# ');
    await page.keyboard.type('typed faster than drawn '.repeat(4));
    for (let count = 0; count < 24; count += 1) await page.keyboard.press('Backspace');
    await editor()
      .getByText(/^# (typed faster than drawn ){3}$/)
      .waitFor();
    await write(raising);
    await validate();
    await result().getByText('Row 2, line 3:').waitFor();
    await result().getByText('ValueError: it is bb').waitFor();
    await page.locator('.cm-lint-marker-error').waitFor();
    const marked = await page.locator('.cm-lintRange-error').textContent();
    expect(marked).to.include('raise ValueError("it is bb")');
    expect(await page.getByRole('button', { name: 'Save as v2' }).isEnabled()).to.equal(false);
    await page.getByRole('button', { name: 'Go to line 3' }).click();
    await expectWellMade();

    await page.reload();
    await result().getByText('Row 2, line 3:').waitFor();
    await result().getByText('validated on an earlier visit').waitFor();

    await write(mended);
    await validate();
    await result().getByText('valid · int · 3 scores · mean 2').waitFor();
    const rows = page.getByRole('grid', { name: 'Scored rows' });
    await rows.getByRole('row', { name: '3 3 q2 ccc ccc open' }).waitFor();
    await expectWellMade();
    await editor().click();
    await page.keyboard.press('Control+s');
    await page.getByText('v2 · int').waitFor();
    await page.getByRole('button', { name: 'Save as v3' }).waitFor();
    await page.getByRole('tab', { name: 'Versions' }).click();
    await page.getByRole('row', { name: 'removed: return 0' }).waitFor();
    await page.getByRole('row', { name: /added: return len/ }).waitFor();
    await expectWellMade();
    await page.getByRole('tab', { name: 'Details' }).click();
    await page.getByLabel('Purpose').fill('How long the answer is');
    await page.getByRole('button', { name: 'Save the details' }).click();
    await page.getByRole('button', { name: 'Save the details', disabled: true }).waitFor();
    await expectWellMade();
    expect(await page.getByLabel('Purpose').inputValue()).to.equal('How long the answer is');
  });

  it('tries one sample, and says what the file as a whole lacks', async () => {
    await goTo(`/scorers/${scorer}#on=sample`);
    await write('def other(*, x) -> int:\n    return x');
    await page.getByRole('button', { name: 'Try' }).click();
    await result().getByText('the file defines no scorer_fn').waitFor();
    await write('def scorer_fn(*, node_input, colour=None) -> str:\n    return node_input');
    await page.getByLabel('Input', { exact: true }).fill('red');
    await page.keyboard.press('Control+Enter');
    await result().getByText('valid · str · 1 score').waitFor();
    await result().getByText('Nothing is passed for colour').waitFor();
    await result().getByRole('cell', { name: 'red' }).waitFor();
  });

  it('scores 500 past traces, stops on the way, and goes on (check 28)', async () => {
    await goTo(`/p/${project}/runs`);
    await page.getByRole('link', { name: 'support' }).click();
    await page.getByLabel('Add a scorer').selectOption(scorer);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('button', { name: `Remove ${name}` }).waitFor();
    const past = page.getByRole('region', { name: 'Score what is there' });
    await past.getByText('500 traces', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByText(/ of 500 traces/).waitFor();
    await page.getByText(/[1-4]00 of 500 traces/).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText(/^cancelled · \d+ % · [1-4]00 scored/).waitFor();
    await page.getByRole('button', { name: 'Go on' }).click();
    await page
      .getByText(/^completed · 100 % · \d+ scored · \d+ skipped · 500 of 500 traces/)
      .waitFor({ timeout: 60_000 });
    await expectWellMade();
    const jobs = page.getByRole('table', { name: 'Jobs' });
    await jobs
      .getByRole('row', { name: /scoring of what was there: length .* completed/ })
      .waitFor();

    await page.getByRole('checkbox', { name: 'Insights' }).click();
    await page.getByText(/^since /).waitFor();
    await page.getByRole('button', { name: `Remove ${name}` }).click();
    await page.getByText('None. A trace is scored').waitFor();
  });

  it('groups what failed by its place in the code', async () => {
    const failing = raising.replace(/\n.*Atomics.*/, '').replace('"bb":', '"answer":');
    const named = { name: `fails ${randomUUID()}`, ...ofTraces };
    const { id } = await registeredScorer(app, named, failing);
    const filter = encodeURIComponent('name ~ "turn 49"');
    await goTo(`/p/${project}/runs/${run}#scorer=${id}&f=${filter}`);
    await page.reload();
    await page.getByText('11 traces', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Start' }).click();
    const failure = page
      .getByRole('table', { name: 'Failures' })
      .getByRole('row', { name: /^10 ValueError, line 3 / });
    await failure.getByRole('link', { name: /^trace / }).click();
    await page.getByRole('heading', { name: /turn 49/, level: 1 }).waitFor();
  });

  it('makes, renames and deletes log streams and scorers', async () => {
    await goTo(`/p/${project}/runs`);
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'New log stream' }).click();
    await dialog.getByLabel('Name').fill('support');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Name').fill('nightly');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'nightly' }).waitFor();
    await page.getByRole('button', { name: 'Rename…' }).click();
    await dialog.getByLabel('Name').fill('weekly');
    await dialog.getByRole('button', { name: 'Rename', exact: true }).click();
    await page.getByRole('heading', { name: 'weekly' }).waitFor();
    await page.getByRole('button', { name: 'Delete…' }).click();
    await dialog.getByLabel('Type weekly to confirm').fill('weekly');
    await dialog.getByRole('button', { name: 'Delete for good' }).click();
    await page.getByRole('row', { name: /^support 500 / }).waitFor();
    await expectWellMade();

    await goTo('/scorers');
    await page.getByRole('button', { name: 'New scorer' }).click();
    const doomed = `doomed ${randomUUID()}`;
    await dialog.getByLabel('Name').fill(doomed);
    await dialog.getByRole('button', { name: 'Create' }).click();
    await editor().getByText('def scorer_fn').waitFor();
    await page.getByRole('tab', { name: 'Details' }).click();
    await page.getByRole('checkbox', { name: 'trace', checked: true }).waitFor();
    expect(await page.getByRole('checkbox', { name: 'llm' }).isChecked()).to.equal(false);
    await page.getByRole('button', { name: 'Delete…' }).click();
    await dialog.getByLabel(`Type ${doomed} to confirm`).fill(doomed);
    await dialog.getByRole('button', { name: 'Delete for good' }).click();
    await page.getByRole('heading', { name: 'Scorers' }).waitFor();
    await page.getByLabel('Find by name').fill(doomed);
    await page.getByText('No scorer has this in its name').waitFor();
    await expectWellMade();
  });

  it('shows a viewer what works, and what they lack (check 32)', async () => {
    const viewer = `viewer.${randomUUID()}@example.org`;
    const invited = await app.client.call<{
      readonly invitations: readonly { readonly user_id: string; invitation_token: string }[];
    }>('POST', '/v2/invite_users', { body: { emails: [viewer], role: 'read_only' } });
    const [invitation] = invited.body.invitations;
    const anonymous = clientOf({ url: app.url, apiKey: null });
    await anonymous.call('POST', '/v2/invitations/accept', {
      body: { token: invitation?.invitation_token, password },
    });
    anonymous.close();
    await app.client.call('POST', `/v2/projects/${project}/users`, {
      body: [{ user_id: invitation?.user_id, role: 'viewer' }],
    });
    const { offences } = browser;
    await browser.close();
    expect(offences).to.deep.equal([]);
    await openBrowser(viewer, password);

    const expectRefused = async (names: readonly (string | RegExp)[]): Promise<void> => {
      for (const one of names) {
        const button = page.getByRole('button', { name: one }).first();
        await button.waitFor();
        expect(await button.isEnabled(), String(one)).to.equal(false);
      }
    };
    await page.getByText('Needs the role user; yours is read_only').waitFor();
    await page.getByLabel('Find by name').fill(name);
    await page.getByRole('link', { name }).waitFor();
    await expectRefused(['New scorer', `Delete ${name}`]);
    await page.getByRole('link', { name }).click();
    await editor().getByText('return len').waitFor();
    await editor().click();
    await page.keyboard.press('Control+Enter');
    await page.keyboard.press('Control+s');
    await expectRefused(['Validate', /^Save as/, 'Delete…']);
    await page.getByRole('tab', { name: 'Details' }).click();
    await expectRefused(['Save the details']);
    await goTo(`/p/${project}/runs`);
    await expectRefused(['New log stream']);
    await page.getByRole('link', { name: 'support' }).click();
    await page.getByRole('table', { name: 'Jobs' }).waitFor();
    await expectRefused(['Rename…', 'Delete…', 'Add', 'Start']);
    expect(await page.getByRole('checkbox', { name: 'Insights' }).isEnabled()).to.equal(false);
  });
});
