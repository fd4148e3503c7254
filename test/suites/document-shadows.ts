import { expect } from 'chai';
import { logStart } from '../../kernel/ports.js';
import type { Collection, Documents } from '../../kernel/documents.js';
import {
  positionAt,
  faultOf,
  keysOf,
  checkpointAt,
  sampleDocument,
  sampleCollection,
  writesOf,
} from './sample-documents.js';

/** Copies that are built next to a live collection. */
export const documentShadowSuite = (
  documents: () => Documents,
  openReader: () => Promise<Documents>,
  reopen: () => Promise<void>,
): void => {
  shadowSuite(documents, openReader);
  resumableSuite(documents, reopen);
};

const shadowSuite = (documents: () => Documents, openReader: () => Promise<Documents>): void => {
  describe('a copy next to the live collection', () => {
    beforeEach(() =>
      documents().apply(sampleCollection, writesOf(sampleDocument('old')), checkpointAt(5)),
    );

    it('begins empty and stays invisible while it is built', async () => {
      const { model } = await documents().shadow(sampleCollection);
      expect(await model.checkpoint(sampleCollection)).to.equal(logStart);
      await model.apply(sampleCollection, writesOf(sampleDocument('new', 1)), checkpointAt(2));
      expect(await model.checkpoint(sampleCollection)).to.equal(positionAt(2));
      expect(await keysOf(model)).to.deep.equal(['new']);
      expect(await keysOf(documents())).to.deep.equal(['old']);
      expect(await documents().checkpoint(sampleCollection)).to.equal(positionAt(5));
    });

    it('replaces the live one, checkpoint included, once promoted', async () => {
      const reader = await openReader();
      expect(await keysOf(reader)).to.deep.equal(['old']);
      const copy = await documents().shadow(sampleCollection);
      await copy.model.apply(sampleCollection, writesOf(sampleDocument('new')), checkpointAt(4));
      await copy.promote();
      for (const one of [documents(), reader]) {
        expect(await keysOf(one)).to.deep.equal(['new']);
        expect(await one.checkpoint(sampleCollection)).to.equal(positionAt(4));
      }
      await documents().apply(sampleCollection, writesOf(sampleDocument('newer')), checkpointAt(5));
      expect(await keysOf(reader)).to.deep.equal(['new', 'newer']);
      await reader.close();
    });

    it('stays live after promotion, whatever is done to the copy later', async () => {
      for (const lasting of [false, true]) {
        const copy = await documents().shadow(sampleCollection, { durable: lasting });
        await copy.model.apply(sampleCollection, writesOf(sampleDocument('new')), checkpointAt(4));
        await copy.promote();
        await copy.detach();
        await copy.discard();
        expect(await keysOf(documents())).to.deep.equal(['new']);
        await documents().apply(
          sampleCollection,
          writesOf(sampleDocument('newer')),
          checkpointAt(6),
        );
        expect(await keysOf(documents())).to.deep.equal(['new', 'newer']);
      }
    });

    it('leaves no trace once discarded', async () => {
      const copy = await documents().shadow(sampleCollection);
      await copy.model.apply(sampleCollection, writesOf(sampleDocument('new')), checkpointAt(9));
      await copy.discard();
      expect(await keysOf(documents())).to.deep.equal(['old']);
      expect(await documents().checkpoint(sampleCollection)).to.equal(positionAt(5));
    });

    it('may be one of several, of existing collections or new ones', async () => {
      const other: Collection = { ...sampleCollection, version: 2 };
      const [one, two, three] = [
        await documents().shadow(sampleCollection),
        await documents().shadow(sampleCollection),
        await documents().shadow(other),
      ];
      await one.model.apply(sampleCollection, writesOf(sampleDocument('one')), checkpointAt(1));
      await two.model.apply(sampleCollection, writesOf(sampleDocument('two')), checkpointAt(1));
      await three.model.apply(other, writesOf(sampleDocument('three')), checkpointAt(1));
      expect(await keysOf(one.model)).to.deep.equal(['one']);
      await one.discard();
      await two.promote();
      await three.promote();
      expect(await keysOf(documents())).to.deep.equal(['two']);
      expect(await keysOf(documents(), other)).to.deep.equal(['three']);
    });

    it('is read and written like any collection', async () => {
      const { model } = await documents().shadow(sampleCollection);
      await model.apply(
        sampleCollection,
        writesOf(sampleDocument('a', 1), sampleDocument('b', 2)),
        checkpointAt(1),
      );
      await model.apply(sampleCollection, [{ key: 'a', document: null }], checkpointAt(2));
      expect((await model.get(sampleCollection, 'b'))?.body).to.equal(2);
      expect([...(await model.load(sampleCollection, ['a', 'b'])).keys()]).to.deep.equal(['b']);
      const { documents: found } = await model.find(sampleCollection, { scope: 'here', limit: 5 });
      expect(found.map(({ key }) => key)).to.deep.equal(['b']);
      expect(await faultOf(model.apply(sampleCollection, [], checkpointAt(3, 0)))).to.equal(
        'conflict',
      );
    });
  });
};

const resumableSuite = (documents: () => Documents, reopen: () => Promise<void>): void => {
  describe('a lasting copy next to the live collection', () => {
    beforeEach(() =>
      documents().apply(sampleCollection, writesOf(sampleDocument('old')), checkpointAt(5)),
    );
    const resumed = async (id: string) => {
      const copy = await documents().resume(sampleCollection, id);
      if (copy === null) throw new Error('the copy is gone');
      return copy;
    };

    it('resumes after a restart, and replaces the live one', async () => {
      const begun = await documents().shadow(sampleCollection, { durable: true });
      const { id } = begun;
      await begun.model.apply(sampleCollection, writesOf(sampleDocument('one')), checkpointAt(2));
      await begun.detach();
      for (const place of [3, 4]) {
        await reopen();
        const copy = await resumed(id);
        expect(copy.id).to.equal(id);
        expect(await copy.model.checkpoint(sampleCollection)).to.equal(positionAt(place - 1));
        await copy.model.apply(
          sampleCollection,
          writesOf(sampleDocument(`${place}`)),
          checkpointAt(place),
        );
        expect(await keysOf(documents())).to.deep.equal(['old']);
        await copy.detach();
      }
      await (await resumed(id)).promote();
      await reopen();
      expect(await keysOf(documents())).to.deep.equal(['3', '4', 'one']);
      expect(await documents().resume(sampleCollection, id)).to.equal(null);
      await documents().apply(sampleCollection, writesOf(sampleDocument('5')), checkpointAt(5));
    });

    it('may be resumed before anything was written to it', async () => {
      const begun = await documents().shadow(sampleCollection, { durable: true });
      const { id } = begun;
      await begun.detach();
      await reopen();
      const copy = await resumed(id);
      expect(await copy.model.checkpoint(sampleCollection)).to.equal(logStart);
      await copy.discard();
    });

    it('is dropped once discarded, for other versions, and under other names', async () => {
      const begun = await documents().shadow(sampleCollection, { durable: true });
      const { id } = begun;
      await begun.detach();
      for (const other of [
        { ...sampleCollection, version: 2 },
        { ...sampleCollection, name: 'others' },
      ]) {
        expect(await documents().resume(other, id)).to.equal(null);
      }
      expect(await documents().resume(sampleCollection, `${id}0`)).to.equal(null);
      await (await resumed(id)).discard();
      expect(await documents().resume(sampleCollection, id)).to.equal(null);
      expect(await keysOf(documents())).to.deep.equal(['old']);
    });
  });
};
