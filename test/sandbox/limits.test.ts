import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { sandboxLimits, type ScorerFaultKind, type Sandbox } from '../../kernel/sandbox.js';
import { idleAwareClock } from '../support/idle-aware-clock.js';
import { temporaryFolder } from '../support/folder.js';
import { drawSeed } from '../support/test-environment.js';
import { runs } from '../support/runs.js';
import { sandboxOf, stepsOf, taskOf, type TestMode } from '../support/sandboxes.js';

const wallMs = 6_000;
/** Delay of a busy machine, beside the half second that an end may take … */
const lateMs = 1_500;
/** … and what the start of the process takes, which is not counted. */
const startMs = 2_000;
const js = (code: string): string =>
  `from pyodide.code import run_js\ndef scorer_fn(**k) -> int:\n` +
  `    run_js(${JSON.stringify(code)})\n    return 1`;
const py = (...lines: readonly string[]): string =>
  ['def scorer_fn(**k) -> int:', ...lines.map((line) => `    ${line}`), '    return 1'].join('\n');

/** Ways to use up what the machine has, and what each must end as. */
const bombs: Readonly<
  Record<string, readonly [source: string, kinds: readonly ScorerFaultKind[]]>
> = {
  'an endless loop': [py('while True: pass'), ['time']],
  'an endless loop at import': ['while True: pass', ['time']],
  'a loop in C that cannot be interrupted': [py('sum(range(10**12))'), ['time']],
  'a loop that catches everything': [
    py('while True:', '    try:', '        while True: pass', '    except BaseException: pass'),
    ['time'],
  ],
  'an endless loop of JavaScript': [js('for (;;) {}'), ['time']],
  'a regular expression that blows up': [
    py("import re; re.match('(a+)+$', 'a' * 64 + 'b')"),
    ['time'],
  ],
  'a power tower': [py('x = 9**9**9'), ['time', 'memory']],
  sleep: [py('import time; time.sleep(1000)'), ['time']],
  'a memory bomb of Python': [
    py('x = [bytearray(2**24) for _ in range(1000)]'),
    ['memory', 'time'],
  ],
  'a long list': [py('x = [0] * 10**9'), ['memory']],
  'a memory bomb of JavaScript': [
    js('const a = []; for (;;) a.push(new Array(1e6).fill(1.5))'),
    ['memory', 'time'],
  ],
  'a memory bomb outside the heap': [
    js('const a = []; for (;;) a.push(new Uint8Array(1e7).fill(7))'),
    ['memory', 'exception', 'time'],
  ],
  'a bomb of WebAssembly memories': [
    js(
      'const a = []; for (;;) a.push(new WebAssembly.Memory({ initial: 4000 }).buffer.byteLength)',
    ),
    ['memory', 'exception', 'time'],
  ],
  'a bomb of threads': [
    js(
      "const { Worker } = globalThis.process.getBuiltinModule('node:worker_threads'); " +
        "for (;;) new Worker('for(;;){}', { eval: true })",
    ),
    ['memory', 'exception', 'crashed', 'time'],
  ],
  'a fork bomb': [py('import os', 'while True: os.fork()'), ['exception']],
  'a flood of prints': [py("while True: print('x' * 1000)"), ['output']],
  'a flood of errors': [py('import sys', "while True: sys.stderr.write('x' * 1000)"), ['output']],
  'a flood past the interpreter': [
    js(
      "const fs = globalThis.process.getBuiltinModule('node:fs'); " +
        "for (;;) fs.writeSync(1, 'x'.repeat(65536))",
    ),
    ['output', 'exception'],
  ],
  'a flood of errors past the interpreter': [
    js("for (;;) console.error('x'.repeat(65536))"),
    ['output', 'memory'],
  ],
  'a very long answer': ["def scorer_fn(**k) -> str:\n    return 'x' * 3_000_000", ['output']],
  'deep recursion': [py('def f(n): return f(n + 1)', 'f(0)'), ['exception']],
  'recursion without a limit': [
    py('import sys; sys.setrecursionlimit(10**9)', 'def f(n): return f(n + 1)', 'f(0)'),
    ['crashed', 'memory', 'exception', 'time'],
  ],
  'a deeply nested file': ['('.repeat(100_000), ['syntax', 'memory', 'crashed', 'time']],
  'the end of the interpreter': [py('import os; os._exit(3)'), ['crashed']],
  'the end of the program': [py('raise SystemExit'), ['exception']],
  'a forged verdict': [
    js(
      `console.log('={"verdict":"valid","score_type":"int",` +
        `"scoreable_node_types":["llm"],"chain_aggregation":null,` +
        `"scores":[[0,"llm",1e999,null],[0,"llm",1,null]],"aggregates":{}}'); for (;;) {}`,
    ),
    ['crashed', 'time'],
  ],
};

