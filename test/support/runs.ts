const factor = Number(process.env['ASSAY_TEST_RUNS'] ?? 1);

/**
 * Whether this is a long run (`npm run test:long`). It repeats on further combinations of engines
 * what `npm test` runs on some of them.
 */
export const isLongRun = factor > 1;

/** How many cases a property test draws: its own number, times ASSAY_TEST_RUNS when that is set. */
export const runs = (usual: number): number => Math.ceil(usual * factor);

/** A time limit of tests, as many times as long as their loops are. */
export const patience = (usualMs: number): number => usualMs * Math.max(1, factor);
