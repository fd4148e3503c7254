import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const marker = '/support/runs.js';

/**
 * The built test files whose length ASSAY_TEST_RUNS multiplies: they call `runs`, or
 * import a suite or another module of test/ that does.
 */
export const randomFiles = (files: readonly string[]): readonly string[] => {
  const known = new Map<string, boolean>();
  const draws = (file: string): boolean => {
    const found = known.get(file);
    if (found !== undefined) return found;
    // Taken before its imports are read, which may lead back to it.
    known.set(file, false);
    const text = readFileSync(file, 'utf8');
    const imports = [...text.matchAll(/from '(\.{1,2}\/[^']+)'/g)].map(([, path = '']) => path);
    const isRandom =
      imports.some((path) => path.endsWith(marker)) ||
      imports
        .map((path) => join(dirname(file), path))
        .filter((path) => !path.endsWith('/support/mocha-hooks.js') && existsSync(path))
        .some((path) => path.includes('/test/') && draws(path));
    known.set(file, isRandom);
    return isRandom;
  };
  return files.filter(draws);
};
