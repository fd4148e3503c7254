import { expect } from 'chai';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { storeFindings } from '../../cli/doctor/stores.js';
import { failureMessage } from '../../cli/failure.js';
import { readConfig } from '../../config.js';
import { openBus } from '../../engines/memory/bus.js';
import { openDatabase } from '../../engines/sqlite/database.js';
import { openEventLog } from '../../engines/sqlite/event-log.js';
import { appendOne } from '../suites/event-log.js';
import { temporaryFolder } from '../support/folder.js';
import { appendOf, newEvent, newStream } from '../support/new-events.js';

describe('the stores of the doctor', () => {
  it('give the advice of a start for a folder in the place of documents.sqlite', async () => {
    const { dir, remove } = await temporaryFolder();
    const bus = openBus(dir);
    const log = await openEventLog({ dir, bus });
    await appendOne(log, appendOf(newStream(), 'none', newEvent()));
    await log.close();
    await bus.close();
    const file = join(dir, 'documents.sqlite');
    await mkdir(file);
    const config = readConfig({ ASSAY_DATA_DIR: dir });
    const findings = await storeFindings(config, false, () => undefined);
    const documents = findings.find(({ check }) => check === 'documents');
    const start = ((): string | undefined => {
      try {
        openDatabase(file).close();
        return undefined;
      } catch (error) {
        return failureMessage(error, dir);
      }
    })();
    expect(documents).to.include({ state: 'bad', to_do: 'move it away' });
    expect(start).to.include(`${documents?.found}: ${documents?.to_do}`);
    await remove();
  });
});
