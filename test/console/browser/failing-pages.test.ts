import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { appPassword, sharedApp, type App } from '../../support/app.js';
import { openTestBrowser, signIn, type TestBrowser } from '../../support/browser.js';
import { describeInBrowser } from '../../support/browser-suites.js';

describeInBrowser('a page of the console that fails', () => {
  let app: App;
  let browser: TestBrowser;
  let page: Page;
  before(async () => {
    app = await sharedApp();
  });
  beforeEach(async () => {
    browser = await openTestBrowser(app.url);
    page = await browser.open('/account');
    await signIn(page, 'admin@localhost', appPassword);
  });
  afterEach(() => browser.close());

  it('leaves the rail, and is drawn again once the answer can be shown', async () => {
    await page.route('**/v2/projects/paginated*', (route) =>
      route.fulfill({ json: { projects: { length: 1 }, next_starting_token: null } }),
    );
    await page.getByRole('link', { name: 'Assay' }).click();
    await page.getByRole('heading', { name: 'This page failed' }).waitFor();
    await page.unroute('**/v2/projects/paginated*');
    await page.getByRole('link', { name: 'Datasets' }).click();
    await page.getByRole('heading', { name: 'Datasets', exact: true }).waitFor();
    await page.getByRole('link', { name: 'Assay' }).click();
    await page.getByRole('heading', { name: 'Projects' }).waitFor();
    expect(browser.offences.filter((offence) => offence.startsWith('threw'))).to.have.length(1);
  });

  it('stays readable without an answer, and loads the rest once there is one', async () => {
    const { body } = await app.client.call<{ readonly id: string }>('POST', '/v2/projects', {
      body: { name: `cut off ${Date.now()}` },
    });
    const traces = [{ name: 'kept', input: 'q' }];
    await app.client.call('POST', `/v2/projects/${body.id}/traces`, { body: { traces } });
    await page.goto(`${app.url}/console/p/${body.id}/traces`);
    const row = page.getByRole('grid').getByRole('link', { name: 'kept' });
    await row.waitFor();
    await browser.untilQuiet(page);
    await browser.context.setOffline(true);
    await page.keyboard.press('.');
    await page.getByText('The service does not answer').waitFor();
    expect(await row.count()).to.equal(1);
    await page.getByRole('link', { name: 'Scorers' }).click();
    await page.getByText('This page could not be loaded').waitFor();
    await browser.context.setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Scorers' }).waitFor();
  });

  it('asks again by itself once the service may answer', async () => {
    await page.clock.install();
    const json = { code: 'unavailable', detail: 'The log is down', request_id: 'r' };
    await page.route('**/v2/projects/paginated*', (route) => route.fulfill({ status: 503, json }));
    await page.getByRole('link', { name: 'Assay' }).click();
    await page.getByRole('alert').waitFor();
    await page.unroute('**/v2/projects/paginated*');
    await page.clock.fastForward(10_000);
    await page.getByRole('alert').waitFor({ state: 'detached' });
    expect(browser.offences).to.deep.equal([]);
  });
});
