import { expect } from 'chai';
import * as fc from 'fast-check';
import { referenceFind } from '../../kernel/reference-find.js';
import type { Filter } from '../../kernel/filter.js';
import type { FilterKind } from '../../kernel/records/record.js';
import type { Position } from '../../kernel/ports.js';
import type { Collection, Document, Documents } from '../../kernel/documents.js';
import { leafOf } from '../support/filter-generators.js';
import { instants, numbers, perhaps, pick, texts, uuid } from '../support/record-generators.js';
import { runs } from '../support/runs.js';

/**
 * Fields with the names of record columns, so that the kernel's reference can judge the same
 * filters.
 */
const fields: Readonly<Record<string, Exclude<FilterKind, 'collection'>>> = {
  name: 'text',
  id: 'id',
  created_at: 'date',
  'metrics/size': 'number',
  'metrics/red': 'boolean',
  'user_metadata/__proto__': 'text',
};
const shelf: Collection = { name: 'shelf', version: 1, fields };
const undated: Collection = { name: 'undated', version: 1, fields: { name: 'text' } };
const columns = Object.keys(fields);

const documentsOf = fc
  .array(
    fc.record({
      scope: fc.constantFrom('here', 'here', 'here', 'there'),
      name: perhaps(pick(texts)),
      id: pick([1, 2, 3].map((at) => uuid(3, at))),
      created_at: perhaps(pick(instants)),
      'metrics/size': perhaps(pick(numbers)),
      'metrics/red': perhaps(fc.boolean()),
      'user_metadata/__proto__': perhaps(pick(texts)),
    }),
    { minLength: 1, maxLength: 30 },
  )
  .map((all) =>
    all.map(({ scope, ...values }, index): Document => {
      const key = `${['a', 'é', '😀', '\uffff'][index % 4]}${index}`;
      return { key, scope, fields: values, body: { index } };
    }),
  );

const leaf = pick(columns).chain((column) => leafOf[fields[column] ?? 'text'](column));
const filterOf = (depth: number): fc.Arbitrary<Filter> => {
  if (depth === 0) return leaf;
  const nodes = fc.array(filterOf(depth - 1), { maxLength: 3 });
  return fc.oneof(
    { weight: 2, arbitrary: leaf },
    { weight: 1, arbitrary: nodes.map((all) => ({ all })) },
    { weight: 1, arbitrary: nodes.map((any) => ({ any })) },
    { weight: 1, arbitrary: filterOf(depth - 1).map((not) => ({ not })) },
  );
};
const sortOf = perhaps(fc.record({ column: pick(columns), ascending: fc.boolean() }));

const mark = (place: number) => ({
  position: place.toString(16).padStart(16, '0') as Position,
  fence: 1,
});
const writesOf = (all: readonly Document[]) =>
  all.map((document) => ({ key: document.key, document }));
const keysOf = (all: readonly Document[]) => all.map(({ key }) => key);
const contains = (values: readonly string[], caseSensitive = true): Filter => ({
  kind: 'text',
  column: 'name',
  operator: 'contains',
  values,
  caseSensitive,
});
const named = (key: string, name: string | null, created_at: string | null = null): Document => ({
  key,
  scope: 'here',
  fields: { ...Object.fromEntries(columns.map((column) => [column, null])), name, created_at },
  body: null,
});

export const documentQuerySuite = (documents: () => Documents): void => {
  describe('finding', () => {
    it('answers as the reference does: filter, tenancy, order and page', async () => {
      let place = 0;
      const queries = fc.array(
        fc.record({
          filter: perhaps(filterOf(3)),
          sort: sortOf,
          offset: fc.nat(6),
          limit: fc.integer({ min: 1, max: 12 }),
        }),
        { minLength: 20, maxLength: 20 },
      );
      const property = fc.asyncProperty(documentsOf, queries, async (all, asked) => {
        const collection = { ...shelf, version: (place += 1) };
        await documents().apply(collection, writesOf(all), mark(1));
        for (const { filter, sort, offset, limit } of asked) {
          const query = { scope: 'here', filter, sort, offset, limit };
          const found = await documents().find(collection, query);
          expect(found, JSON.stringify(query)).to.deep.equal(referenceFind(all, query));
        }
      });
      await fc.assert(property, { numRuns: runs(15) });
    });

    it('returns nothing of another scope', async () => {
      const other = { ...named('b', 'there'), scope: 'there' };
      await documents().apply(shelf, writesOf([named('a', 'here'), other]), mark(1));
      const found = await documents().find(shelf, {
        scope: 'here',
        limit: 10,
        filter: { any: [contains(['here']), contains(['there'])] },
      });
      expect(keysOf(found.documents)).to.deep.equal(['a']);
    });

    it('sorts newest first by default, then by key, documents without a date last', async () => {
      const all = [
        named('a', null, '2026-03-01T00:00:00.000000Z'),
        named('b', null),
        named('c', null, '2026-03-01T00:00:00.000000Z'),
        named('d', null, '2026-03-01T00:00:00.000001Z'),
      ];
      await documents().apply(shelf, writesOf(all), mark(1));
      const found = await documents().find(shelf, { scope: 'here', limit: 10 });
      expect(keysOf(found.documents)).to.deep.equal(['d', 'c', 'a', 'b']);
    });

    it('sorts collections without a date by key, descending', async () => {
      const all = ['a', 'b', 'c'].map((key) => ({ ...named(key, key), fields: { name: key } }));
      await documents().apply(undated, writesOf(all), mark(1));
      const sort = { column: 'name', ascending: true };
      const query = { scope: 'here', limit: 2 };
      const found = await documents().find(undated, query);
      expect(keysOf(found.documents)).to.deep.equal(['c', 'b']);
      expect(found.more).to.equal(true);
      const sorted = await documents().find(undated, { ...query, sort });
      expect(keysOf(sorted.documents)).to.deep.equal(['a', 'b']);
    });

    it('treats user text as text, never as a pattern or SQL', async () => {
      const hostile = ['%', '_', '*', '[a-z]', '\\', `' OR 1=1 --`, '"', '?', '\u0000', '.*', '😀'];
      await documents().apply(
        shelf,
        writesOf([...hostile.map((text) => named(text, `x${text}y`)), named('plain', 'xay')]),
        mark(1),
      );
      for (const text of hostile) {
        for (const caseSensitive of [true, false]) {
          const query = { scope: 'here', limit: 20, filter: contains([text], caseSensitive) };
          expect(keysOf((await documents().find(shelf, query)).documents)).to.include(text);
          expect(keysOf((await documents().find(shelf, query)).documents)).not.to.include('plain');
        }
      }
    });

    it('accepts filters as large as the contract allows', async () => {
      const parts = Array.from({ length: 1_000 }, (_, index) => `<${index}>`);
      await documents().apply(
        shelf,
        writesOf([named('all', parts.join('')), named('less', parts.slice(1).join(''))]),
        mark(1),
      );
      const deep = (depth: number): Filter =>
        depth === 0 ? contains(parts) : { not: { not: deep(depth - 1) } };
      for (const filter of [deep(3), { any: Array.from({ length: 99 }, () => contains(parts)) }]) {
        const found = await documents().find(shelf, { scope: 'here', limit: 10, filter });
        expect(keysOf(found.documents)).to.deep.equal(['all']);
      }
    });
  });
};
