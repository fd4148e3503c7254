import { expect } from 'chai';
import { start } from '../../kernel/ports.js';
import type { Collection, Documents } from '../../kernel/documents.js';
import { at, faultOf, keysOf, mark, thing, things, writesOf } from './things.js';

/** Copies that are built next to a live collection. */
export const documentCopySuite = (
  documents: () => Documents,
  openReader: () => Promise<Documents>,
  reopen: () => Promise<void>,
): void => {
  besideSuite(documents, openReader);
  lastingSuite(documents, reopen);
};

const besideSuite = (documents: () => Documents, openReader: () => Promise<Documents>): void => {
  describe('a copy next to the live collection', () => {
    beforeEach(() => documents().apply(things, writesOf(thing('old')), mark(5)));

    it('begins empty and stays out of sight while it is built', async () => {
      const { model } = await documents().shadow(things);
      expect(await model.checkpoint(things)).to.equal(start);
      await model.apply(things, writesOf(thing('new', 1)), mark(2));
      expect(await model.checkpoint(things)).to.equal(at(2));
      expect(await keysOf(model)).to.deep.equal(['new']);
      expect(await keysOf(documents())).to.deep.equal(['old']);
      expect(await documents().checkpoint(things)).to.equal(at(5));
    });

    it('takes the place of the live one, checkpoint and all, once promoted', async () => {
      const reader = await openReader();
      expect(await keysOf(reader)).to.deep.equal(['old']);
      const copy = await documents().shadow(things);
      await copy.model.apply(things, writesOf(thing('new')), mark(4));
      await copy.promote();
      for (const one of [documents(), reader]) {
        expect(await keysOf(one)).to.deep.equal(['new']);
        expect(await one.checkpoint(things)).to.equal(at(4));
      }
      await documents().apply(things, writesOf(thing('newer')), mark(5));
      expect(await keysOf(reader)).to.deep.equal(['new', 'newer']);
      await reader.close();
    });

    it('stays the live one, whatever is said of the copy later', async () => {
      for (const lasting of [false, true]) {
        const copy = await documents().shadow(things, { lasting });
        await copy.model.apply(things, writesOf(thing('new')), mark(4));
        await copy.promote();
        await copy.leave();
        await copy.discard();
        expect(await keysOf(documents())).to.deep.equal(['new']);
        await documents().apply(things, writesOf(thing('newer')), mark(6));
        expect(await keysOf(documents())).to.deep.equal(['new', 'newer']);
      }
    });

    it('leaves no trace once discarded', async () => {
      const copy = await documents().shadow(things);
      await copy.model.apply(things, writesOf(thing('new')), mark(9));
      await copy.discard();
      expect(await keysOf(documents())).to.deep.equal(['old']);
      expect(await documents().checkpoint(things)).to.equal(at(5));
    });

    it('may be one of several, of existing collections or new ones', async () => {
      const other: Collection = { ...things, version: 2 };
      const [one, two, three] = [
        await documents().shadow(things),
        await documents().shadow(things),
        await documents().shadow(other),
      ];
      await one.model.apply(things, writesOf(thing('one')), mark(1));
      await two.model.apply(things, writesOf(thing('two')), mark(1));
      await three.model.apply(other, writesOf(thing('three')), mark(1));
      expect(await keysOf(one.model)).to.deep.equal(['one']);
      await one.discard();
      await two.promote();
      await three.promote();
      expect(await keysOf(documents())).to.deep.equal(['two']);
      expect(await keysOf(documents(), other)).to.deep.equal(['three']);
    });

    it('is read and written like any collection', async () => {
      const { model } = await documents().shadow(things);
      await model.apply(things, writesOf(thing('a', 1), thing('b', 2)), mark(1));
      await model.apply(things, [{ key: 'a', document: null }], mark(2));
      expect((await model.get(things, 'b'))?.body).to.equal(2);
      expect([...(await model.load(things, ['a', 'b'])).keys()]).to.deep.equal(['b']);
      const { documents: found } = await model.find(things, { scope: 'here', limit: 5 });
      expect(found.map(({ key }) => key)).to.deep.equal(['b']);
      expect(await faultOf(model.apply(things, [], mark(3, 0)))).to.equal('conflict');
    });
  });
};

const lastingSuite = (documents: () => Documents, reopen: () => Promise<void>): void => {
  describe('a lasting copy next to the live collection', () => {
    beforeEach(() => documents().apply(things, writesOf(thing('old')), mark(5)));
    const resumed = async (id: string) => {
      const copy = await documents().resume(things, id);
      if (copy === null) throw new Error('the copy is gone');
      return copy;
    };

    it('goes on where it was after a restart, and takes the place of the live one', async () => {
      const begun = await documents().shadow(things, { lasting: true });
      const { id } = begun;
      await begun.model.apply(things, writesOf(thing('one')), mark(2));
      await begun.leave();
      for (const place of [3, 4]) {
        await reopen();
        const copy = await resumed(id);
        expect(copy.id).to.equal(id);
        expect(await copy.model.checkpoint(things)).to.equal(at(place - 1));
        await copy.model.apply(things, writesOf(thing(`${place}`)), mark(place));
        expect(await keysOf(documents())).to.deep.equal(['old']);
        await copy.leave();
      }
      await (await resumed(id)).promote();
      await reopen();
      expect(await keysOf(documents())).to.deep.equal(['3', '4', 'one']);
      expect(await documents().resume(things, id)).to.equal(null);
      await documents().apply(things, writesOf(thing('5')), mark(5));
    });

    it('may be resumed before anything was written to it', async () => {
      const begun = await documents().shadow(things, { lasting: true });
      const { id } = begun;
      await begun.leave();
      await reopen();
      const copy = await resumed(id);
      expect(await copy.model.checkpoint(things)).to.equal(start);
      await copy.discard();
    });

    it('is gone once discarded, for other versions, and under other names', async () => {
      const begun = await documents().shadow(things, { lasting: true });
      const { id } = begun;
      await begun.leave();
      for (const other of [
        { ...things, version: 2 },
        { ...things, name: 'others' },
      ]) {
        expect(await documents().resume(other, id)).to.equal(null);
      }
      expect(await documents().resume(things, `${id}0`)).to.equal(null);
      await (await resumed(id)).discard();
      expect(await documents().resume(things, id)).to.equal(null);
      expect(await keysOf(documents())).to.deep.equal(['old']);
    });
  });
};
