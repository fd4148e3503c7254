import { randomUUID } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { mkdtemp, rm, writeFile, chmod } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ScorerStep, SandboxTask, ScorerVerdict } from '../../kernel/sandbox.js';

type RunTask = (task: SandboxTask, watch: (pid: number) => void) => Promise<ScorerVerdict>;

/**
 * Runs a hostile scorer in the sandbox. Null if every escape failed and, in strict mode, the kernel
 * confirms the confinement; else what it reached, or why the probe is inconclusive.
 */
export const probeEscapes = async (
  mode: 'strict' | 'deno',
  judge: RunTask,
): Promise<string | null> => {
  const canary = `assay-canary-${randomUUID()}`;
  const dir = await mkdtemp(join(tmpdir(), 'assay-probe-'));
  const file = join(dir, 'canary');
  await writeFile(file, canary);
  // World-readable: the sandbox must hold the scorer, not the mode of a file.
  await chmod(dir, 0o755);
  await chmod(file, 0o644);
  let tripped = false;
  const trap = createServer((socket) => {
    tripped = true;
    socket.destroy();
  });
  try {
    const port = await new Promise<number>((resolve, reject) => {
      trap.once('error', reject);
      trap.listen(0, '127.0.0.1', () => resolve((trap.address() as { port: number }).port));
    });
    const seen: string[] = [];
    const verdict = await judge(taskOf({ file, port }), (pid) => {
      seen.push(...(mode === 'strict' ? sharedNamespaces(pid) : []));
    });
    if (verdict.verdict !== 'valid') return verdict.message;
    const said = verdict.scores.map(({ score }) => String(score));
    const out = said.filter((one) => one !== 'held');
    if (tripped) out.push('a socket of this machine was reached');
    return out.length + seen.length === 0 ? null : [...out, ...seen].join(', ');
  } finally {
    await new Promise((resolve) => trap.close(resolve));
    await rm(dir, { recursive: true, force: true });
  }
};

/**
 * Namespaces that the process still shares with us, by the kernel, as soon as its number is known.
 * Tests check its filter and rights, which are set a moment later.
 */
const sharedNamespaces = (pid: number): readonly string[] =>
  ['net', 'pid', 'mnt', 'user', 'ipc', 'uts'].flatMap((space) => {
    const name = (of: string): string => readlinkSync(`/proc/${of}/ns/${space}`);
    try {
      return name(String(pid)) === name('self') ? [`it shares the ${space} namespace`] : [];
    } catch {
      // Unreadable: the process belongs to another account, and we are not root.
      return [];
    }
  });

const taskOf = (traps: { readonly file: string; readonly port: number }): SandboxTask => ({
  source: hostileScorer.replace('TRAPS', JSON.stringify(traps)),
  scoreType: 'str',
  nodeTypes: ['llm'],
  steps: probes.map((_, index) => stepOf(index)),
  keepGoing: false,
});

const probes = ['environment', 'file', 'network', 'program', 'write'] as const;

const hostileScorer = `
import json, os
from pyodide.code import run_js

traps = json.loads('TRAPS')
module = "globalThis.process.getBuiltinModule"

def environment():
    return len(run_js("Object.keys(Deno.env.toObject())")) > 0

def file():
    return len(run_js(f"{module}('node:fs').readFileSync('{traps['file']}', 'utf8')")) > 0

def network():
    # The answer comes too late for us to see, but not for the listener.
    run_js(f"{module}('node:net').connect({traps['port']}, '127.0.0.1').on('error', () => null)")
    import socket
    socket.create_connection(("127.0.0.1", traps["port"]), 1)
    return False

def program():
    run_js(f"{module}('node:child_process').execFileSync('/bin/sh', ['-c', 'true'])")
    return True

def write():
    run_js(f"{module}('node:fs').writeFileSync('{traps['file']}', 'overwritten')")
    return True

def scorer_fn(*, index, **kwargs) -> str:
    probe = [environment, file, network, program, write][index]
    try:
        return f"{probe.__name__} was reached" if probe() else "held"
    except BaseException:
        return "held"
`;

const stepOf = (index: number): ScorerStep => ({
  index,
  id: String(index),
  node_type: null,
  name: '',
  input: '',
  output: '',
  tags: [],
  user_metadata: {},
  metrics: {},
  dataset_input: null,
  dataset_output: null,
  dataset_metadata: null,
  dataset_variables: {},
  required_scores: {},
  tools: null,
  more: {},
  spans: null,
});
