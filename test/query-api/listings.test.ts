import { expect } from 'chai';
import type { Json } from '../../kernel/schema-types.js';
import { namedResourceColumns, planListing } from '../../query-api/listings.js';

const plan = (body: { readonly filters?: Json; readonly sort?: Json }) =>
  planListing(body, namedResourceColumns);
const complaint = (body: { readonly filters?: Json; readonly sort?: Json }) => {
  const { complaints, filters, sort } = plan(body);
  expect([filters, sort]).to.deep.equal([[], null]);
  expect(complaints).to.have.length(1);
  return complaints[0];
};
const expected =
  "does not match any of the expected tags: 'id', 'created_by', 'name', 'created_at', 'updated_at'";

describe('planning a listing', () => {
  it('restricts nothing and sorts by nothing by default', () => {
    for (const body of [{}, { filters: [], sort: null }, { filters: null }]) {
      expect(plan(body)).to.deep.equal({ filters: [], sort: null, complaints: [] });
    }
  });

  it('chooses a filter by its name, with the operators of its kind', () =>
    expect(
      plan({
        filters: [
          { name: 'id', value: 'ABC' },
          { name: 'name', operator: 'contains', value: 'x', case_sensitive: false },
          { name: 'updated_at', operator: 'gte', value: '2026-03-01' },
        ],
      }).filters,
    ).to.deep.equal([
      { kind: 'id', column: 'id', operator: 'eq', values: ['abc'], caseSensitive: true },
      { kind: 'text', column: 'name', operator: 'contains', values: ['x'], caseSensitive: false },
      {
        kind: 'date',
        column: 'updated_at',
        operator: 'gte',
        value: '2026-03-01T00:00:00.000000Z',
      },
    ]));

  it('limits the values of all lists together', () => {
    const filter = (count: number) => ({
      name: 'name',
      operator: 'one_of',
      value: Array.from({ length: count }, (_, n) => `v${n}`),
    });
    expect(plan({ filters: [filter(1_000), filter(1_000)] }).complaints).to.deep.equal([]);
    expect(complaint({ filters: [filter(1_000), filter(1_000), filter(2)] })).to.deep.equal({
      loc: ['body', 'filters'],
      msg:
        "Value error, the lists of a request's filters have at most 2000 values together, " +
        'not 2002',
      type: 'value_error',
    });
  });

  it('sorts ascending by default', () => {
    expect(plan({ sort: { name: 'name' } }).sort).to.deep.equal({
      column: 'name',
      ascending: true,
    });
    expect(
      plan({ sort: { name: 'created_at', ascending: false, sort_type: 'column' } }).sort,
    ).to.deep.equal({ column: 'created_at', ascending: false });
  });

  it('refuses names that it does not know as tags', () => {
    expect(complaint({ filters: [{ name: 'labels', value: 'x' }] })).to.deep.equal({
      loc: ['body', 'filters', '0'],
      type: 'union_tag_invalid',
      msg: `Input tag 'labels' found using 'name' ${expected}`,
    });
    for (const name of ['constructor', '__proto__', 7, null, {}]) {
      expect(complaint({ filters: [{ name, value: 'x' }] })).to.include({
        type: 'union_tag_invalid',
      });
    }
    const untold = complaint({ filters: [{ value: 'x' }] });
    expect(untold).to.include({ type: 'union_tag_not_found' });
    expect(untold?.msg).to.match(/^Field 'name' is missing, it says which kind this is: 'id', /);
    expect(complaint({ sort: { name: 'id' } })).to.deep.include({
      loc: ['body', 'sort'],
      type: 'union_tag_invalid',
    });
    expect(complaint({ sort: {} })).to.include({ type: 'union_tag_not_found' });
  });

  it('refuses operators, values and shapes where they are', () => {
    const of = (filter: Json) => complaint({ filters: [filter] });
    const at = ['body', 'filters', '0'];
    expect(of({ name: 'name', operator: 'gt', value: 'x' })).to.deep.include({
      loc: [...at, 'operator'],
      type: 'enum',
    });
    expect(of({ name: 'name', value: 'x' })).to.deep.include({
      loc: [...at, 'operator'],
      type: 'missing',
    });
    expect(of({ name: 'created_at', operator: 'lt', value: 'soon' })).to.deep.include({
      loc: [...at, 'value'],
      type: 'datetime_parsing',
    });
    expect(of('name')).to.deep.include({ loc: at, type: 'dict_type' });
    expect(complaint({ sort: 'name' })).to.deep.include({ type: 'dict_type' });
    expect(complaint({ sort: { name: 'name', ascending: 1 } })).to.deep.include({
      loc: ['body', 'sort', 'ascending'],
      type: 'bool_type',
    });
    expect(complaint({ sort: { name: 'name', sort_type: 'row' } })).to.deep.equal({
      loc: ['body', 'sort', 'sort_type'],
      type: 'literal_error',
      msg: "Input should be 'column'",
    });
  });

  it('takes at most 100 filters', () => {
    const filters = Array.from({ length: 101 }, () => ({ name: 'id', value: 'x' }));
    expect(plan({ filters: filters.slice(1) }).filters).to.have.length(100);
    expect(complaint({ filters })).to.deep.include({ type: 'too_long' });
  });
});
