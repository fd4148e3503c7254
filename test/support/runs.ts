const factor = Number(process.env['ASSAY_TEST_RUNS'] ?? 1);

/**
 * True for a long run (`npm run test:long`). It repeats tests on further combinations of engines
 * that `npm test` runs on some of them.
 */
export const isLongRun = factor > 1;

/** Number of cases of a property test: its own number, times ASSAY_TEST_RUNS when that is set. */
export const runs = (usual: number): number => Math.ceil(usual * factor);

/** A time limit of tests, extended by the same factor as their loops. */
export const patience = (usualMs: number): number => usualMs * Math.max(1, factor);
