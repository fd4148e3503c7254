import { expect } from 'chai';
import { start } from '../../kernel/ports.js';
import type { Collection, Document, Documents } from '../../kernel/documents.js';
import { documentAskersSuite } from './document-askers.js';
import { documentCopySuite } from './document-copies.js';
import { documentQuerySuite } from './document-queries.js';
import { at, dumped, faultOf, keysOf, mark, thing, things, writesOf } from './things.js';

/**
 * Documents on an empty store. `reader` opens it once more, for reading only, as another thread
 * does; `reopen` closes all and opens what they left; `close` also removes it.
 */
type OpenDocuments = () => Promise<{
  readonly documents: Documents;
  readonly reader: () => Promise<Documents>;
  readonly reopen: () => Promise<Documents>;
  readonly close: () => Promise<void>;
}>;

/** What every engine of the port Documents keeps. */
export const documentsSuite = (name: string, open: OpenDocuments): void => {
  describe(`documents on ${name}`, function () {
    this.timeout(60_000);
    let opened: Awaited<ReturnType<OpenDocuments>>;
    let documents: Documents;
    beforeEach(async () => {
      opened = await open();
      ({ documents } = opened);
    });
    afterEach(() => opened.close());

    keepingSuite(
      () => documents,
      async () => {
        documents = await opened.reopen();
      },
    );
    markSuite(() => documents);
    nameSuite(() => documents);
    documentCopySuite(
      () => documents,
      () => opened.reader(),
      async () => {
        documents = await opened.reopen();
      },
    );
    readerSuite(
      () => documents,
      () => opened.reader(),
    );
    documentQuerySuite(() => documents);
    documentAskersSuite(
      () => documents,
      () => opened.reader(),
    );
  });
};

const keepingSuite = (documents: () => Documents, reopen: () => Promise<void>): void => {
  describe('a collection', () => {
    it('that was never written is empty', async () => {
      expect(await documents().checkpoint(things)).to.equal(start);
      expect(await documents().get(things, 'a')).to.equal(null);
      expect((await documents().load(things, ['a'])).size).to.equal(0);
      const query = { scope: 'here', limit: 10 };
      expect(await documents().find(things, query)).to.deep.equal({ documents: [], more: false });
      expect(await dumped(documents(), things)).to.deep.equal([]);
    });

    it('is unavailable once it is closed', async () => {
      await documents().apply(things, writesOf(thing('a')), mark(1));
      await documents().close();
      const asked = [
        documents().checkpoint(things),
        documents().get(things, 'a'),
        documents().load(things, ['a']),
        documents().find(things, { scope: 'here', limit: 10 }),
      ];
      for (const one of asked) expect(await faultOf(one)).to.equal('unavailable');
    });

    it('gives back what was put, replaces it and forgets it', async () => {
      const [first, second] = [thing('a', { deep: [1, null, 'é'] }, { size: 1.5 }), thing('b')];
      await documents().apply(things, writesOf(first, second), mark(1));
      expect(await documents().get(things, 'a')).to.deep.equal(first);
      const later = thing('a', null, { name: 'new', is_red: false });
      await documents().apply(
        things,
        [...writesOf(later), { key: 'b', document: null }, { key: 'never', document: null }],
        mark(2),
      );
      expect(await documents().get(things, 'a')).to.deep.equal(later);
      expect(await documents().get(things, 'b')).to.equal(null);
    });

    it('loads many keys at once, those that are there', async () => {
      const put = Array.from({ length: 1_500 }, (_, index) => thing(`key ${index}`, index));
      await documents().apply(things, writesOf(...put), mark(1));
      const keys = [...put.map(({ key }) => key), 'absent'];
      const loaded = await documents().load(things, keys);
      expect(keys.map((key) => loaded.get(key))).to.deep.equal([...put, undefined]);
      expect((await documents().load(things, [])).size).to.equal(0);
    });

    it('keeps the last of several writes to a key', async () => {
      const writes = [...writesOf(thing('a', 1)), { key: 'a', document: null }];
      await documents().apply(things, [...writes, ...writesOf(thing('a', 2))], mark(1));
      expect((await documents().get(things, 'a'))?.body).to.equal(2);
    });

    it('removes all documents of a scope at once, but not what is written with that', async () => {
      const many = Array.from({ length: 1_200 }, (_, index) => thing(`key ${index}`, index));
      const other = { ...thing('other'), scope: 'there' };
      await documents().apply(things, writesOf(...many, other), mark(1));
      await documents().apply(things, writesOf(thing('new'), thing('key 7', 'kept')), mark(2), [
        'here',
        'nowhere',
      ]);
      expect(await keysOf(documents())).to.deep.equal(['key 7', 'new', 'other']);
      expect((await documents().get(things, 'key 7'))?.body).to.equal('kept');
    });

    it('is there after a restart, with its checkpoint', async () => {
      await documents().apply(things, writesOf(thing('a')), mark(7));
      await reopen();
      expect(await documents().checkpoint(things)).to.equal(at(7));
      expect(await documents().get(things, 'a')).to.deep.equal(thing('a'));
    });

    it('dumps all by key in code point order, however many', async () => {
      const keys = ['', '\u0000', '0', 'A', 'a', 'é', '\uffff', '😀'];
      const many = Array.from(
        { length: 2_100 },
        (_, index) => `k${String(index).padStart(4, '0')}`,
      );
      const put = [...keys, ...many].map((key) => thing(key, { key }));
      await documents().apply(things, writesOf(...put.toReversed()), mark(1));
      const items = await dumped(documents(), things);
      expect(items.map(({ key }) => key)).to.deep.equal([
        ...keys.slice(0, 5),
        ...many,
        ...keys.slice(5),
      ]);
      const { key, ...value } = thing('é', { key: 'é' });
      expect(items.find((item) => item.key === key)?.value).to.deep.equal(value);
    });
  });
};

