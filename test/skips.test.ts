import { expect } from 'chai';
import { Suite, Test } from 'mocha';
import { failedHooks, hooksOf } from './support/mocha-hooks.js';
import { permittedSkip, skippedIn } from './support/skips.js';

const suite = new Suite('');
const groups = { 'on real runs': ` ${permittedSkip}`, 'on a machine without a tool': '' };
for (const [title, reason] of Object.entries(groups)) {
  const group = Suite.create(suite, `${title}${reason}`);
  group.pending = true;
  group.addTest(new Test('proves something', () => undefined));
}
suite.addTest(new Test('runs', () => undefined));

describe('a test that is skipped', () => {
  it('is counted', () => {
    expect(skippedIn(suite, false)).to.deep.equal({ count: 2, unlawful: [] });
  });

  it('is a failure where CI is true, but for want of the real runs', () => {
    expect(skippedIn(suite, true)).to.deep.equal({
      count: 2,
      unlawful: ['on a machine without a tool proves something'],
    });
  });
});

describe('a hook that fails', () => {
  it('counts as a failed test, at any depth', () => {
    const root = new Suite('');
    const below = Suite.create(root, 'below');
    below.beforeEach(() => undefined);
    expect(failedHooks(root)).to.equal(0);
    const [hook] = hooksOf(below, 'beforeEach');
    Object.assign(hook ?? {}, { state: 'failed' });
    expect(failedHooks(root)).to.equal(1);
  });
});
