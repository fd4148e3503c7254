import { expect } from 'chai';
import { logStart } from '../../kernel/ports.js';
import type { Collection, Document, Documents } from '../../kernel/documents.js';
import { documentCancellationSuite } from './document-cancellation.js';
import { documentShadowSuite } from './document-shadows.js';
import { documentQuerySuite } from './document-queries.js';
import {
  positionAt,
  dumpAll,
  faultOf,
  keysOf,
  checkpointAt,
  sampleDocument,
  sampleCollection,
  writesOf,
} from './sample-documents.js';

/**
 * Documents on an empty store. `reader` opens it once more, read-only, like another thread;
 * `reopen` closes all and opens the same store; `close` also removes it.
 */
type OpenDocuments = () => Promise<{
  readonly documents: Documents;
  readonly reader: () => Promise<Documents>;
  readonly reopen: () => Promise<Documents>;
  readonly close: () => Promise<void>;
}>;

/** Suite of the port Documents. */
export const documentsSuite = (name: string, open: OpenDocuments): void => {
  describe(`documents on ${name}`, function () {
    let opened: Awaited<ReturnType<OpenDocuments>>;
    let documents: Documents;
    beforeEach(async () => {
      opened = await open();
      ({ documents } = opened);
    });
    afterEach(() => opened.close());

    persistenceSuite(
      () => documents,
      async () => {
        documents = await opened.reopen();
      },
    );
    checkpointSuite(() => documents);
    nameSuite(() => documents);
    documentShadowSuite(
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
    documentCancellationSuite(
      () => documents,
      () => opened.reader(),
    );
  });
};

const persistenceSuite = (documents: () => Documents, reopen: () => Promise<void>): void => {
  describe('a collection', () => {
    it('is empty before the first write', async () => {
      expect(await documents().checkpoint(sampleCollection)).to.equal(logStart);
      expect(await documents().get(sampleCollection, 'a')).to.equal(null);
      expect((await documents().load(sampleCollection, ['a'])).size).to.equal(0);
      const query = { scope: 'here', limit: 10 };
      expect(await documents().find(sampleCollection, query)).to.deep.equal({
        documents: [],
        more: false,
      });
      expect(await dumpAll(documents(), sampleCollection)).to.deep.equal([]);
    });

    it('is unavailable once it is closed', async () => {
      await documents().apply(sampleCollection, writesOf(sampleDocument('a')), checkpointAt(1));
      await documents().close();
      const asked = [
        documents().checkpoint(sampleCollection),
        documents().get(sampleCollection, 'a'),
        documents().load(sampleCollection, ['a']),
        documents().find(sampleCollection, { scope: 'here', limit: 10 }),
      ];
      for (const one of asked) expect(await faultOf(one)).to.equal('unavailable');
    });

    it('returns, replaces and deletes documents', async () => {
      const [first, second] = [
        sampleDocument('a', { deep: [1, null, 'é'] }, { size: 1.5 }),
        sampleDocument('b'),
      ];
      await documents().apply(sampleCollection, writesOf(first, second), checkpointAt(1));
      expect(await documents().get(sampleCollection, 'a')).to.deep.equal(first);
      const later = sampleDocument('a', null, { name: 'new', is_red: false });
      await documents().apply(
        sampleCollection,
        [...writesOf(later), { key: 'b', document: null }, { key: 'never', document: null }],
        checkpointAt(2),
      );
      expect(await documents().get(sampleCollection, 'a')).to.deep.equal(later);
      expect(await documents().get(sampleCollection, 'b')).to.equal(null);
    });

    it('loads many keys at once, and returns those that exist', async () => {
      const put = Array.from({ length: 1_500 }, (_, index) =>
        sampleDocument(`key ${index}`, index),
      );
      await documents().apply(sampleCollection, writesOf(...put), checkpointAt(1));
      const keys = [...put.map(({ key }) => key), 'absent'];
      const loaded = await documents().load(sampleCollection, keys);
      expect(keys.map((key) => loaded.get(key))).to.deep.equal([...put, undefined]);
      expect((await documents().load(sampleCollection, [])).size).to.equal(0);
    });

    it('keeps the last of several writes to a key', async () => {
      const writes = [...writesOf(sampleDocument('a', 1)), { key: 'a', document: null }];
      await documents().apply(
        sampleCollection,
        [...writes, ...writesOf(sampleDocument('a', 2))],
        checkpointAt(1),
      );
      expect((await documents().get(sampleCollection, 'a'))?.body).to.equal(2);
    });

    it('removes all documents of a scope at once, but not what is written with that', async () => {
      const many = Array.from({ length: 1_200 }, (_, index) =>
        sampleDocument(`key ${index}`, index),
      );
      const other = { ...sampleDocument('other'), scope: 'there' };
      await documents().apply(sampleCollection, writesOf(...many, other), checkpointAt(1));
      await documents().apply(
        sampleCollection,
        writesOf(sampleDocument('new'), sampleDocument('key 7', 'kept')),
        checkpointAt(2),
        ['here', 'nowhere'],
      );
      expect(await keysOf(documents())).to.deep.equal(['key 7', 'new', 'other']);
      expect((await documents().get(sampleCollection, 'key 7'))?.body).to.equal('kept');
    });

    it('survives a restart, with its checkpoint', async () => {
      await documents().apply(sampleCollection, writesOf(sampleDocument('a')), checkpointAt(7));
      await reopen();
      expect(await documents().checkpoint(sampleCollection)).to.equal(positionAt(7));
      expect(await documents().get(sampleCollection, 'a')).to.deep.equal(sampleDocument('a'));
    });

    it('dumps all by key in code point order, however many', async () => {
      const keys = ['', '\u0000', '0', 'A', 'a', 'é', '\uffff', '😀'];
      const many = Array.from(
        { length: 2_100 },
        (_, index) => `k${String(index).padStart(4, '0')}`,
      );
      const put = [...keys, ...many].map((key) => sampleDocument(key, { key }));
      await documents().apply(sampleCollection, writesOf(...put.toReversed()), checkpointAt(1));
      const items = await dumpAll(documents(), sampleCollection);
      expect(items.map(({ key }) => key)).to.deep.equal([
        ...keys.slice(0, 5),
        ...many,
        ...keys.slice(5),
      ]);
      const { key, ...value } = sampleDocument('é', { key: 'é' });
      expect(items.find((item) => item.key === key)?.value).to.deep.equal(value);
    });
  });
};

const checkpointSuite = (documents: () => Documents): void => {
  describe('a checkpoint', () => {
    it('advances, even without writes', async () => {
      await documents().apply(sampleCollection, writesOf(sampleDocument('a')), checkpointAt(3));
      await documents().apply(sampleCollection, [], checkpointAt(9));
      expect(await documents().checkpoint(sampleCollection)).to.equal(positionAt(9));
      expect(await keysOf(documents())).to.deep.equal(['a']);
    });

    it('advances without writes beside those of others, each under its own fence', async () => {
      const all = ['one', 'two', 'three'].map((name) => ({ ...sampleCollection, name }));
      const apply = (place: number, fence: number) =>
        Promise.all(
          all.map((collection) =>
            faultOf(documents().apply(collection, [], checkpointAt(place, fence))),
          ),
        );
      for (const [index, collection] of all.entries()) {
        await documents().apply(collection, writesOf(sampleDocument('a')), checkpointAt(3 + index));
      }
      const none = all.map(() => 'no fault');
      expect(await apply(4, 1)).to.deep.equal(none);
      const places = await Promise.all(all.map((one) => documents().checkpoint(one)));
      expect(places).to.deep.equal([positionAt(4), positionAt(4), positionAt(5)]);
      await documents().apply(
        all[1] ?? sampleCollection,
        writesOf(sampleDocument('b')),
        checkpointAt(6, 2),
      );
      expect(await apply(7, 1)).to.deep.equal(['no fault', 'conflict', 'no fault']);
      expect(await apply(8, 2)).to.deep.equal(none);
      expect(await apply(9, 1)).to.deep.equal(all.map(() => 'conflict'));
      for (const [index, one] of all.entries()) {
        expect(await documents().checkpoint(one)).to.equal(positionAt(8));
        expect(await keysOf(documents(), one)).to.deep.equal(index === 1 ? ['a', 'b'] : ['a']);
      }
    });

    it('changes nothing if it was already passed', async () => {
      await documents().apply(
        sampleCollection,
        writesOf(sampleDocument('a', 'first')),
        checkpointAt(5),
      );
      for (const place of [5, 4, 0]) {
        await documents().apply(
          sampleCollection,
          writesOf(sampleDocument('a', 'again'), sampleDocument('b')),
          checkpointAt(place),
        );
      }
      expect(await documents().checkpoint(sampleCollection)).to.equal(positionAt(5));
      expect(await dumpAll(documents(), sampleCollection)).to.have.length(1);
      expect((await documents().get(sampleCollection, 'a'))?.body).to.equal('first');
    });

    it('is accepted under a newer fence at or after the last one, not before it', async () => {
      await documents().apply(sampleCollection, writesOf(sampleDocument('a')), checkpointAt(5, 1));
      await documents().apply(sampleCollection, writesOf(sampleDocument('b')), checkpointAt(5, 2));
      await documents().apply(sampleCollection, writesOf(sampleDocument('c')), checkpointAt(4, 3));
      expect(await keysOf(documents())).to.deep.equal(['a', 'b']);
      const late = documents().apply(
        sampleCollection,
        writesOf(sampleDocument('d')),
        checkpointAt(9, 1),
      );
      expect(await faultOf(late)).to.equal('conflict');
    });

    it('is refused under an older fence, whatever its position', async () => {
      await documents().apply(sampleCollection, writesOf(sampleDocument('a')), checkpointAt(5, 2));
      for (const place of [5, 6]) {
        const late = documents().apply(
          sampleCollection,
          writesOf(sampleDocument('b')),
          checkpointAt(place, 1),
        );
        expect(await faultOf(late)).to.equal('conflict');
      }
      await documents().apply(sampleCollection, writesOf(sampleDocument('c')), checkpointAt(6, 2));
      await documents().apply(sampleCollection, writesOf(sampleDocument('d')), checkpointAt(7, 3));
      expect(await keysOf(documents())).to.deep.equal(['a', 'c', 'd']);
    });

    it('is refused unless the store is where the batch was folded from', async () => {
      const onto = (after: number, place: number, fence: number, writes = true) =>
        faultOf(
          documents().apply(
            sampleCollection,
            writes ? writesOf(sampleDocument(`at ${place}`)) : [],
            {
              ...checkpointAt(place, fence),
              after: positionAt(after),
            },
          ),
        );
      expect(await onto(3, 5, 1)).to.equal('conflict');
      expect(await onto(0, 5, 1)).to.equal('no fault');
      expect(await onto(3, 6, 1)).to.equal('conflict');
      expect(await onto(0, 5, 1)).to.equal('conflict');
      // The last batch of a replaced writer came after the next one had folded.
      expect(await onto(5, 7, 1)).to.equal('no fault');
      for (const writes of [true, false]) {
        expect(await onto(5, 6, 2, writes)).to.equal('conflict');
        expect(await onto(5, 7, 2, writes)).to.equal('conflict');
        expect(await onto(5, 8, 2, writes)).to.equal('conflict');
      }
      expect(await onto(7, 8, 2, false)).to.equal('no fault');
      expect(await onto(7, 9, 2, false)).to.equal('conflict');
      expect(await onto(8, 9, 2)).to.equal('no fault');
      expect(await documents().checkpoint(sampleCollection)).to.equal(positionAt(9));
      expect(await keysOf(documents())).to.deep.equal(['at 5', 'at 7', 'at 9']);
    });

    it('is atomic with its writes: a failing write leaves nothing', async () => {
      const impossible = sampleDocument('b', { size: 1n });
      const half = documents().apply(
        sampleCollection,
        writesOf(sampleDocument('a'), impossible),
        checkpointAt(1),
      );
      expect(await faultOf(half)).to.match(/^no Fault: TypeError/);
      expect(await documents().checkpoint(sampleCollection)).to.equal(logStart);
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
    it('separate collections and their versions', async () => {
      const all = awkward.flatMap((name) =>
        [1, 2].map((version) => ({ ...sampleCollection, name, version })),
      );
      for (const [index, collection] of all.entries()) {
        await documents().apply(
          collection,
          writesOf(sampleDocument('a', index)),
          checkpointAt(index + 1),
        );
      }
      for (const [index, collection] of all.entries()) {
        expect((await documents().get(collection, 'a'))?.body).to.equal(index);
        expect(await documents().checkpoint(collection)).to.equal(positionAt(index + 1));
      }
    });

    it('may be any text for fields, and differ by case only', async () => {
      const names = [...awkward, 'Name', 'name', 'NAME'];
      const fields = Object.fromEntries(names.map((name) => [name, 'text'] as const));
      const collection: Collection = { name: 'odd', version: 1, fields };
      const document: Document = {
        key: 'a',
        scope: 'here',
        fields: Object.fromEntries(names.map((name) => [name, `value of ${name}`])),
        body: null,
      };
      await documents().apply(collection, writesOf(document), checkpointAt(1));
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

    it('may be any text for keys and scopes', async () => {
      const put = awkward.map((key) => ({ ...sampleDocument(key), scope: key }));
      await documents().apply(sampleCollection, writesOf(...put), checkpointAt(1));
      for (const document of put) {
        expect(await documents().get(sampleCollection, document.key)).to.deep.equal(document);
        const found = await documents().find(sampleCollection, {
          scope: document.scope,
          limit: 10,
        });
        expect(found.documents).to.deep.equal([document]);
      }
      expect((await documents().load(sampleCollection, awkward)).size).to.equal(awkward.length);
    });

    it('are refused in filters and sorts for undeclared fields', async () => {
      await documents().apply(sampleCollection, writesOf(sampleDocument('a')), checkpointAt(1));
      const sort = { column: 'body', ascending: true };
      const sorted = documents().find(sampleCollection, { scope: 'here', limit: 1, sort });
      expect(await faultOf(sorted)).to.equal('invalid');
    });
  });
};

const readerSuite = (documents: () => Documents, openReader: () => Promise<Documents>): void => {
  describe('a reader', () => {
    it('sees commits, starting before the collection exists', async () => {
      const reader = await openReader();
      const fresh: Collection = { ...sampleCollection, name: 'fresh' };
      expect(await reader.get(fresh, 'a')).to.equal(null);
      await documents().apply(fresh, writesOf(sampleDocument('a')), checkpointAt(1));
      expect(await reader.get(fresh, 'a')).to.deep.equal(sampleDocument('a'));
      expect(await reader.checkpoint(fresh)).to.equal(positionAt(1));
      await reader.close();
    });

    it('sees each commit at once, however often it read before', async () => {
      const reader = await openReader();
      const where = { scope: 'here', limit: 9 };
      for (const [count, looks] of [1, 2, 3, 1, 2, 3].entries()) {
        for (let look = 0; look < looks; look += 1) {
          const { documents: found } = await reader.find(sampleCollection, where);
          expect(found).to.have.length(count);
          expect(await reader.checkpoint(sampleCollection)).to.equal(positionAt(2 * count));
        }
        await documents().apply(
          sampleCollection,
          writesOf(sampleDocument(`key-${count}`)),
          checkpointAt(2 * count + 1),
        );
        // No document changes, but the checkpoint does.
        await documents().apply(sampleCollection, [], checkpointAt(2 * count + 2));
        expect(await reader.get(sampleCollection, `key-${count}`)).to.deep.equal(
          sampleDocument(`key-${count}`),
        );
      }
      await reader.close();
    });
  });
};
