import { expect } from 'chai';
import { Fault } from '../../kernel/fault.js';
import { isDiskError } from '../../kernel/disk-errors.js';
import { allTracesScope } from '../../kernel/records/query-plans.js';
import type { Records } from '../../kernel/records/records.js';
import { temporaryFolder } from '../support/folder.js';
import { fastClock } from '../support/fast-clock.js';
import { traceLoggedEvent } from '../support/trace-logged-event.js';
import { projectorIn } from '../support/projector.js';
import { projectId, traceStream } from '../support/random-trace-logs.js';
import { pollUntil } from '../support/poll-until.js';

/** DuckDB's error for a full disk, through the port. */
const noRoom = (): Fault =>
  new Fault('unavailable', 'The records cannot be read or written now', {
    cause: new Error(
      'Failed to commit: Could not write file "records.wal": No space left on device',
    ),
  });

describe('a read model whose disk is full', () => {
  it('parks nothing, though an empty batch fits, and catches up once there is room', async () => {
    const folder = await temporaryFolder();
    const disk = { isFull: true, refused: 0 };
    const records = (found: Records): Records => ({
      ...found,
      apply: async (writes, checkpoint) => {
        if (disk.isFull && writes.groups.length > 0) {
          disk.refused += 1;
          throw noRoom();
        }
        return found.apply(writes, checkpoint);
      },
    });
    const open = await projectorIn({ dir: folder.dir, records, clock: fastClock() });
    const batch = [1, 2, 3].map((number) => ({
      stream: traceStream(number),
      expected: 'none' as const,
      events: [traceLoggedEvent(number)],
    }));
    await open.log.append(batch);
    await pollUntil('it was refused again and again', 30_000, async () => disk.refused >= 12);
    expect(await open.projector.parked()).to.deep.equal([]);
    const [stalled] = (await open.projector.status()).map((one) => one.stalled);
    expect(stalled).to.include('No space left on device');
    disk.isFull = false;
    const counted = () => open.records.count(allTracesScope(projectId));
    await pollUntil('all is there', 30_000, async () => (await counted()) === 3);
    await open.close();
    await folder.remove();
  });

  it('is recognised by the errors of engines and operating systems', () => {
    const coded = (code: string): Error => Object.assign(new Error('no'), { code });
    for (const code of ['ENOSPC', 'EDQUOT', 'SQLITE_FULL', 'SQLITE_IOERR_WRITE'])
      expect(isDiskError(new Fault('unavailable', 'no', { cause: coded(code) })), code).to.equal(
        true,
      );
    expect(isDiskError(noRoom())).to.equal(true);
    for (const other of [
      coded('EPIPE'),
      new Error('Out of Memory'),
      new TypeError('no uuid'),
      null,
    ])
      expect(isDiskError(other)).to.equal(false);
  });
});
