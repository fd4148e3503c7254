import { expect } from 'chai';
import { cp, readdir } from 'node:fs/promises';
import type { Confinement } from '../../engines/sandbox/confinement.js';
import type { Sandbox } from '../../kernel/sandbox.js';
import {
  appFolder,
  sandboxOf,
  scoresOf,
  stepsOf,
  taskOf,
  type TestMode,
} from '../support/sandboxes.js';
import { temporaryFolder } from '../support/folder.js';
import { layTripwires, type Tripwires } from '../support/tripwires.js';
import { escapes, crashingEscapes, scorerOf } from './escape-attempts.js';

const modes: readonly TestMode[] = ['strict', 'deno'];

for (const mode of modes) {
  describe(`a hostile scorer in the sandbox, ${mode}`, () => {
    let sandbox: Sandbox;
    let wires: Tripwires;

    before(async () => {
      // All powerful things under their names, and so much memory that it can have threads and wait
      // for answers: only the walls hold it. Time beyond the default is for a busy machine.
      const limits = { memoryBytes: 1_024 * 1_024 * 1_024, wallMs: 120_000 };
      sandbox = sandboxOf(mode, limits, { bare: true });
      const state = await sandbox.ready();
      expect(state.mode, state.detail).to.equal(mode);
      wires = await layTripwires(await appFolder(mode));
    });
    after(async () => {
      await sandbox.close();
      await wires.remove();
    });

    it(`escapes by not one of ${Object.keys(escapes).length} ways`, async () => {
      const names = Object.keys(escapes);
      expect(names.length).to.be.at.least(60);
      const verdict = await sandbox.run(
        taskOf(scorerOf(escapes, wires.traps), { steps: stepsOf(names.length + 1) }),
      );
      if (verdict.verdict !== 'valid') throw new Error(JSON.stringify(verdict));
      const said = verdict.scores.map(({ score }) => String(score));
      const out = names.filter(
        (_, at) => said[at]?.includes(wires.canary) || said[at] === 'ESCAPED',
      );
      expect(out, 'got out').to.deep.equal([]);
      expect(said.at(-1), 'the workers had their time').to.equal('waited');
      expect(await wires.triggered()).to.deep.equal([]);
    });

    it(`harms no process in ${Object.keys(crashingEscapes).length} rough ways`, async () => {
      const verdicts = await Promise.all(
        Object.entries(crashingEscapes).map(([name, way]) =>
          sandbox.run(taskOf(scorerOf({ [name]: way }, wires.traps))),
        ),
      );
      const said = verdicts.map((one) =>
        one.verdict === 'valid' ? String(one.scores[0]?.score) : one.message,
      );
      expect(said.filter((one) => one === 'ESCAPED' || one.includes(wires.canary))).to.be.empty;
      expect(verdicts.map(({ verdict }) => verdict)).not.to.include('unavailable');
      expect(await wires.triggered()).to.deep.equal([]);
    });
  });
}

describe('the walls one by one', () => {
  const names = Object.keys(escapes);
  /** Confinement with all of deno's permissions. */
  const freely = (confinement: Confinement): Confinement => ({
    ...confinement,
    args: confinement.args
      .filter((one) => !one.startsWith('--deny-'))
      .map((one) => (one.startsWith('--allow-read') ? '--allow-all' : one)),
  });
  /** Confinement under the account of the tests, with its environment. */
  const unlimited = (one: Confinement): Partial<Confinement> => ({
    command: freely(one).args.find((arg) => arg.endsWith('/deno')) ?? '',
    args: freely(one).args.slice(one.args.findIndex((arg) => arg.endsWith('/deno')) + 1),
    environment: { ...one.environment, ASSAY_TEST_CANARY: process.env['ASSAY_TEST_CANARY'] ?? '' },
    uid: null,
  });
  const outOf = async (wires: Tripwires, said: readonly string[]): Promise<readonly string[]> =>
    names.filter((_, at) => said[at]?.includes(wires.canary) === true || said[at] === 'ESCAPED');

  it('bubblewrap and the filter hold what deno would let through', async () => {
    const wires = await layTripwires('/app');
    try {
      const task = taskOf(scorerOf(escapes, wires.traps), { steps: stepsOf(names.length + 1) });
      const said = await scoresOf(task, freely, 'strict');
      // These ask for what deno gives, and reach nothing with it.
      const harmless = ['Deno.dlopen', 'permissions asked for'];
      const out = (await outOf(wires, said)).filter((name) => !harmless.includes(name));
      expect(out, JSON.stringify(said)).to.deep.equal([]);
      expect(await wires.triggered()).to.deep.equal([]);
    } finally {
      await wires.remove();
    }
  });

  it('the same ways escape without walls, and the tripwires report them', async () => {
    // A copy: what is left in an image is not what was made, and would be made anew under others.
    const copy = await temporaryFolder();
    const app = await appFolder('deno');
    const made = await readdir(app);
    await cp(app, copy.dir, { recursive: true });
    const wires = await layTripwires(copy.dir);
    // These would leave something behind, or wait for what never comes.
    const spared = [
      'write into the interpreter',
      'write to /tmp',
      'write to /dev/shm',
      'a package from the network',
    ];
    const safe = Object.fromEntries(
      Object.entries(escapes).map(([name, way]) => [
        name,
        spared.includes(name) ? "return 'spared'" : way,
      ]),
    );
    try {
      const task = taskOf(scorerOf(safe, wires.traps), { steps: stepsOf(names.length + 1) });
      const said = await scoresOf(task, (one) => ({ ...freely(one), ...unlimited(one) }), 'deno');
      expect((await outOf(wires, said)).length, JSON.stringify(said)).to.be.at.least(30);
      expect(await wires.triggered()).to.include.members([
        'tcp',
        'udp',
        'unix socket',
        'a sibling died',
      ]);
      expect(await readdir(app)).to.deep.equal(made);
    } finally {
      await wires.remove();
      await copy.remove();
    }
  });
});
