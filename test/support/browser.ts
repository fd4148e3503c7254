import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';

const require = createRequire(import.meta.url);
const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

let launched: Promise<Browser> | null = null;
/** One Chromium for all files of a process; it ends with the process. */
const sharedBrowser = (): Promise<Browser> => {
  launched ??= chromium.launch({
    executablePath: '/usr/bin/chromium',
    // Root has no sandbox of Chromium's; only pages of these tests are opened.
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
  return launched;
};

/** A browser of one person: its own cookies and storage. */
export type TestBrowser = {
  readonly context: BrowserContext;
  /** Opens a tab at a path below the console. */
  readonly open: (path: string) => Promise<Page>;
  /**
   * Reports of the content security policy, console errors and requests to other origins since the
   * beginning. Empty for a page that behaves.
   */
  readonly offences: readonly string[];
  readonly close: () => Promise<void>;
};

type Look = {
  readonly theme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
};

/** Statuses of answers that pages handle; Chromium logs each as an error of the console. */
const isHandled = (text: string): boolean =>
  /Failed to load resource: the server responded with a status of (4\d\d|503)/.test(text);

export const openTestBrowser = async (url: string, look: Look = {}): Promise<TestBrowser> => {
  const browser = await sharedBrowser();
  const context = await browser.newContext({
    colorScheme: look.theme ?? 'light',
    viewport: { width: look.width ?? 1_280, height: look.height ?? 800 },
    reducedMotion: 'reduce',
  });
  const offences: string[] = [];
  context.on('request', (request) => {
    const address = request.url();
    if (!address.startsWith(`${url}/`) && !address.startsWith('data:')) {
      offences.push(`requested ${address}`);
    }
  });
  context.on('console', (message) => {
    const isError = message.type() === 'error' && !isHandled(message.text());
    if (isError) offences.push(`logged ${message.text()}`);
  });
  context.on('weberror', (error) => offences.push(`threw ${error.error().stack ?? ''}`));
  return {
    context,
    offences,
    open: async (path) => {
      const page = await context.newPage();
      await page.goto(`${url}/console${path}`);
      return page;
    },
    close: () => context.close(),
  };
};

/** Signs in by password on the sign-in page and waits for the page behind it. */
export const signIn = async (page: Page, email: string, password: string): Promise<void> => {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
};

type AxeResult = {
  readonly violations: readonly {
    readonly id: string;
    readonly help: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
  }[];
};

/** Expects that axe finds nothing on the page as it is now. */
export const expectAccessible = async (page: Page): Promise<void> => {
  await page.evaluate(axeSource);
  const { violations } = await page.evaluate<AxeResult>('axe.run(document)');
  const texts = violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}\n` +
      nodes.map(({ html, failureSummary }) => `${html}\n${failureSummary}`).join('\n'),
  );
  expect(texts, page.url()).to.deep.equal([]);
};
