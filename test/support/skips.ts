import type { Suite, Test } from 'mocha';

/**
 * The only skip that is permitted when `CI` is true, by its title. All other requirements of tests
 * can be installed.
 */
export const permittedSkip = 'for want of the 200 real runs';

/** The skipped tests below `suite`, and those among them that are not permitted. */
export const skippedIn = (
  suite: Suite,
  inCi: boolean,
): { readonly count: number; readonly unlawful: readonly string[] } => {
  const skipped: Test[] = [];
  suite.eachTest((test) => {
    if (test.isPending()) skipped.push(test);
  });
  const titles = skipped.map((test) => test.fullTitle().trim());
  return {
    count: titles.length,
    unlawful: inCi ? titles.filter((title) => !title.includes(permittedSkip)) : [],
  };
};
