import { expect } from 'chai';
import { appPassword, sharedApp, type App } from '../../support/app.js';
import { openTestBrowser, signIn } from '../../support/browser.js';
import { describeInBrowser } from '../../support/browser-suites.js';
import { startPathProxy, type PathProxy } from '../../support/path-proxy.js';

describeInBrowser('the console behind a reverse proxy', () => {
  let app: App;
  let proxy: PathProxy;
  before(async () => {
    app = await sharedApp();
    proxy = await startPathProxy(app.url, '/tools/assay/');
  });
  after(() => proxy.close());

  it('works below a path: sign-in, writes, a trace, reload, sign-out (check 36)', async () => {
    const browser = await openTestBrowser(proxy.url);
    const page = await browser.open('');
    await signIn(page, 'admin@localhost', appPassword);
    const name = `proxied ${Date.now()}`;
    await page.getByRole('button', { name: 'New project' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill(name);
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Send a first trace' }).waitFor();
    const lines = await page.getByLabel('shell lines', { exact: true }).innerText();
    expect(lines).to.include(`${proxy.url}/v2/otel/v1/traces`);
    await page.getByRole('button', { name: 'Send one from here' }).click();
    await page.getByRole('link', { name: 'Open it' }).click();
    const tree = page.getByRole('treegrid', { name: 'Spans' });
    await tree.getByRole('row', { name: /answer/ }).waitFor();
    expect(new URL(page.url()).pathname).to.match(/^\/tools\/assay\/console\/p\/.+\/traces\/.+/);
    await page.reload();
    await tree.getByRole('row', { name: /answer/ }).waitFor();
    await page.getByRole('banner').getByText(name).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await browser.close();
    expect(browser.offences).to.deep.equal([]);
  });
});
