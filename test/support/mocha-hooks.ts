import { spawnSync } from 'node:child_process';
import type { Context, Hook, RootHookObject, Suite } from 'mocha';

import { closeLargeApps } from './app.js';
import { patience } from './runs.js';
import { skippedIn } from './skips.js';
import { bundler } from './test-environment.js';

const totals = { passed: 0, failed: 0 };
/**
 * Minimum time limit of a test: mocha measures wall-clock time, and the limit is there to end
 * hanging tests.
 */
const patienceMs = patience(180_000);
/** True if mocha runs files in parallel; test/run.ts then watches each. */
const besideOthers = process.env['MOCHA_WORKER_ID'] !== undefined;

/** Members missing in mocha's types. */
type WithHooks = Suite & { readonly getHooks: (kind: string) => readonly Hook[] };
export const hooksOf = (suite: Suite, kind: string): readonly Hook[] =>
  (suite as WithHooks).getHooks(kind);
const hookKinds = ['beforeAll', 'beforeEach', 'afterEach', 'afterAll'] as const;

/** A failed hook keeps its tests from running, so it counts as a failed test. */
export const failedHooks = (suite: Suite): number =>
  hookKinds.flatMap((kind) => hooksOf(suite, kind)).filter(({ state }) => state === 'failed')
    .length + suite.suites.reduce((sum, below) => sum + failedHooks(below), 0);

/** Once per run: `tsc -b` alone leaves the bundles as they were, and tests of them then fail. */
export const mochaGlobalSetup = (): void => {
  spawnSync(process.execPath, [bundler, '--check'], { stdio: 'inherit' });
};

/**
 * Counts every test and closes the run with one plain line, `N passed, N failed`, for people and
 * for CI, where an unpermitted skip counts as failed. In parallel runs each file is a run, and
 * test/run.ts adds them up.
 */
export const mochaHooks: RootHookObject = {
  beforeAll(this: Context) {
    if (!besideOthers) return;
    process.stdout.write(`\nfile begun: ${process.pid} ${this.test?.parent?.suites[0]?.file}\n`);
  },
  beforeEach(this: Context) {
    const test = this.currentTest;
    test?.timeout(Math.max(test.timeout(), patienceMs));
  },
  afterEach(this: Context) {
    if (this.currentTest?.state === 'failed') totals.failed += 1;
    else if (this.currentTest?.state === 'passed') totals.passed += 1;
  },
  async afterAll(this: Context) {
    await closeLargeApps();
    const root = this.test?.parent;
    if (root === undefined) throw new Error('the last hook has no suite');
    const { count, unlawful } = skippedIn(root, process.env['CI'] === 'true');
    const failed = totals.failed + failedHooks(root) + unlawful.length;
    const skipped = count > unlawful.length ? `, ${count - unlawful.length} skipped` : '';
    for (const title of unlawful) process.stdout.write(`\nskipped, which CI forbids: ${title}\n`);
    process.stdout.write(`\n${totals.passed} passed, ${failed} failed${skipped}\n`);
    if (besideOthers) process.stdout.write(`file ended: ${process.pid}\n`);
    Object.assign(totals, { passed: 0, failed: 0 });
    if (unlawful.length > 0) throw new Error('tests were skipped where CI is true');
  },
};
