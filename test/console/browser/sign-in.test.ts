import { expect } from 'chai';
import { appPassword, sharedApp, type App } from '../../support/app.js';
import {
  expectAccessibleEverywhere,
  openTestBrowser,
  signIn,
  untilInPage,
  type TestBrowser,
} from '../../support/browser.js';
import { describeInBrowser } from '../../support/browser-suites.js';

const email = 'admin@localhost';
type Invited = { readonly invitations: readonly { readonly invitation_token: string }[] };

describeInBrowser('the console, signing in', () => {
  let app: App;
  let browser: TestBrowser;
  before(async () => {
    app = await sharedApp();
  });
  beforeEach(async () => {
    browser = await openTestBrowser(app.url);
  });
  afterEach(async () => {
    const { offences } = browser;
    await browser.close();
    expect(offences).to.deep.equal([]);
  });

  it('keeps the login over a reload, shares it with tabs, ends it in all (check 2)', async () => {
    const page = await browser.open('/');
    await signIn(page, email, appPassword);
    await page.reload();
    await page.getByRole('heading', { name: 'Projects' }).waitFor();
    const second = await browser.open('/');
    await second.getByRole('heading', { name: 'Projects' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await second.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  it('shows nothing of the last person to the next one', async () => {
    const page = await browser.open('/');
    await signIn(page, email, appPassword);
    const name = `project ${Date.now()}`;
    await app.client.call('POST', '/v2/projects', { body: { name } });
    await page.reload();
    await page.getByText(name).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.route('**/v2/projects/paginated*', (route) =>
      route.fulfill({ status: 404, body: '{}' }),
    );
    await signIn(page, email, appPassword);
    await page.getByRole('alert').waitFor();
    expect(await page.getByText(name).count()).to.equal(0);
  });

  it('stays with its person while another one signs in in a second tab', async () => {
    const guest = { email: `guest.${Date.now()}@example.org`, password: 'a password of a guest' };
    const { body } = await app.client.call<Invited>('POST', '/v2/invite_users', {
      body: { emails: [guest.email], role: 'user' },
    });
    const page = await browser.open('/keys');
    await signIn(page, email, appPassword);
    const second = await browser.open(
      `/invitation#token=${body.invitations[0]?.invitation_token ?? ''}`,
    );
    await second.getByLabel('Choose a password').fill(guest.password);
    await second.getByRole('button', { name: 'Set the password and sign in' }).click();
    await second.getByRole('link', { name: guest.email }).waitFor();
    await page.route('**/v2/**', (route) =>
      route.request().headers()['authorization'] === undefined
        ? route.continue()
        : route.fulfill({ status: 401, json: { code: 'token_expired' } }),
    );
    await page.getByRole('link', { name: 'Datasets' }).click();
    const dialog = page.getByRole('dialog', { name: 'Your login ended' });
    await dialog.getByText('Another person signed in in this browser.').waitFor();
    await page.unroute('**/v2/**');
    // A browser closes a dialog at the second one, whatever its page says.
    for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press('Escape');
    await page.getByText(email).waitFor();
    await dialog.getByLabel('E-mail').fill(guest.email);
    await dialog.getByLabel('Password').fill(guest.password);
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('link', { name: guest.email }).waitFor();
    expect(await dialog.count()).to.equal(0);
  });

  it('goes back to the page that was asked for', async () => {
    const page = await browser.open('/people#t=7d');
    await signIn(page, email, appPassword);
    expect(page.url()).to.equal(`${app.url}/console/people#t=7d`);
  });

  it('keeps no token and no key where a script can read it (check 3)', async () => {
    const page = await browser.open('/sign-in');
    await page.getByText('With an API key').click();
    await page.getByLabel('API key').fill(app.apiKey);
    await page.getByRole('button', { name: 'Sign in with the key' }).click();
    await page.getByText('by an API key, until this tab closes').waitFor();
    const stored = await page.evaluate<string>(
      'JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])',
    );
    expect(stored).not.to.match(/eyJ|asy_|in-process-test-key/);
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  it('stores nothing but a mark for a login by password (check 3)', async () => {
    const page = await browser.open('/');
    await signIn(page, email, appPassword);
    const stored = await page.evaluate<string>(
      'JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])',
    );
    expect(JSON.parse(stored)).to.deep.equal([{ 'assay.person': '1' }, {}, '']);
  });

  it('keeps the e-mail after a wrong password, counts down after six (check 4)', async () => {
    const page = await browser.open('/sign-in');
    // Failures count for the address: the admin signs in from the same one.
    const unknown = `unknown.${Date.now()}@example.org`;
    await page.getByLabel('E-mail').fill(unknown);
    const countdown = page.getByRole('timer');
    for (let tries = 0; tries < 6; tries += 1) {
      expect(await countdown.count()).to.equal(0);
      await page.getByLabel('Password').fill('not the password');
      const answered = page.waitForResponse('**/v2/login');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await answered;
      await page.getByRole('alert').waitFor();
      await untilInPage(page, "document.querySelector('[type=password]').value === ''");
      expect(await page.getByLabel('E-mail').inputValue()).to.equal(unknown);
    }
    const seconds = Number(/^Try again in (\d+) s\.$/.exec(await countdown.innerText())?.[1]);
    expect(seconds).to.be.within(2, 60);
    // A busy page may leave out a second.
    const text = "document.querySelector('[role=timer]').innerText";
    await untilInPage(page, `Number(/\\d+/.exec(${text}) ?? 0) < ${seconds}`);
  });

  it('is accessible in both themes at 1,280 and 360 px (check 34)', async () => {
    const page = await browser.open('/sign-in');
    await page.getByLabel('E-mail').waitFor();
    await expectAccessibleEverywhere(page);
    await signIn(page, email, appPassword);
    await page.getByRole('heading', { name: 'Projects' }).waitFor();
    await expectAccessibleEverywhere(page);
  });
});
