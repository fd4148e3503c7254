import type { Context, RootHookObject } from 'mocha';

import { closeSharedApp } from './app.js';

const tally = { passed: 0, failed: 0, skipped: 0 };

/**
 * Counts every test and closes the run with one plain line, `N passed, N failed`, for people and
 * for CI.
 */
export const mochaHooks: RootHookObject = {
  afterEach(this: Context) {
    if (this.currentTest?.state === 'failed') tally.failed += 1;
    else if (this.currentTest?.isPending() === true) tally.skipped += 1;
    else tally.passed += 1;
  },
  async afterAll() {
    await closeSharedApp();
    const skipped = tally.skipped > 0 ? `, ${tally.skipped} skipped` : '';
    process.stdout.write(`\n${tally.passed} passed, ${tally.failed} failed${skipped}\n`);
  },
};
