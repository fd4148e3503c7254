import * as fc from 'fast-check';

/**
 * Any UTF-16 of at most so many units, lone surrogates too. The `binary` unit of fast-check takes
 * seconds to make its tables.
 */
export const anyUtf16 = (maxLength: number): fc.Arbitrary<string> =>
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength })
    .map((units) => String.fromCharCode(...units));
