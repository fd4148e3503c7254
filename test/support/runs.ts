/** How many cases a property test draws: its own number, times ASSAY_TEST_RUNS when that is set. */
export const runs = (usual: number): number =>
  Math.ceil(usual * Number(process.env['ASSAY_TEST_RUNS'] ?? 1));
