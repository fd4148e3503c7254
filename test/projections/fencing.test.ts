import { expect } from 'chai';
import { openDocuments } from '../../engines/sqlite/documents.js';
import type { Documents } from '../../kernel/documents.js';
import { openParking } from '../../projections/parking.js';
import { faultOf } from '../suites/sample-documents.js';
import { temporaryFolder } from '../support/folder.js';
import { append, projectorIn } from '../support/projector.js';
import { wordStream, wordSaid, wordCounts } from '../support/word-projection.js';
import { pollUntil } from '../support/poll-until.js';

describe('a projector that was replaced by another', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  beforeEach(async () => {
    folder = await temporaryFolder();
  });
  afterEach(() => folder.remove());

  it('detects it, parks no stream and leaves the other one’s fence alone', async () => {
    let told = 0;
    const open = await projectorIn({
      dir: folder.dir,
      projections: [wordCounts],
      onReplaced: () => (told += 1),
    });
    try {
      await append(open.log, wordStream('a'), 0, wordSaid('one'));
      await open.untilCaughtUp();
      const other = await openParking(open.documents, []);
      const { collection } = wordCounts;
      const position = await open.documents.checkpoint(collection);
      const mark = { position, fence: other.fence(), after: position };
      await open.documents.apply(collection, [], mark);
      await append(open.log, wordStream('a'), 1, wordSaid('two'));
      // More often than an event is tried that a store refuses.
      await pollUntil('five refusals', 10_000, async () => told > 4);
      expect(await open.projector.parked()).to.deep.equal([]);
      expect(await other.isReplaced()).to.equal(false);
      expect((await open.documents.get(collection, wordStream('a')))?.body).to.equal(1);
    } finally {
      await open.close();
    }
  });

  describe('its fencing token', () => {
    let documents: Documents;
    beforeEach(async () => {
      documents = await openDocuments({ dir: folder.dir });
    });
    afterEach(() => documents.close());

    it('is never raised above the one of a later projector', async () => {
      const first = await openParking(documents, []);
      expect(await first.raiseFence()).to.equal(2);
      const second = await openParking(documents, []);
      expect([await first.isReplaced(), await second.isReplaced()]).to.deep.equal([true, false]);
      expect(await faultOf(first.raiseFence())).to.equal('conflict');
      expect(await faultOf(first.saveVersion('words', 1))).to.equal('conflict');
      expect(await second.raiseFence()).to.equal(4);
      expect((await openParking(documents, [])).version('words')).to.equal(null);
    });

    it('is unique, also when two projectors start at once', async () => {
      const both = await Promise.allSettled([
        openParking(documents, []),
        openParking(documents, []),
      ]);
      const fences = both.flatMap((one) => (one.status === 'fulfilled' ? [one.value.fence()] : []));
      expect(fences.length).to.be.greaterThan(0);
      expect(new Set(fences).size).to.equal(fences.length);
    });
  });
});
