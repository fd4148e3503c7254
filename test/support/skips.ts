import type { Suite, Test } from 'mocha';

/**
 * The one reason for which a test may be skipped where `CI` is true, as its title says it. All else
 * that a test needs can be installed, and what it proves must not go missing in silence.
 */
export const permittedSkip = 'for want of the 200 real runs';

/** The tests below `suite` that did not run, and those of them that had to. */
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