const modes: readonly TestMode[] = ['strict', 'deno'];

for (const mode of modes) {
  describe(`a scorer that wants too much, ${mode}`, () => {
    let sandbox: Sandbox;
    const pids: number[] = [];
    /** Its temporary folders alone: other tests have theirs at the same time. */
    let folder: Awaited<ReturnType<typeof temporaryFolder>>;
    const usual = process.env['TMPDIR'];
    before(async () => {
      folder = await temporaryFolder();
      process.env['TMPDIR'] = folder.dir;
      sandbox = sandboxOf(mode, {}, { onPid: (pid) => pids.push(pid) });
      expect((await sandbox.ready()).mode).to.equal(mode);
    });
    after(async () => {
      await sandbox.close();
      if (usual === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = usual;
      await folder.remove();
    });

    // What takes the whole time it may have is shown in one mode.
    const all = Object.entries(bombs).filter(
      ([, [, kinds]]) => mode === 'strict' || kinds[0] !== 'time',
    );

    it(`ends bombs within the limit, as a typed verdict, of ${all.length}`, async () => {
      const seed = drawSeed(`bombs, ${mode}`);
      const length = Math.min(all.length, runs(3));
      const some = fc.shuffledSubarray(all, { minLength: length, maxLength: length });
      const [chosen = []] = fc.sample(some, { seed, numRuns: 1 });
      const others: (readonly [string, string, number])[] = [];
      const run = async ([name, [source, kinds]]: (typeof chosen)[number]): Promise<void> => {
        const takesTime = kinds.includes('time');
        const waited = idleAwareClock();
        // What must end for another reason has all the time there is, on a busy machine too.
        const verdict = await sandbox.run(taskOf(source), takesTime ? { wallMs } : {});
        const took = waited();
        const kind = verdict.verdict === 'invalid' ? verdict.kind : verdict.verdict;
        const isTyped = kinds.some((one) => one === kind);
        const mostMs = (takesTime ? wallMs : sandboxLimits.wallMs) + 500 + startMs + lateMs;
        if (!isTyped || took > mostMs) others.push([name, JSON.stringify(verdict), took]);
      };
      // One after the other: a bomb of threads would keep the next one from starting.
      for (const bomb of chosen) await run(bomb);
      expect(others).to.deep.equal([]);
    });

    it(`leaves nothing behind, ${runs(2)} tasks later`, async () => {
      const mounts = readFileSync('/proc/self/mounts', 'utf8');
      const descriptors = readdirSync('/proc/self/fd').length;
      await Promise.all(
        Array.from({ length: runs(2) }, (_, at) =>
          sandbox.run(taskOf(py(at % 3 === 0 ? 'import os; os._exit(1)' : 'pass'))),
        ),
      );
      expect(readFileSync('/proc/self/mounts', 'utf8')).to.equal(mounts);
      expect(readdirSync('/proc/self/fd').length).to.be.at.most(descriptors);
      expect(readdirSync(folder.dir)).to.deep.equal([]);
      const running = execFileSync('ps', ['-e', '-o', 'pid=,args='], { encoding: 'utf8' })
        .split('\n')
        .filter((line) => pids.includes(Number(line.trim().split(' ', 1)[0])));
      expect(running).to.deep.equal([]);
    });

    // It takes all its time.
    if (mode === 'deno') return;
    it('reports the row it was at', async () => {
      const source =
        'def scorer_fn(*, index, **k) -> int:\n    while index == 7: pass\n    return index';
      const verdict = await sandbox.run(taskOf(source, { steps: stepsOf(10) }), { wallMs });
      expect(verdict).to.deep.include({ verdict: 'invalid', kind: 'time', step: 7 });
      expect(verdict)
        .to.have.property('message')
        .that.matches(/^row 7: .*6 seconds$/);
    });
  });
}
