import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { appPassword, sharedApp, type App } from '../../support/app.js';
import { expectAccessible, signIn } from '../../support/browser.js';
import { describeInBrowser } from '../../support/browser-suites.js';
import { consolePages } from '../../support/console-pages.js';
import { upload, type ContentPage } from '../../support/datasets.js';
import { pollUntilEqual } from '../../support/poll-until.js';

const email = 'admin@localhost';
const password = 'a password of a test';
const csv = 'question,answer\nTo Oslo?,By train\nTo Bergen?,sold out\nTo Narvik?,By bus\n';

type Version = { readonly version_index: number } & Readonly<Record<string, unknown>>;

describeInBrowser('the console, datasets', () => {
  let app: App;
  const { openBrowser } = consolePages();
  before(async () => {
    app = await sharedApp();
  });

  const open = async (path: string, look: Parameters<typeof openBrowser>[0] = {}) => {
    const browser = await openBrowser(look);
    await browser.context.addInitScript('delete window.showSaveFilePicker');
    const page = await browser.open(path);
    await signIn(page, email, appPassword);
    return page;
  };
  const unique = (name: string): string => `${name} ${Date.now()}`;
  const made = async (parts: Readonly<Record<string, string>> = {}) =>
    (await upload(app, { file: csv, parts: { name: unique('airline'), ...parts } })).body;
  const edit = (id: string, ...edits: readonly object[]) =>
    app.client.call('PATCH', `/v2/datasets/${id}/content`, { body: { edits } });
  const contentOf = async (id: string) =>
    (await app.client.call<ContentPage>('GET', `/v2/datasets/${id}/content`)).body;
  const versionsOf = async (id: string) => {
    const path = `/v2/datasets/${id}/versions/query`;
    const { body } = await app.client.call<{ versions: readonly Version[] }>('POST', path, {
      body: {},
    });
    return body.versions;
  };
  const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
  /** Puts the cursor on a cell and types into it, by keys. */
  const type = async (page: Page, cell: string, text: string): Promise<void> => {
    await page.getByRole('gridcell', { name: cell, exact: true }).click();
    await page.keyboard.press('F2');
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
  };

  /** Saves with a login that ended, and signs in again over the page. */
  const endSession = async (page: Page): Promise<void> => {
    const answer = (code: string) => ({
      status: 401,
      json: { code, detail: 'The login is over', request_id: 'r' },
    });
    const [writes, refreshes] = ['**/v2/datasets/*/content', '**/v2/refresh_token'];
    await page.route(writes, (route) => route.fulfill(answer('token_expired')));
    await page.route(refreshes, (route) => route.fulfill(answer('invalid_credentials')));
    await page.getByRole('button', { name: 'Save as v2' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('E-mail').fill(email);
    await page.unroute(writes);
    await page.unroute(refreshes);
    await dialog.getByLabel('Password').fill(appPassword);
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
  };

  it('saves two cells, a row and a column as one version, mine on top (check 23)', async () => {
    const { id } = await made();
    const page = await open(`/datasets/${id}`);
    await type(page, 'sold out', 'By boat');
    await type(page, 'By train', 'By plane');
    await page.keyboard.press('Control+z');
    await page.getByText('1 change not saved: 1 cell').waitFor();
    await type(page, 'By train', 'By night train');
    await page.getByRole('button', { name: '+ column' }).click();
    await page.getByLabel('Name').fill('tox');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('button', { name: '+ row' }).click();
    await page.keyboard.press('Enter');
    await page.keyboard.type('To Bodø?');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Escape');
    await page.getByText('4 changes not saved: 2 cells, 1 row, 1 column').waitFor();
    await expectAccessible(page);

    const [, second, third] = (await contentOf(id)).rows.map(({ row_id }) => row_id);
    await edit(
      id,
      { edit_type: 'update_row', row_id: second, values: { answer: 'sold out again' } },
      { edit_type: 'delete_row', row_id: third },
    );
    await page.getByRole('button', { name: 'Save as v2' }).click();
    const meanwhile = page.getByRole('region', { name: 'Saved meanwhile' });
    await meanwhile.getByText(/^v2 by .*1 row removed, 1 row edited$/).waitFor();
    await meanwhile.getByRole('button', { name: 'Put mine on top' }).click();
    await page.getByText('theirs “sold out again”, yours “By boat”').waitFor();
    await page.getByText('4 changes not saved: 2 cells, 1 row, 1 column').waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('Control+s');
    await page.getByRole('link', { name: 'v3' }).waitFor();
    await page.getByRole('group', { name: 'Changes' }).waitFor({ state: 'detached' });

    const [version] = await versionsOf(id);
    expect(version).to.deep.include({
      version_index: 3,
      rows_added: 1,
      rows_edited: 2,
      rows_removed: 0,
      columns_added: 1,
    });
    const content = await contentOf(id);
    expect(content.column_names).to.deep.equal(['question', 'answer', 'tox']);
    expect(content.rows.map(({ values }) => values)).to.deep.equal([
      ['To Oslo?', 'By night train', null],
      ['To Bergen?', 'By boat', null],
      ['To Bodø?', null, null],
    ]);
  });

  it('pastes a block, renames and removes by menu, and keeps the changes of the tab', async () => {
    const { id } = await made();
    const page = await open(`/datasets/${id}`);
    await page.getByRole('grid').focus();
    await page.getByRole('gridcell', { name: 'By bus', exact: true }).waitFor();
    // As on a busy machine: nothing is painted between the click and the paste.
    await page.evaluate(`(async () => {
      const cells = [...document.querySelectorAll('[role=gridcell]')];
      cells.find(({ textContent: text }) => text === 'By bus').click();
      await null;
      const data = new DataTransfer();
      data.setData('text/plain', 'By ferry\\n"two\\nlines"\\tdropped\\n');
      document.activeElement.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));
    })()`);
    await page.getByText('2 changes not saved: 1 cell, 1 row').waitFor();
    await page.getByText('Left out: 1 cell beyond the last column.').waitFor();
    await page.getByRole('button', { name: 'question' }).click();
    await page.getByRole('menuitem', { name: 'Rename column question…' }).click();
    await page.getByLabel('Name', { exact: true }).fill('ask');
    await page.getByRole('button', { name: 'Rename', exact: true }).last().click();
    await rowOf(page, 'To Oslo?').getByRole('gridcell').nth(1).click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Remove row 1' }).click();
    await page.getByText('4 changes not saved: 1 cell, 2 rows, 1 column').waitFor();
    await page.getByRole('link', { name: 'Datasets' }).click();
    await page.getByRole('heading', { name: 'Datasets', exact: true }).waitFor();
    await page.getByText('changes not saved').waitFor();
    await page.goBack();
    await page.getByText('4 changes not saved: 1 cell, 2 rows, 1 column').waitFor();
    const question = page.waitForEvent('dialog');
    await page.evaluate('void setTimeout(() => location.reload())');
    const asked = await question;
    expect(asked.type()).to.equal('beforeunload');
    await asked.dismiss();
    await endSession(page);
    await page.getByRole('button', { name: 'Save as v2' }).click();
    await page.getByText('Saved as v2.').waitFor();
    expect((await contentOf(id)).rows.map(({ values }) => values)).to.deep.equal([
      ['To Bergen?', 'sold out'],
      ['To Narvik?', 'By ferry'],
      [null, 'two\nlines'],
    ]);
    expect((await versionsOf(id))[0]).to.deep.include({ columns_renamed: 1, rows_removed: 1 });
  });

  it('compares v2 with v4, rolls back, names the line of a broken CSV (check 24)', async () => {
    const { id } = await made();
    const [first, second] = (await contentOf(id)).rows.map(({ row_id }) => row_id);
    // Too little in common with the old text to be marked word by word.
    const replaced = 'Will it rain in the north all day long?';
    await edit(id, { edit_type: 'update_row', row_id: first, values: { answer: 'By sea' } });
    await edit(id, { edit_type: 'rename_column', column_name: 'answer', new_column_name: 'reply' });
    await edit(
      id,
      { edit_type: 'update_row', row_id: first, values: { reply: 'By air', question: replaced } },
      { edit_type: 'delete_row', row_id: second },
      { edit_type: 'append_row', values: { question: 'To Bodø?' } },
    );
    const page = await open(`/datasets/${id}#from=2&to=4`);
    const difference = page.getByRole('region', { name: 'Difference of v2 and v4' });
    await difference.locator('del', { hasText: 'To Oslo?' }).waitFor();
    await difference.locator('ins', { hasText: replaced }).waitFor();
    await difference.getByText('1 row added, 1 row removed, 1 row edited, 1 the same.').waitFor();
    await difference.getByText('Column answer is now reply.').waitFor();
    await difference.locator('del', { hasText: 'sea' }).waitFor();
    await difference.locator('ins', { hasText: 'air' }).waitFor();
    await expectAccessible(page);
    await difference.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Roll back to v2' }).click();
    await page.getByRole('button', { name: 'Roll back, as v5' }).click();
    await page.getByRole('link', { name: 'v5' }).waitFor();
    await page.getByRole('gridcell', { name: 'By sea', exact: true }).waitFor();
    expect((await versionsOf(id))[0]).to.deep.include({ version_index: 5, rows_removed: 1 });

    await page.getByRole('button', { name: 'Upload' }).click();
    const dialog = page.getByRole('dialog');
    const file = (name: string, text: string) => ({
      name,
      mimeType: 'text/csv',
      buffer: Buffer.from(text),
    });
    await dialog.getByLabel('File').setInputFiles(file('broken.csv', 'question\n"ok"\nbro"ken\n'));
    await dialog.getByRole('button', { name: 'Upload' }).click();
    await dialog.getByText('Line 3 is not CSV').waitFor();
    await dialog.getByLabel('File').setInputFiles(file('more.csv', 'question,tox\nTo Moss?,0.2\n'));
    await dialog.getByRole('button', { name: 'Upload' }).click();
    await page.getByText('2 changes not saved: 1 row, 1 column').waitFor();
    await page.getByRole('button', { name: 'Save as v6' }).click();
    await page.getByRole('link', { name: 'v6' }).waitFor();
    const { column_names: names, rows } = await contentOf(id);
    expect(names).to.deep.equal(['question', 'answer', 'tox']);
    expect(rows.at(-1)?.values).to.deep.equal(['To Moss?', null, '0.2']);
  });

  it('makes a draft of a file, maps its columns and publishes it, and exports it', async () => {
    const name = unique('made here');
    const page = await open('/datasets');
    await page.getByRole('button', { name: 'New dataset' }).click();
    const dialog = page.getByRole('dialog');
    await dialog
      .getByLabel('File')
      .setInputFiles({ name: `${name}.csv`, mimeType: 'text/csv', buffer: Buffer.from(csv) });
    await dialog.getByRole('button', { name: 'Make' }).click();
    await page.getByText('This dataset is a draft').waitFor();
    const role = (title: string) => page.getByRole('region', { name: title, exact: true });
    await role('Input').getByLabel('Add a column').selectOption('question');
    await role('Expected output').getByLabel('Add a column').selectOption('answer');
    const sample = role('As an experiment sees them').getByRole('listitem').nth(1).locator('dd');
    const shown = async () => (await sample.allTextContents()).slice(0, 2);
    await pollUntilEqual(shown, ['To Bergen?', 'sold out']);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Save and publish' }).click();
    await page.getByText('This dataset is a draft').waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'Rows' }).click();
    await page.getByRole('button', { name: 'question (input)' }).waitFor();
    await page.getByRole('button', { name: 'Export' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('dialog').getByRole('button', { name: 'Export' }).click();
    await download;
    await page.getByText(/^3 rows, .*: whole$/).waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('link', { name: 'Datasets' }).click();
    await page.getByLabel('Find by name').fill(name);
    await page.getByRole('button', { name: `Delete ${name}` }).click();
    const confirm = page.getByRole('button', { name: 'Delete for good' });
    expect(await confirm.isEnabled()).to.equal(false);
    await page.getByLabel(`Type ${name} to confirm`).fill(name);
    await confirm.click();
    await page.getByText('No dataset is like this').waitFor();
  });

  it('shows it as it was, with the old name and without editing (check 29)', async () => {
    const { id, name } = await made();
    const renamed = unique('airline-v2');
    const [first] = (await contentOf(id)).rows.map(({ row_id }) => row_id);
    const before = await edit(id, { edit_type: 'delete_row', row_id: first });
    await app.client.call('PATCH', `/v2/datasets/${id}`, { body: { name: renamed } });
    const page = await open(`/history/dataset/${id}#at=${before.position}`);
    await page.getByRole('link', { name: 'Its rows then' }).click();
    await page.getByRole('heading', { name, exact: true }).waitFor();
    const then = page.getByRole('region', { name: 'As it was' });
    await then.getByRole('gridcell', { name: 'sold out', exact: true }).click();
    await page.keyboard.press('F2');
    await page.getByRole('dialog').getByText('sold out').waitFor();
    await page.keyboard.press('Escape');
    expect(await page.locator('textarea, [contenteditable]').count()).to.equal(0);
    expect(await page.getByRole('button', { name: /^(Save|\+|Upload|Delete)/ }).count()).to.equal(
      0,
    );
    await expectAccessible(page);
    await then.getByRole('button', { name: 'As it is' }).click();
    await page.getByRole('heading', { name: renamed, exact: true }).waitFor();
    await page.getByRole('button', { name: '+ row' }).waitFor();
  });

  it('lets a viewer read, and says why not more (check 32)', async () => {
    const project = unique('datasets');
    const { body } = await app.client.call<{ id: string }>('POST', '/v2/projects', {
      body: { name: project },
    });
    const { id } = await made({ project_id: body.id });
    const viewer = `viewer.${Date.now()}@example.org`;
    const invited = await app.client.call<{
      invitations: readonly { user_id: string; invitation_token: string }[];
    }>('POST', '/v2/invite_users', { body: { emails: [viewer] } });
    const [invitation] = invited.body.invitations;
    const share = [{ user_id: invitation?.user_id, role: 'viewer' }];
    await app.client.call('POST', `/v2/projects/${body.id}/users`, { body: share });
    const browser = await openBrowser();
    const page = await browser.open(`/invitation#token=${invitation?.invitation_token}`);
    await page.getByLabel('Choose a password').fill(password);
    await page.getByRole('button', { name: 'Set the password and sign in' }).click();
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    await page.goto(`${app.url}/console/datasets/${id}`);
    await page.getByText('Read-only: Needs to be its creator').waitFor();
    await page.getByRole('gridcell', { name: 'sold out', exact: true }).click();
    await page.keyboard.press('F2');
    await page.getByRole('dialog').getByText('sold out').waitFor();
    await page.keyboard.press('Escape');
    for (const name of ['Upload', 'Rename', 'Delete…']) {
      expect(await page.getByRole('button', { name }).isEnabled(), name).to.equal(false);
    }
    expect(await page.getByRole('button', { name: 'Export' }).isEnabled()).to.equal(true);
    await page.getByRole('tab', { name: 'Mapping' }).click();
    await page.getByText('Read-only: Needs').waitFor();
    expect(await page.getByRole('main').locator('select:enabled').count()).to.equal(0);
    await page.getByRole('tab', { name: 'Projects' }).click();
    await page.getByRole('button', { name: `Unlink from ${project}` }).waitFor();
    const enabled = page
      .getByRole('button', { name: /^(Unlink|Link)/ })
      .and(page.locator(':enabled'));
    expect(await enabled.count()).to.equal(0);
  });

  it('is accessible in both themes at 1,280 and 360 px (check 34)', async () => {
    const { id, name } = await made();
    const page = await open('/datasets');
    const places = [
      { path: '/datasets', shown: name },
      { path: `/datasets/${id}`, shown: 'To Bergen?' },
      { path: `/datasets/${id}#tab=versions`, shown: 'first content' },
      { path: `/datasets/${id}#tab=mapping`, shown: 'As an experiment sees them' },
      { path: `/datasets/${id}#tab=projects`, shown: 'No project uses it' },
    ];
    for (const { path, shown } of places) {
      await page.goto(`${app.url}/console${path}`);
      for (const width of [1_280, 360]) {
        await page.setViewportSize({ width, height: 800 });
        await page.getByText(shown).first().waitFor();
        for (const theme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme: theme });
          await expectAccessible(page);
        }
        const overflow = 'document.documentElement.scrollWidth - innerWidth';
        expect(await page.evaluate(overflow), `${path} at ${width}`).to.be.at.most(0);
      }
      await page.setViewportSize({ width: 1_280, height: 800 });
    }
  });

  it('keeps a window over many rows, and finds a text in all of them', async () => {
    const rows = Array.from({ length: 1_203 }, (_row, index) => `row number ${index + 1},x`);
    const file = `question,answer\n${rows.join('\n')}\n`;
    const { body } = await upload(app, { file, parts: { name: unique('long') } });
    const asked: string[] = [];
    const page = await open(`/datasets/${body.id}`);
    page.on('request', (request) => {
      if (request.url().includes('/content?')) asked.push(request.url());
    });
    await page.getByText('row number 1', { exact: true }).click();
    await page.keyboard.press('End');
    await page.getByText('row number 1203', { exact: true }).waitFor();
    expect(await page.getByRole('row').count()).to.be.at.most(80);
    expect(await page.getByRole('grid').getAttribute('aria-rowcount')).to.equal('1204');
    await page.keyboard.press('/');
    await page.keyboard.type('NUMBER 777');
    await page.keyboard.press('Enter');
    await page.getByText('Row 777, of 1,203 rows').waitFor();
    await page.getByText('row number 777', { exact: true }).waitFor();
    expect(asked.length).to.be.at.most(3);
  });
});
