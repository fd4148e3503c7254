import { setTimeout as pause } from 'node:timers/promises';
import type { BrowserContext, Page, Request } from 'playwright-core';

/** A browser whose events are kept for the report of a failed test. */
type WatchedBrowser = {
  readonly context: BrowserContext;
  /** Errors and warnings of the console, answers over 399 and broken requests, the latest last. */
  readonly notes: string[];
  readonly unanswered: Set<Request>;
};

const watched = new Set<WatchedBrowser>();
/** Notes and characters of a page that a report has. */
const notesMax = 20;
const textMax = 1_500;
/** Wait for a page whose scripts are stuck. */
const answerMs = 5_000;

/** Watches the pages of a browser until it is closed. */
export const watchPages = (context: BrowserContext): void => {
  const browser: WatchedBrowser = { context, notes: [], unanswered: new Set() };
  const note = (text: string): void => {
    browser.notes.push(text);
    if (browser.notes.length > notesMax) browser.notes.shift();
  };
  watched.add(browser);
  context.on('close', () => watched.delete(browser));
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) note(`console: ${message.text()}`);
  });
  context.on('weberror', (error) => note(`threw: ${error.error().stack ?? ''}`));
  context.on('request', (request) => browser.unanswered.add(request));
  context.on('requestfinished', (request) => browser.unanswered.delete(request));
  context.on('requestfailed', (request) => {
    browser.unanswered.delete(request);
    note(`${requestText(request)}: ${request.failure()?.errorText ?? 'failed'}`);
  });
  context.on('response', (answer) => {
    if (answer.status() > 399) note(`${requestText(answer.request())}: ${answer.status()}`);
  });
};

/** Closes the browsers that a failed test left open. */
export const closeWatchedBrowsers = async (): Promise<void> => {
  await Promise.all([...watched].map(({ context }) => context.close()));
};

/** The pages that are open: address, messages, text, focus, errors and open requests of each. */
export const pageReports = async (): Promise<string> => {
  const reports = await Promise.all(
    [...watched].map(async ({ context, notes, unanswered }) => {
      const pages = await Promise.all(context.pages().map(pageReport));
      const open = [...unanswered].map((request) => `unanswered: ${requestText(request)}`);
      return [...pages, ...notes, ...open].join('\n');
    }),
  );
  return reports.join('\n\n');
};

const requestText = (request: Request): string =>
  `${request.method()} ${new URL(request.url()).pathname}`;

const pageReport = async (page: Page): Promise<string> => {
  const shown = page.evaluate<string>(shownScript).catch((error: Error) => error.message);
  const late = pause(answerMs, 'the page does not answer', { ref: false });
  return `${page.url()}\n${await Promise.race([shown, late])}`;
};

const shownScript = `(() => {
  const textOf = (element) => element.innerText.trim().replace(/\\s*\\n\\s*/g, ' | ');
  const places = '[role=alert], [role=status], .notice, dialog[open]';
  const messages = [...document.querySelectorAll(places)]
    .filter((element) => element.checkVisibility() && textOf(element) !== '')
    .map((element) => (element.getAttribute('role') ?? element.localName) + ': ' + textOf(element));
  const { activeElement: focus } = document;
  return [
    ...new Set(messages),
    'focus: ' + focus?.localName + ' ' + (focus?.ariaLabel ?? focus?.id ?? ''),
    'text: ' + textOf(document.body).slice(0, ${textMax}),
  ].join('\\n');
})()`;
