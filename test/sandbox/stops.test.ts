import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { idleAwareClock } from '../support/idle-aware-clock.js';
import { runs } from '../support/runs.js';
import { sandboxOf, taskOf } from '../support/sandboxes.js';

/** An end by itself, or the last resort; one that waits for what is left behind takes longer. */
const mostMs = 5_000;

describe('a scorer that is stopped as it begins', () => {
  it('is gone at once, at whatever moment, and gives its place back', async () => {
    const sandbox = sandboxOf('strict');
    expect(await sandbox.ready()).to.have.property('mode', 'strict');
    const late: number[] = [];
    for (let at = 0; at < runs(30); at += 1) {
      const stopping = new AbortController();
      const waited = idleAwareClock();
      const verdict = sandbox.run(taskOf('while True: pass'), { signal: stopping.signal });
      // Bubblewrap says whom it confines after 2 ms or so.
      await pause(at % 6);
      stopping.abort();
      expect(await verdict).to.have.property('verdict', 'unavailable');
      if (waited() > mostMs) late.push(at);
    }
    expect(late).to.deep.equal([]);
    await sandbox.close();
  });
});
