import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { appPassword, sharedApp, type App } from './app.js';
import { openTestBrowser, signIn, type Look, type TestBrowser } from './browser.js';

/** Ways to open the console in a test; what they opened ends with the test. */
type ConsolePages = {
  /** Opens a page as the first admin, in a browser of its own. */
  readonly open: (path: string, look?: Look) => Promise<Page>;
  /** Opens a browser without a login. */
  readonly openBrowser: (look?: Look) => Promise<TestBrowser>;
};

/**
 * Opens pages of the console of the app that tests share. After each test of the `describe` that
 * calls it the browsers are closed, and had neither offences nor answers 403.
 */
export const consolePages = (): ConsolePages => {
  const opened: TestBrowser[] = [];
  afterEach(async () => {
    const found = opened.flatMap(({ offences, refusals }) => [...offences, ...refusals]);
    await Promise.all(opened.splice(0).map((browser) => browser.close()));
    expect(found).to.deep.equal([]);
  });
  const openBrowser: ConsolePages['openBrowser'] = async (look = {}) => {
    const browser = await openTestBrowser((await sharedApp()).url, look);
    opened.push(browser);
    return browser;
  };
  return {
    openBrowser,
    open: async (path, look) => {
      const page = await (await openBrowser(look)).open(path);
      await signIn(page, 'admin@localhost', appPassword);
      return page;
    },
  };
};

/** Creates a project of this name, with the time behind it; resolves with its id. */
export const newProject = async ({ client }: App, name: string): Promise<string> => {
  const body = { name: `${name} ${Date.now()}` };
  return (await client.call<{ readonly id: string }>('POST', '/v2/projects', { body })).body.id;
};
