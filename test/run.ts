import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { program, repository } from './support/outside.js';

/**
 * All tests in two processes of mocha side by side, for two processors: what drives services and
 * engines from outside mostly waits, and what runs within one process mostly works. One process
 * shows its tests as they go, the other when the first is done. Ends with one plain line, `N
 * passed, N failed`, and with 1 when a test failed or a process broke off.
 */
const tests = join(program, '..', 'test');
// What a build left of a test that is gone is no test.
const files = readdirSync(join(repository, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => name.replace(/ts$/, 'js'))
  .sort();
const outside = ['chaos', 'differential', 'fault', 'real-runs', 'sandbox'];
const isOutside = (name: string): boolean => outside.some((folder) => name.startsWith(folder));

type Tally = { readonly passed: number; readonly failed: number; readonly skipped: number };
const tallyForm = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/;

const run = async (names: readonly string[], show: (text: string) => void): Promise<Tally> => {
  const child = spawn(
    process.execPath,
    [
      join(repository, 'node_modules/mocha/bin/mocha.js'),
      '--no-config',
      '--exit',
      '--timeout=30000',
      `--require=${join(tests, 'support/tally.js')}`,
      ...(process.stdout.isTTY ? ['--color'] : []),
      ...names.map((name) => relative(process.cwd(), join(tests, name))),
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let tally: Tally | null = null;
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on('line', (line) => {
      const [, passed, failed, skipped] = tallyForm.exec(line) ?? [];
      if (passed === undefined) show(`${line}\n`);
      else
        tally = { passed: Number(passed), failed: Number(failed), skipped: Number(skipped ?? 0) };
    });
  }
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  const counted: Tally = tally ?? { passed: 0, failed: 0, skipped: 0 };
  // A process that broke off, or failed in a hook, has no test to blame.
  return code === 0 || counted.failed > 0 ? counted : { ...counted, failed: 1 };
};

const held: string[] = [];
let isFirstDone = false;
const second = run(files.filter(isOutside), (text) =>
  isFirstDone ? void process.stdout.write(text) : void held.push(text),
);
const first = await run(
  files.filter((name) => !isOutside(name)),
  (text) => void process.stdout.write(text),
);
isFirstDone = true;
process.stdout.write(held.join(''));
const last = await second;
const sum = (name: keyof Tally): number => first[name] + last[name];
if (sum('skipped') > 0) process.stdout.write(`\n${sum('skipped')} skipped, said above why\n`);
process.stdout.write(`\n${sum('passed')} passed, ${sum('failed')} failed\n`);
process.exitCode = sum('failed') > 0 ? 1 : 0;
