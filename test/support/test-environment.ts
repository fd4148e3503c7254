import { randomInt } from 'node:crypto';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { startedAs } from '../../cli/program-name.js';

/** Environment of tests that drive the built service; read only here. */

const compiled = resolve(import.meta.dirname, '../..');

/** The repository's own folder. */
export const repository = dirname(compiled);
/** The built program. */
export const program = resolve(compiled, 'assay.js');
/** The last step of the build, which also says when its bundles are stale. */
export const bundler = resolve(compiled, 'bundle.js');
/** How messages of that program name it, started from here. */
export const programName = startedAs(program, process.cwd());

/**
 * `ASSAY_TEST_SEED`, else a new seed; printed beside `what`, so that a failing run can be repeated.
 */
export const drawSeed = (what?: string): number => {
  const asked = Number(process.env['ASSAY_TEST_SEED'] ?? '');
  const seed = Number.isInteger(asked) && asked > 0 ? asked : randomInt(1, 2 ** 31);
  if (what !== undefined) process.stdout.write(`    ${what}: ASSAY_TEST_SEED=${seed}\n`);
  return seed;
};

/** Folder of the material outside the project: `ASSAY_TEST_SHARED`, else beside the repository. */
export const sharedFolder = (): string =>
  resolve(process.env['ASSAY_TEST_SHARED'] ?? resolve(repository, '..', 'shared'));

/** Node's compile cache for the program: saves a fifth of the processor time of a start. */
export const compileCache = join(tmpdir(), `assay-test-compiled-${process.getuid?.()}`);

/** The minimal environment for a child process, so that nothing else influences its answers. */
export const bareEnvironment = (): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '/usr/bin:/bin',
  HOME: process.env['HOME'] ?? '/',
  NODE_COMPILE_CACHE: compileCache,
  // Values of `npm start`.
  UV_THREADPOOL_SIZE: '12',
  MALLOC_ARENA_MAX: '2',
});

/** The Node flags of `npm start` (D-174). */
export const nodeFlags = ['--max-semi-space-size=32'] as const;
