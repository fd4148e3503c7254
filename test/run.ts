import '../engines/node/minimum-version.js';
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { openSandbox } from '../engines/sandbox/sandbox.js';
import { compileCache, program, repository } from './support/test-environment.js';
import { openFileWatchdog } from './support/test-file-watchdog.js';
import { randomFiles } from './support/random-files.js';
import { testCache } from './support/sandboxes.js';

/**
 * All tests in a few processes side by side: each takes the next file when it is done with one, and
 * shows it whole. Ends with one plain line, `N passed, N failed`, and with 1 when a test failed or
 * a process broke off.
 */
const tests = join(program, '..', 'test');
/** These begin first, longest first, so that no process ends alone with a long file. */
const long: readonly string[] = [
  'chaos/distributed-service',
  'chaos/partitions',
  'chaos/kill',
  'engines/mongodb',
  'console/browser/controls',
  'sandbox/escapes',
  'chaos/',
  'clients/python',
  'http/run-scoring',
  'http/scorer-spans',
  'forgetting/',
  'sandbox/',
  'http/scorer-validation',
  'differential/',
  'tools/import',
  'cli/backup',
  'cli/rebuild',
  'fault/',
  'engines/',
  'command-api/run-scoring',
  'command-api/scoring-backfill',
  'senders/',
  'fuzz/',
  'golden/',
  'http/',
];
const rank = (name: string): number => {
  const at = long.findIndex((start) => name.startsWith(start));
  return at < 0 ? long.length : at;
};
// What a build left of a test that is gone is no test.
const all = readdirSync(join(repository, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => name.replace(/ts$/, 'js'))
  .sort()
  .sort((one, other) => rank(one) - rank(other));
/** `--random`: only the files that ASSAY_TEST_RUNS makes longer (`npm run test:long`). */
const isLong = process.argv.includes('--random');
const files = isLong
  ? randomFiles(all.map((name) => join(tests, name))).map((name) => relative(tests, name))
  : all;
if (isLong)
  process.stdout.write(
    `${files.length} of ${all.length} files draw random cases, repeat kills or have further ` +
      `combinations of engines; each does ${process.env['ASSAY_TEST_RUNS'] ?? 1} times what it ` +
      `does in npm test\n`,
  );

/** One more than there are processors: who drives services and engines mostly waits. */
const jobs = availableParallelism() + 1;

// What every sandbox needs is made once, before they all begin at the same time.
const sandbox = openSandbox({ wanted: 'strict', cache: testCache });
await sandbox.ready();
await sandbox.close();

// Folder templates, filled once for all processes (test/support/folder-template.ts).
const runFolder = mkdtempSync(join(tmpdir(), 'assay-run-'));
process.once('exit', () => rmSync(runFolder, { recursive: true, force: true }));

const mocha = spawn(
  process.execPath,
  [
    join(repository, 'node_modules/mocha/bin/mocha.js'),
    '--no-config',
    '--exit',
    '--parallel',
    `--jobs=${jobs}`,
    '--timeout=120000',
    `--require=${join(tests, 'support/mocha-hooks.js')}`,
    ...(process.stdout.isTTY ? ['--color'] : []),
    ...files.map((name) => relative(process.cwd(), join(tests, name))),
  ],
  {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache, ASSAY_TEST_RUN_DIR: runFolder },
  },
);

// Each file has a tally of its own (test/support/mocha-hooks.ts).
const sum = { passed: 0, failed: 0, skipped: 0 };
const tallyForm = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/;
const begunForm = /^file begun: (\d+) (.+)$/;
const endedForm = /^file ended: (\d+)$/;
const watch = openFileWatchdog(files);
for (const input of [mocha.stdout, mocha.stderr])
  createInterface({ input }).on('line', (line) => {
    const [, passed, failed, skipped] = tallyForm.exec(line) ?? [];
    const [, worker, file] = begunForm.exec(line) ?? [];
    const [, done] = endedForm.exec(line) ?? [];
    if (worker !== undefined && file !== undefined)
      watch.begun(Number(worker), relative(tests, file));
    else if (done !== undefined) watch.ended(Number(done));
    else if (passed === undefined) process.stdout.write(`${line}\n`);
    sum.passed += Number(passed ?? 0);
    sum.failed += Number(failed ?? 0);
    sum.skipped += Number(skipped ?? 0);
  });
// What a test left behind may hold the pipes open for ever.
const code = await new Promise<number | null>((resolve) => {
  mocha.once('close', resolve);
  mocha.once('exit', (it) => setTimeout(() => resolve(it), 5_000));
});
const unended = watch.close();
for (const file of unended) process.stdout.write(`\n${file} did not end\n`);
// A hook that failed has no test to blame, but mocha counts it. It ends with 0 when every process
// broke off before its first test, so what did not end counts as well.
sum.failed = Math.max(sum.failed, code ?? 1) + unended.length;
if (sum.skipped > 0) process.stdout.write(`\n${sum.skipped} skipped, said above why\n`);
process.stdout.write(`\n${sum.passed} passed, ${sum.failed} failed\n`);
process.exit(sum.failed > 0 ? 1 : 0);
