import { expect } from 'chai';
import { openBus } from '../../engines/memory/bus.js';
import { openEventLog } from '../../engines/sqlite/event-log.js';
import { temporaryFolder } from '../support/folder.js';
import { describeWithTool, strace } from '../support/required-tools.js';
import { acknowledgedOf, refusalsOf, startWriterProcess } from './writer-process.js';
import { readAllPages } from '../support/log-pages.js';

const small = { writers: 8, bytes: 1_000, appends: 300 };
/** Load so large that some appends wait for a later transaction when one fails. */
const large = { writers: 20, bytes: 900_000, appends: 80 };

/**
 * One system call fails, once, and all later ones work: going on would look as if nothing had
 * happened.
 */
const faults = [
  ['fsync,fdatasync', 20, small],
  ['fsync,fdatasync', 30, small],
  ['pwrite64', 100, small],
  ['pwrite64', 101, small],
  ['fsync,fdatasync', 12, large],
] as const;

const storedIn = async (dir: string): Promise<readonly string[]> => {
  const bus = openBus(dir);
  const log = await openEventLog({ dir, bus });
  const events = await readAllPages(log);
  await log.close();
  await bus.close();
  return events.map(({ id }) => id);
};

describeWithTool(strace, 'a disk that fails once', function () {
  for (const [calls, at, load] of faults) {
    it(`ends all acknowledgements at ${calls} ${at} (events of ${load.bytes})`, async () => {
      const { dir, remove } = await temporaryFolder();
      const failing = [
        'strace',
        '-f',
        '--seccomp-bpf',
        '-qq',
        '-o',
        '/dev/null',
        '-e',
        `trace=${calls}`,
      ];
      const inject = ['-e', `inject=${calls}:error=EIO:when=${at}`];
      const writing = startWriterProcess([...failing, ...inject], { dir, ...load });
      expect(await writing.ended).to.equal(0);
      const first = writing.said.findIndex((one) => 'refused' in one);
      expect(first, 'a refusal').to.be.greaterThan(0);
      expect(acknowledgedOf(writing.said.slice(first))).to.deep.equal([]);
      for (const refusal of refusalsOf(writing.said)) {
        expect(refusal).to.include({ code: 'unavailable', writable: false, fatal: true });
        expect(refusal.cause).to.match(/SQLITE_IOERR/);
      }
      const stored = await storedIn(dir);
      const acknowledged = acknowledgedOf(writing.said);
      expect(acknowledged).not.to.deep.equal([]);
      expect(stored).to.include.members([...acknowledged]);
      expect(new Set(stored).size).to.equal(stored.length);
      await remove();
    });
  }
});