const markSuite = (documents: () => Documents): void => {
  describe('a checkpoint', () => {
    it('moves forward, even without writes', async () => {
      await documents().apply(things, writesOf(thing('a')), mark(3));
      await documents().apply(things, [], mark(9));
      expect(await documents().checkpoint(things)).to.equal(at(9));
      expect(await keysOf(documents())).to.deep.equal(['a']);
    });

    it('without writes moves with those of others, each under its own fence', async () => {
      const all = ['one', 'two', 'three'].map((name) => ({ ...things, name }));
      const apply = (place: number, fence: number) =>
        Promise.all(
          all.map((collection) => faultOf(documents().apply(collection, [], mark(place, fence)))),
        );
      for (const [index, collection] of all.entries()) {
        await documents().apply(collection, writesOf(thing('a')), mark(3 + index));
      }
      const none = all.map(() => 'no fault');
      expect(await apply(4, 1)).to.deep.equal(none);
      const places = await Promise.all(all.map((one) => documents().checkpoint(one)));
      expect(places).to.deep.equal([at(4), at(4), at(5)]);
      await documents().apply(all[1] ?? things, writesOf(thing('b')), mark(6, 2));
      expect(await apply(7, 1)).to.deep.equal(['no fault', 'conflict', 'no fault']);
      expect(await apply(8, 2)).to.deep.equal(none);
      expect(await apply(9, 1)).to.deep.equal(all.map(() => 'conflict'));
      for (const [index, one] of all.entries()) {
        expect(await documents().checkpoint(one)).to.equal(at(8));
        expect(await keysOf(documents(), one)).to.deep.equal(index === 1 ? ['a', 'b'] : ['a']);
      }
    });

    it('that was already passed changes nothing', async () => {
      await documents().apply(things, writesOf(thing('a', 'first')), mark(5));
      for (const place of [5, 4, 0]) {
        await documents().apply(things, writesOf(thing('a', 'again'), thing('b')), mark(place));
      }
      expect(await documents().checkpoint(things)).to.equal(at(5));
      expect(await dumped(documents(), things)).to.have.length(1);
      expect((await documents().get(things, 'a'))?.body).to.equal('first');
    });

    it('under a newer fence is applied at or after the last one, but not before it', async () => {
      await documents().apply(things, writesOf(thing('a')), mark(5, 1));
      await documents().apply(things, writesOf(thing('b')), mark(5, 2));
      await documents().apply(things, writesOf(thing('c')), mark(4, 3));
      expect(await keysOf(documents())).to.deep.equal(['a', 'b']);
      const late = documents().apply(things, writesOf(thing('d')), mark(9, 1));
      expect(await faultOf(late)).to.equal('conflict');
    });

    it('under an older fence is refused, wherever it stands', async () => {
      await documents().apply(things, writesOf(thing('a')), mark(5, 2));
      for (const place of [5, 6]) {
        const late = documents().apply(things, writesOf(thing('b')), mark(place, 1));
        expect(await faultOf(late)).to.equal('conflict');
      }
      await documents().apply(things, writesOf(thing('c')), mark(6, 2));
      await documents().apply(things, writesOf(thing('d')), mark(7, 3));
      expect(await keysOf(documents())).to.deep.equal(['a', 'c', 'd']);
    });

    it('is refused where the store is not where the batch was folded', async () => {
      const onto = (after: number, place: number, fence: number, writes = true) =>
        faultOf(
          documents().apply(things, writes ? writesOf(thing(`at ${place}`)) : [], {
            ...mark(place, fence),
            after: at(after),
          }),
        );
      expect(await onto(3, 5, 1)).to.equal('conflict');
      expect(await onto(0, 5, 1)).to.equal('no fault');
      expect(await onto(3, 6, 1)).to.equal('conflict');
      expect(await onto(0, 5, 1)).to.equal('conflict');
      // The last batch of who was replaced came after the next one had folded.
      expect(await onto(5, 7, 1)).to.equal('no fault');
      for (const writes of [true, false]) {
        expect(await onto(5, 6, 2, writes)).to.equal('conflict');
        expect(await onto(5, 7, 2, writes)).to.equal('conflict');
        expect(await onto(5, 8, 2, writes)).to.equal('conflict');
      }
      expect(await onto(7, 8, 2, false)).to.equal('no fault');
      expect(await onto(7, 9, 2, false)).to.equal('conflict');
      expect(await onto(8, 9, 2)).to.equal('no fault');
      expect(await documents().checkpoint(things)).to.equal(at(9));
      expect(await keysOf(documents())).to.deep.equal(['at 5', 'at 7', 'at 9']);
    });

    it('and its writes are one step: a write that cannot be done leaves nothing', async () => {
      const impossible = thing('b', { size: 1n });
      const half = documents().apply(things, writesOf(thing('a'), impossible), mark(1));
      expect(await faultOf(half)).to.match(/^no Fault: TypeError/);
      expect(await documents().checkpoint(things)).to.equal(start);
      expect(await keysOf(documents())).to.deep.equal([]);
    });
  });
};

