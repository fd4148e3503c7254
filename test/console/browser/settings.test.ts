import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { sharedApp, type App } from '../../support/app.js';
import { expectAccessible, expectAccessibleEverywhere } from '../../support/browser.js';
import { describeInBrowser } from '../../support/browser-suites.js';
import { consolePages, newProject } from '../../support/console-pages.js';
import { pollUntilEqual } from '../../support/poll-until.js';

const password = 'a password of a test';
const roles = ['viewer', 'annotator', 'editor', 'owner'] as const;
type Role = (typeof roles)[number];

/** Roles that a control of the settings is enabled for. */
const controls: readonly (readonly [string, readonly Role[]])[] = [
  ['Save', ['owner']],
  ['Add a member', ['owner']],
  ['Remove admin@localhost', ['owner']],
  ['New key', ['owner']],
  ['Add a price', ['editor', 'owner']],
  ['Lend an integration', ['editor', 'owner']],
  ['Set the limits', ['owner']],
  ['Delete the project…', ['owner']],
];

describeInBrowser('the console, settings, keys, people and account', () => {
  let app: App;
  const { open, openBrowser } = consolePages();
  before(async () => {
    app = await sharedApp();
  });
  const createProject = (): Promise<string> => newProject(app, 'settings');
  const dialogOf = (page: Page) => page.getByRole('dialog');

  it('lets each role do what it may, and says the rest (check 32)', async () => {
    const projectId = await createProject();
    const page = await open('/people');
    const emails = roles.map((role) => `${role}.${Date.now()}@example.org`);
    await page.getByRole('button', { name: 'Invite' }).click();
    await dialogOf(page).getByLabel('E-mail addresses').fill(emails.join('\n'));
    await page.getByRole('button', { name: 'Make the links' }).click();
    await dialogOf(page).locator('code').first().waitFor();
    const links = await dialogOf(page).locator('code').allTextContents();
    await page.getByRole('button', { name: 'Close' }).click();

    await page.goto(`${app.url}/console/p/${projectId}/settings`);
    for (const [index, role] of roles.entries()) {
      await page.getByRole('button', { name: 'Add a member' }).click();
      await dialogOf(page)
        .getByLabel('Find by e-mail')
        .fill(emails[index] ?? '');
      await dialogOf(page).getByLabel('Role').selectOption(role);
      await dialogOf(page)
        .getByRole('button', { name: emails[index] ?? '' })
        .click();
      await page.getByLabel(`Role of ${emails[index]}`).waitFor();
    }

    for (const [index, role] of roles.entries()) {
      const browser = await openBrowser();
      const own = await browser.open(links[index]?.split('/console')[1] ?? '');
      await own.getByLabel('Choose a password').fill(password);
      await own.getByRole('button', { name: 'Set the password and sign in' }).click();
      await own.getByRole('navigation', { name: 'Pages' }).waitFor();
      await own.goto(`${app.url}/console/p/${projectId}/settings`);
      await own.getByLabel(`Role of ${emails[index]}`).waitFor();
      await browser.untilQuiet(own);
      for (const [name, allowed] of controls) {
        const control = own.getByRole('button', { name, exact: true });
        expect(await control.isEnabled(), `${role}: ${name}`).to.equal(allowed.includes(role));
      }
      if (role !== 'owner') {
        await own.getByText(`Needs the role owner; yours is ${role}. Owners:`).waitFor();
      }
      if (role === 'editor') await addPrice(own);
      if (role === 'owner') await changeAsOwner(own, emails[0] ?? '');
      await visitOwnPages(own, role);
    }
  });

  const addPrice = async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: 'Add a price' }).click();
    await dialogOf(page).getByLabel('Model, as spans name it').fill('gpt-4o');
    await dialogOf(page).getByLabel('From, in UTC').fill('2026-01-01');
    await dialogOf(page).getByLabel('Input, $ per M tokens', { exact: true }).fill('2.5');
    await dialogOf(page).getByLabel('Output, $ per M tokens', { exact: true }).fill('10');
    await dialogOf(page).getByText('Other kinds of tokens').click();
    await dialogOf(page).getByLabel('cached input, $ per M tokens').fill('1.25');
    await dialogOf(page).getByRole('button', { name: 'Add' }).click();
    await page.getByRole('cell', { name: 'gpt-4o', exact: true }).waitFor();
    await page.getByLabel('Find the price of a model').fill('openai/gpt-4o-2024-08-06');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByText('gpt-4o (project), found by its simplified name').waitFor();
    await page.getByLabel('Find the price of a model').fill('nova-pro');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByText('nova-pro (shipped list), found by its name').waitFor();
    const useShipped = page.getByLabel(/^Use list prices/);
    await useShipped.click();
    await page.getByText('No price, and none is near.').waitFor();
    expect(await useShipped.isChecked()).to.equal(false);
  };

  const changeAsOwner = async (page: Page, viewer: string): Promise<void> => {
    const role = page.getByLabel(`Role of ${viewer}`);
    await role.selectOption('annotator');
    await page.getByRole('button', { name: `Remove ${viewer}` }).click();
    await role.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'New key' }).click();
    await dialogOf(page).getByLabel('Purpose').fill('nightly');
    await dialogOf(page).getByRole('button', { name: 'Make the key' }).click();
    const secret = await dialogOf(page).locator('code').textContent();
    expect(secret).to.match(/^asy_/);
    await dialogOf(page).getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: /^Revoke nightly/ }).click();
    await dialogOf(page).getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByText('No keys').waitFor();
    const name = page.getByLabel('Name', { exact: true });
    await name.fill(`${await name.inputValue()} renamed`);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('banner').getByText('renamed').waitFor();
    await page.getByRole('button', { name: 'Delete the project…' }).click();
    await dialogOf(page).getByText('0 traces go.').waitFor();
    expect(await page.getByRole('button', { name: 'Delete for good' }).isEnabled()).to.equal(false);
    await dialogOf(page)
      .getByLabel(/^Type .* to confirm$/)
      .fill(await name.inputValue());
    await page.getByRole('button', { name: 'Delete for good' }).click();
    await page.getByRole('heading', { name: 'Projects' }).waitFor();
  };

  /** Pages that are the same for all roles of a project. */
  const visitOwnPages = async (page: Page, role: Role): Promise<void> => {
    await page.goto(`${app.url}/console/people`);
    await page.getByText('Needs the role manager; yours is user').waitFor();
    expect(await page.getByRole('button', { name: 'Invite' }).isEnabled()).to.equal(false);
    await page.getByLabel('Role of admin@localhost').waitFor();
    const enabled = page.getByRole('table').locator('button:enabled:not(.instant), select:enabled');
    expect(await enabled.count(), role).to.equal(0);
    if (role !== 'viewer') return;
    await page.getByRole('link', { name: 'Keys' }).click();
    await page.getByText('No keys').waitFor();
    await page.getByRole('link', { name: /^viewer\./ }).click();
    await page.getByLabel('First name').fill('Ada');
    const saved = page.waitForResponse((answer) => answer.request().method() === 'PUT');
    await page.getByRole('button', { name: 'Save' }).click();
    await saved;
    await page.getByLabel('Current password').fill(password);
    await page.getByLabel('New password').fill(`${password} two`);
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByText('The password is changed.').waitFor();
    await page.getByLabel('Theme').selectOption('dark');
    await page.reload();
    await pollUntilEqual(() => page.getByLabel('First name').inputValue(), 'Ada');
    expect(await page.locator('html').getAttribute('data-theme')).to.equal('dark');
  };

  it('lends an integration to a project, limits what it spends, and ends the lending', async () => {
    const projectId = await createProject();
    const body = { token: 'of a test' };
    await app.client.call('PUT', '/v2/integrations/mistral', { body });
    const page = await open(`/p/${projectId}/settings`);
    await page.getByText('No integration is lent').waitFor();
    await page.getByRole('button', { name: 'Lend an integration' }).click();
    await dialogOf(page).getByLabel('Your integration').selectOption('mistral');
    await dialogOf(page).getByLabel('$ a day, at most').fill('2.5');
    await expectAccessible(page);
    await dialogOf(page).getByRole('button', { name: 'Lend it' }).click();
    await page.getByRole('row', { name: /mistral .* usable 2.5 60/ }).waitFor();
    await page.getByLabel('Budget of the project, $ a day').fill('0.5');
    await page.getByLabel('Model of judges').fill('mistral/small');
    await page.getByRole('button', { name: 'Set the limits' }).click();
    const root = `/v2/projects/${projectId}/model_access`;
    const settings = async () => {
      const access = await app.client.call<Readonly<Record<string, unknown>>>('GET', root);
      return { budget: access.body['daily_budget'], judge: access.body['judge_model'] };
    };
    await pollUntilEqual(settings, { budget: 0.5, judge: 'mistral/small' });
    await page.getByRole('button', { name: 'End the lending of mistral' }).click();
    await page.getByText('No integration is lent').waitFor();
    await app.client.call('DELETE', '/v2/integrations/mistral');
  });

  it('shares a project with a group that is found by its name', async () => {
    const projectId = await createProject();
    const name = `Reviewers ${Date.now()}`;
    const made = await app.client.call('POST', '/v2/groups', { body: { name } });
    expect(made.status).to.equal(200);
    const page = await open(`/p/${projectId}/settings`);
    await page.getByRole('button', { name: 'Add a member' }).click();
    await dialogOf(page).getByLabel('Find by e-mail').fill(name.toLowerCase());
    await dialogOf(page).getByLabel('Role').selectOption('annotator');
    await dialogOf(page)
      .getByRole('button', { name: `${name} · group of 1` })
      .click();
    const role = page.getByLabel(`Role of ${name}`);
    await pollUntilEqual(() => role.inputValue(), 'annotator');
    await expectAccessible(page);
    await page.getByRole('button', { name: `Remove ${name}` }).click();
    await role.waitFor({ state: 'detached' });
  });

  it('gives who lost the password a new link, and removes people', async () => {
    const page = await open('/people');
    const email = `lost.${Date.now()}@example.org`;
    const invited = await app.client.call('POST', '/v2/invite_users', {
      body: { emails: [email] },
    });
    expect(invited.status).to.equal(200);
    await page.getByLabel('Find by e-mail').fill(email);
    await page.getByRole('button', { name: `New link for ${email}` }).click();
    await page.getByRole('button', { name: 'Make the link' }).click();
    const link = await dialogOf(page).locator('code').textContent();
    await dialogOf(page).getByRole('button', { name: 'Close' }).click();
    const other = await openBrowser();
    const own = await other.open(link?.split('/console')[1] ?? '');
    await own.getByLabel('Choose a password').fill(password);
    await own.getByRole('button', { name: 'Set the password and sign in' }).click();
    await own.getByRole('link', { name: email }).waitFor();
    await page.getByLabel(`Role of ${email}`).selectOption('auditor');
    await page.getByRole('button', { name: `Remove ${email}` }).click();
    await dialogOf(page).getByLabel(`Type ${email} to confirm`).fill(email);
    await dialogOf(page).getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('No user has this in the e-mail').waitFor();
  });

  it('is accessible in both themes at 1,280 and 360 px (check 34)', async () => {
    const projectId = await createProject();
    const page = await open(`/p/${projectId}/settings`);
    const places = [
      { path: `/p/${projectId}/settings`, shown: 'Role of admin@localhost', press: 'Add a price' },
      { path: '/people', shown: 'Role of admin@localhost', press: 'Invite' },
      { path: '/keys', shown: /^Revoke/, press: 'New key' },
      { path: '/account', shown: 'Time zone', press: null },
    ];
    for (const { path, shown, press } of places) {
      await page.goto(`${app.url}/console${path}`);
      await page.getByLabel(shown).first().waitFor();
      await expectAccessibleEverywhere(page);
      if (press === null) continue;
      await page.getByRole('button', { name: press, exact: true }).click();
      await dialogOf(page).waitFor();
      await expectAccessible(page);
    }
  });
});
