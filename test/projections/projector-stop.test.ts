import { readdir } from 'node:fs/promises';
import { expect } from 'chai';
import { Fault } from '../../kernel/fault.js';
import { streamNameOf } from '../../kernel/ports.js';
import { temporaryFolder } from '../support/folder.js';
import { append, newEvent, projectorIn } from '../support/projector.js';

const said = (word: string) => newEvent('Said', { word });

describe('a projector that is stopped', () => {
  for (const [work, left] of [
    ['rebuild', 1],
    ['verify', 0],
  ] as const) {
    it(`gives up to ${work}, and leaves ${left} copies to go on with`, async () => {
      const folder = await temporaryFolder();
      const open = await projectorIn({ dir: folder.dir });
      const room = streamNameOf('room', 'a');
      await append(open.log, room, 0, said('first'));
      // More than one page of the log.
      const events = Array.from({ length: 1_100 }, (_, number) => said(`${number}`));
      await open.log.append([{ stream: room, expected: 0, events }]);
      await open.untilCaughtUp();
      const isRecords = (file: string): boolean => file.startsWith('records-');
      const files = (await readdir(folder.dir)).filter(isRecords);
      const stops: Promise<void>[] = [];
      const refusal = await open.projector[work]('records', () => {
        stops.push(open.projector.stop());
      }).catch((error: unknown) => error);
      expect(refusal).to.be.instanceOf(Fault);
      expect(refusal).to.include({ code: 'unavailable', message: 'The service is stopping' });
      await Promise.all(stops);
      const now = (await readdir(folder.dir)).filter(isRecords);
      expect(now)
        .to.include.members(files)
        .and.to.have.length(files.length + left);
      const later = await open.projector[work]('records').catch((error: unknown) => error);
      expect(later).to.equal(refusal);
      await open.close();
      await folder.remove();
    });
  }
});
