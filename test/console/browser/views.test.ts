import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { sharedApp, type App } from '../../support/app.js';
import { expectAccessible } from '../../support/browser.js';
import { describeInBrowser } from '../../support/browser-suites.js';
import { consolePages, newProject } from '../../support/console-pages.js';

describeInBrowser('the console, saved views', () => {
  let app: App;
  const pages = consolePages();
  let root: string;
  let projectId: string;
  before(async () => {
    app = await sharedApp();
    projectId = await newProject(app, 'saved views');
    root = `/v2/projects/${projectId}`;
    const trace = (name: string, more: object) => ({ name, input: 'i', output: 'o', ...more });
    const failed = { metrics: { reward_ems_error_code: 1_003 } };
    await app.client.call('POST', `${root}/traces`, {
      body: {
        traces: [
          trace('failing-trace', { metrics: { reward: 0.1 }, status_code: 500 }),
          trace('passing-trace', { metrics: { reward: 0.9 } }),
          trace('unscored-trace', failed),
        ],
      },
    });
  });

  const open = (path: string): Promise<Page> => pages.open(`/p/${projectId}${path}`);
  const listed = async () => {
    type Listed = readonly [{ readonly id: string }];
    return (await app.client.call<Listed>('GET', `${root}/views?page=traces`)).body;
  };
  const viewsOf = async (page: Page) => {
    await page.getByRole('button', { name: 'Views', exact: true }).click();
    return page.getByRole('dialog', { name: 'Saved views' });
  };

  it('saves the address, opens it again, and renames, overwrites, shares and deletes', async () => {
    const page = await open('/traces#t=7d&f=status_code%20%3E%3D%20400');
    await page.getByText('failing-trace').first().waitFor();
    const dialog = await viewsOf(page);
    // A dialog that begins with a field has the focus there.
    await dialog.locator('input:focus').waitFor();
    await page.keyboard.type('failed ones');
    await dialog.getByRole('button', { name: 'Save this view' }).click();
    await dialog.getByText('shown now').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.goto(page.url().replace(/#.*/, '#t=30d'));
    await page.getByText('passing-trace').first().waitFor();
    const again = await viewsOf(page);
    await again.getByRole('button', { name: 'failed ones', exact: true }).click();
    await page.waitForURL(/t=7d&f=status_code/);
    await page.getByText('failing-trace').first().waitFor();
    await page.goBack();
    await page.waitForURL(/#t=30d$/);
    const last = await viewsOf(page);
    await last.getByRole('button', { name: 'Rename failed ones' }).click();
    await last.getByLabel('New name').fill('all of a month');
    await last.getByRole('button', { name: 'Rename', exact: true }).click();
    const overwrite = last.getByRole('button', { name: 'Overwrite all of a month' });
    await overwrite.waitFor();
    // Somebody else's change is shown before it is overwritten.
    const [{ id }] = await listed();
    await app.client.call('PATCH', `${root}/views/${id}`, { body: { state: 't=15m' } });
    await overwrite.click();
    await last
      .getByRole('alert')
      .getByText(/^It was changed since it was shown here/)
      .waitFor();
    expect((await listed())[0]).to.include({ state: 't=15m' });
    await overwrite.click();
    await last.getByText('shown now').waitFor();
    await last.getByRole('button', { name: 'Share all of a month' }).click();
    await last.getByText('shared', { exact: true }).waitFor();
    const all = await listed();
    expect(all).to.have.length(1);
    expect(all[0]).to.include({ name: 'all of a month', state: 't=30d', is_shared: true });
    await last.getByRole('button', { name: 'Delete all of a month' }).click();
    await last.getByRole('button', { name: 'Delete for good' }).click();
    await last.getByText('No view of this page is saved yet').waitFor();
  });

  it('opens the records behind evaluation errors and behind a bin of a distribution', async () => {
    const page = await open('#t=all');
    await page.getByRole('link', { name: '1 with evaluation errors' }).click();
    await page.waitForURL(/\/traces#/);
    await page.getByText('unscored-trace').first().waitFor();
    expect(await page.getByText('passing-trace').count()).to.equal(0);
    await page.goBack();
    await page.getByLabel('Show').selectOption('distributions');
    await page.waitForURL(/show=distributions/);
    const chart = page.getByRole('img', { name: /reward.* 2 values from/i });
    await chart.waitFor();
    await expectAccessible(page);
    const box = await chart.boundingBox();
    if (box === null) throw new Error('The chart is not on the page');
    await page.mouse.click(box.x + box.width - 2, box.y + 40);
    await page.waitForURL(/\/traces#/);
    await page.getByText('passing-trace').first().waitFor();
    expect(await page.getByText('failing-trace').count()).to.equal(0);
  });
});
