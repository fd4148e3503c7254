import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type Page,
  type Request,
} from 'playwright-core';
import { watchPages } from './page-reports.js';

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

/** Ends the Chromium of this process, which else keeps it alive. */
export const closeBrowser = async (): Promise<void> => {
  const browser = await launched;
  launched = null;
  await browser?.close();
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
  /** Answers 403 since the beginning, as method and path. */
  readonly refusals: readonly string[];
  /** Resolves once a page has its heading, nothing to load, and no request is open. */
  readonly untilQuiet: (page: Page) => Promise<void>;
  readonly close: () => Promise<void>;
};

export type Look = {
  readonly theme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
};

/** How long a page may take to show something, on a machine that other tests keep busy. */
const timeoutMs = 60_000;

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
  context.setDefaultTimeout(timeoutMs);
  watchPages(context);
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
  const refusals: string[] = [];
  context.on('response', (answer) => {
    if (answer.status() !== 403) return;
    refusals.push(`${answer.request().method()} ${new URL(answer.url()).pathname}`);
  });
  return {
    context,
    offences,
    refusals,
    untilQuiet: quietness(context),
    open: async (path) => {
      const page = await context.newPage();
      await page.goto(`${url}/console${path}`);
      return page;
    },
    close: () => context.close(),
  };
};

/** Resolves once a page has painted what it drew, and done what it does after that. */
export const untilPainted = async (page: Page): Promise<void> => {
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
};

/**
 * Resolves once an expression is true in the page, which looks in each frame. Playwright's
 * `waitForFunction` compiles a text at each look, which the content security policy refuses.
 */
export const untilInPage = async (page: Page, expression: string): Promise<void> => {
  const late = JSON.stringify(`Not in the page in time: ${expression}`);
  await page.evaluate(`new Promise((resolve, reject) => {
    const begin = performance.now();
    const look = () => {
      if (${expression}) resolve();
      else if (performance.now() - begin > ${timeoutMs}) reject(new Error(${late}));
      else requestAnimationFrame(look);
    };
    look();
  })`);
};

/** Waits for what a page asks and draws; a page that was drawn may ask further. */
const quietness = (context: BrowserContext): TestBrowser['untilQuiet'] => {
  const open = new Set<Request>();
  let waiting: (() => void)[] = [];
  const end = (request: Request): void => {
    open.delete(request);
    if (open.size > 0) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  };
  context.on('request', (request) => open.add(request));
  context.on('requestfinished', end);
  context.on('requestfailed', end);
  return async (page) => {
    await page.locator('h1').first().waitFor();
    for (let quiet = 0; quiet < quietFrames;) {
      if (open.size > 0) await new Promise<void>((resolve) => waiting.push(resolve));
      await untilPainted(page);
      const isLoading = (await page.locator('.skeleton').count()) > 0;
      quiet = open.size === 0 && !isLoading ? quiet + 1 : 0;
    }
  };
};
/** Frames without a request: what was drawn asks in the next one. */
const quietFrames = 3;

/** Signs in by password on the sign-in page and waits for the page behind it. */
export const signIn = async (page: Page, email: string, password: string): Promise<void> => {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
};

/** Presses two keys as fast as people do: a pair of keys ends after a second. */
export const pressPair = async (page: Page, first: string, second: string): Promise<void> => {
  await Promise.all([page.keyboard.press(first), page.keyboard.press(second)]);
};

type AxeResult = {
  readonly violations: readonly {
    readonly id: string;
    readonly help: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
  }[];
};

/** Expects that axe finds nothing on the page as it is now; `colours`: with its colours alone. */
export const expectAccessible = async (
  page: Page,
  rules: 'all' | 'colours' = 'all',
): Promise<void> => {
  if (!(await page.evaluate<boolean>("typeof axe === 'object'"))) await page.evaluate(axeSource);
  const options = {
    resultTypes: ['violations'],
    ...(rules === 'colours' && { runOnly: ['color-contrast'] }),
  };
  const { violations } = await page.evaluate<AxeResult>(
    `axe.run(document, ${JSON.stringify(options)})`,
  );
  const texts = violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}\n` +
      nodes.map(({ html, failureSummary }) => `${html}\n${failureSummary}`).join('\n'),
  );
  expect(texts, page.url()).to.deep.equal([]);
};

const widths = [1_280, 360] as const;

/**
 * Expects that axe finds nothing on the page at 1,280 and 360 px, light and dark, and that it does
 * not scroll sideways. The themes differ in colours alone, so that the dark one is checked for
 * these. Leaves the page dark and narrow.
 */
export const expectAccessibleEverywhere = async (page: Page): Promise<void> => {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme: 'light' });
    await expectAccessible(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectAccessible(page, 'colours');
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(overflow, `${page.url()} at ${width} px`).to.be.at.most(0);
  }
};