const awkward = [
  '',
  '__proto__',
  'constructor',
  `a"b'c\`d`,
  'x; DROP TABLE y--',
  'n\u0000l',
  '😀',
  '%',
];

const nameSuite = (documents: () => Documents): void => {
  describe('names', () => {
    it('of collections and their versions keep them apart', async () => {
      const all = awkward.flatMap((name) =>
        [1, 2].map((version) => ({ ...things, name, version })),
      );
      for (const [index, collection] of all.entries()) {
        await documents().apply(collection, writesOf(thing('a', index)), mark(index + 1));
      }
      for (const [index, collection] of all.entries()) {
        expect((await documents().get(collection, 'a'))?.body).to.equal(index);
        expect(await documents().checkpoint(collection)).to.equal(at(index + 1));
      }
    });

    it('of fields may be anything and differ by case only', async () => {
      const names = [...awkward, 'Name', 'name', 'NAME'];
      const fields = Object.fromEntries(names.map((name) => [name, 'text'] as const));
      const collection: Collection = { name: 'odd', version: 1, fields };
      const document: Document = {
        key: 'a',
        scope: 'here',
        fields: Object.fromEntries(names.map((name) => [name, `value of ${name}`])),
        body: null,
      };
      await documents().apply(collection, writesOf(document), mark(1));
      expect(await documents().get(collection, 'a')).to.deep.equal(document);
      for (const column of names) {
        const filter = {
          kind: 'text',
          column,
          operator: 'eq',
          values: [`VALUE OF ${column}`],
          caseSensitive: false,
        } as const;
        const query = { scope: 'here', limit: 1, filter, sort: { column, ascending: true } };
        expect((await documents().find(collection, query)).documents).to.deep.equal([document]);
      }
    });

    it('of keys and scopes may be any text', async () => {
      const put = awkward.map((key) => ({ ...thing(key), scope: key }));
      await documents().apply(things, writesOf(...put), mark(1));
      for (const document of put) {
        expect(await documents().get(things, document.key)).to.deep.equal(document);
        const found = await documents().find(things, { scope: document.scope, limit: 10 });
        expect(found.documents).to.deep.equal([document]);
      }
      expect((await documents().load(things, awkward)).size).to.equal(awkward.length);
    });

    it('of fields that nobody declared are refused in filters and sorts', async () => {
      await documents().apply(things, writesOf(thing('a')), mark(1));
      const sort = { column: 'body', ascending: true };
      const sorted = documents().find(things, { scope: 'here', limit: 1, sort });
      expect(await faultOf(sorted)).to.equal('invalid');
    });
  });
};

const readerSuite = (documents: () => Documents, openReader: () => Promise<Documents>): void => {
  describe('a reader', () => {
    it('sees what is committed, from before there is anything', async () => {
      const reader = await openReader();
      const fresh: Collection = { ...things, name: 'fresh' };
      expect(await reader.get(fresh, 'a')).to.equal(null);
      await documents().apply(fresh, writesOf(thing('a')), mark(1));
      expect(await reader.get(fresh, 'a')).to.deep.equal(thing('a'));
      expect(await reader.checkpoint(fresh)).to.equal(at(1));
      await reader.close();
    });

    it('sees each commit at once, however often it looked before', async () => {
      const reader = await openReader();
      const where = { scope: 'here', limit: 9 };
      for (const [count, looks] of [1, 2, 3, 1, 2, 3].entries()) {
        for (let look = 0; look < looks; look += 1) {
          const { documents: found } = await reader.find(things, where);
          expect(found).to.have.length(count);
          expect(await reader.checkpoint(things)).to.equal(at(2 * count));
        }
        await documents().apply(things, writesOf(thing(`key-${count}`)), mark(2 * count + 1));
        // Nothing of it changes, but how far it is does.
        await documents().apply(things, [], mark(2 * count + 2));
        expect(await reader.get(things, `key-${count}`)).to.deep.equal(thing(`key-${count}`));
      }
      await reader.close();
    });
  });
};
