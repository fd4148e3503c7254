import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { appPassword, sharedApp, type App } from '../../support/app.js';
import { openTestBrowser, signIn, type TestBrowser } from '../../support/browser.js';
import { describeInBrowser } from '../../support/browser-suites.js';
import { createOneOfEach } from '../../support/one-of-each-object.js';
import { invitePerson, shareProject, type Person } from '../../support/people.js';
import { repository } from '../../support/test-environment.js';

/** Patterns of console/routes.ts, which tests cannot import: it loads pages. */
const patterns = [
  ...readFileSync(join(repository, 'console/routes.ts'), 'utf8').matchAll(/pattern: '([^']+)'/g),
].map(([, pattern = '']) => pattern);
/** Pages for people without a login; with one they lead on. */
const alone = ['/sign-in', '/invitation'];

const headers = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
    "connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; " +
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types assay",
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
};

const roles = ['viewer', 'annotator', 'editor', 'owner', 'auditor'] as const;
type Role = (typeof roles)[number];
const writers: readonly Role[] = ['editor', 'owner'];

/**
 * Controls that depend on the role, by the end of their page's pattern, and the roles that they
 * are enabled for. Those of the settings have a test of their own.
 */
const controls: readonly (readonly [
  page: string,
  name: string | RegExp,
  roles: readonly Role[],
])[] = [
  ['/', 'New project', ['viewer', 'annotator', 'editor', 'owner']],
  ['/people', 'Invite', []],
  ['/keys', 'New key', roles],
  ['/start', 'Make a key', writers],
  ['/start', 'Send one from here', writers],
  ['/traces', 'Delete…', ['owner']],
  ['/traces/{trace_id}', '3 stars', ['annotator', 'editor', 'owner']],
  ['/experiments', 'Criteria', writers],
  ['/experiments', 'Tag', writers],
  ['/experiments', 'Delete…', writers],
];

/** Turns what follows around, has no width, and is a tag: in the name of all that pages show. */
const unseen = '\u202eevil\u202c\u200b\u{e0041}';
/** Texts of the page with such a character: visible ones and those that are read aloud. */
const unmarkedTexts = `(() => {
  const unseen = /[\\u200b\\u202a-\\u202e\\u{e0041}]/u;
  const texts = [document.title];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode() !== null) {
    if (walker.currentNode.parentElement.closest('textarea') === null) {
      texts.push(walker.currentNode.data);
    }
  }
  for (const element of document.querySelectorAll('*')) {
    for (const name of ['title', 'aria-label', 'alt', 'placeholder']) {
      texts.push(element.getAttribute(name) ?? '');
    }
  }
  return texts.filter((text) => unseen.test(text));
})()`;

describeInBrowser('all pages of the console', function () {
  this.timeout(240_000);
  let app: App;
  let values: Readonly<Record<string, unknown>>;
  /** A project without traces, for the page that waits for the first one. */
  let emptyProject: string;
  const people = new Map<Role, Person>();
  before(async () => {
    app = await sharedApp();
    const made = await createOneOfEach(app.client, `all pages ${Date.now()} ${unseen}`);
    values = { ...made, resource: 'dataset', id: made['dataset_id'] };
    const { body } = await app.client.call<{ readonly id: string }>('POST', '/v2/projects', {
      body: { name: `all pages, empty ${Date.now()}` },
    });
    emptyProject = body.id;
    await app.client.call(
      'POST',
      `/v2/projects/${String(made['project_id'])}/annotation/templates`,
      {
        body: { name: 'stars', constraints: { annotation_type: 'star' } },
      },
    );
    for (const role of roles) {
      const person = await invitePerson(app, role, role === 'auditor' ? 'auditor' : 'user');
      people.set(role, person);
      if (role === 'auditor') continue;
      for (const project of [String(made['project_id']), emptyProject]) {
        await shareProject(app, project, person, role);
      }
    }
  });

  const pathOf = (pattern: string): string =>
    pattern.replaceAll(/\{(\w+)\}/g, (_member, name: string) => {
      const value = pattern.endsWith('/start') ? emptyProject : values[name];
      if (value === undefined) throw new Error(`${pattern}: no object is made for {${name}}`);
      return value as string;
    });
  /** Goes to a page as a link of the console does. */
  const go = async ({ untilQuiet }: TestBrowser, page: Page, pattern: string): Promise<void> => {
    const address = JSON.stringify(`${app.url}/console${pathOf(pattern)}`);
    await page.evaluate(
      `history.pushState(null, '', ${address}); dispatchEvent(new Event('popstate'))`,
    );
    await untilQuiet(page);
  };
  const signedIn = async (role: Role): Promise<readonly [TestBrowser, Page]> => {
    const browser = await openTestBrowser(app.url);
    await browser.context.addInitScript('delete window.showSaveFilePicker');
    const page = await browser.open('/');
    const { email, password } = people.get(role) ?? { email: '', password: '' };
    await signIn(page, email, password);
    return [browser, page];
  };

  it('have their headers, ask no other origin and mark the unseen (check 5)', async () => {
    const browser = await openTestBrowser(app.url);
    const page = await browser.open('/');
    await signIn(page, 'admin@localhost', appPassword);
    for (const pattern of patterns) {
      const answer = await page.goto(`${app.url}/console${pathOf(pattern)}`);
      expect(answer?.headers(), pattern).to.include(headers);
      await browser.untilQuiet(page);
      const isAlone = alone.includes(pattern);
      if (!isAlone) expect(new URL(page.url()).pathname).to.equal(`/console${pathOf(pattern)}`);
      expect(await page.locator('h1').innerText(), pattern).not.to.equal('Not found');
      expect(await page.getByRole('alert').allInnerTexts(), pattern).to.deep.equal([]);
      expect(browser.offences, pattern).to.deep.equal([]);
      const unmarked = await page.evaluate<readonly string[]>(unmarkedTexts);
      expect(unmarked, pattern).to.deep.equal([]);
    }
    await browser.close();
  });

  it('enable a control for the roles that may use it (check 32)', async () => {
    for (const role of roles) {
      const [browser, page] = await signedIn(role);
      for (const pattern of new Set(controls.map(([end]) => patternOf(end)))) {
        await go(browser, page, pattern);
        const first = page.getByRole('grid').getByRole('checkbox').first();
        if ((await first.count()) > 0) await first.check();
        for (const [end, name, allowed] of controls) {
          if (patternOf(end) !== pattern) continue;
          const control = page.getByRole('button', { name, exact: true }).first();
          expect(await control.isEnabled(), `${role}: ${String(name)} of ${pattern}`).to.equal(
            allowed.includes(role),
          );
        }
      }
      await browser.close();
      expect(browser.offences).to.deep.equal([]);
    }
  });
  const patternOf = (end: string): string => {
    const found = patterns.find(
      (pattern) => pattern === end || (end !== '/' && pattern.endsWith(end)),
    );
    if (found === undefined) throw new Error(`No page ends in ${end}`);
    return found;
  };
});
