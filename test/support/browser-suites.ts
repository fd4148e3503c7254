import type { Suite } from 'mocha';
import { closeWatchedBrowsers, pageReports } from './page-reports.js';
import { chromium, describeWithTool } from './required-tools.js';

/**
 * `describe` for tests with a browser. The message of a failed test ends with what its pages
 * showed, so that a failure on another machine explains itself.
 */
export const describeInBrowser = (title: string, tests: (this: Suite) => void): void =>
  describeWithTool(chromium, title, function () {
    // Before the hooks of the tests, which close the pages.
    afterEach(async function () {
      const { state, err } = this.currentTest ?? {};
      if (state === 'failed' && err !== undefined) addToMessage(err, await pageReports());
    });
    tests.call(this);
    after(closeWatchedBrowsers);
  });

const addToMessage = (error: Error, report: string): void => {
  const { message, stack } = error;
  const longer = `${message}\n\nIts pages when it failed:\n${report}\n`;
  error.message = longer;
  if (stack !== undefined) error.stack = stack.replace(message, () => longer);
};
