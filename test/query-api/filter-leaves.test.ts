import { expect } from 'chai';
import type { Json } from '../../kernel/schema-types.js';
import {
  acceptedPlan,
  leaf,
  filterPath,
  planOfFilter,
  refusedPlan,
  text,
  valueError,
} from '../support/filter-plans.js';

describe('a leaf of a filter', () => {
  const at = (...rest: readonly string[]) => filterPath('filter', ...rest);

  it('needs a type of the eight', () => {
    refusedPlan(leaf({ name: 'input', operator: 'eq', value: 'x' })).to.deep.equal({
      loc: at(),
      msg:
        "Field 'type' is missing, it says which kind this is: " +
        "'text', 'id', 'date', 'number', 'boolean', 'collection', " +
        "'error', 'fully_annotated'",
      type: 'union_tag_not_found',
    });
    refusedPlan(text({ type: 'regex' })).to.deep.equal({
      loc: at(),
      msg:
        "Input tag 'regex' found using 'type' does not match any of the expected tags: " +
        "'text', 'id', 'date', 'number', 'boolean', 'collection', " +
        "'error', 'fully_annotated'",
      type: 'union_tag_invalid',
    });
  });

  it('names its column once', () => {
    acceptedPlan(text({ column_id: 'input' }));
    refusedPlan(text({ column_id: 'output' })).to.deep.equal(
      valueError(at(), 'name and column_id name different columns'),
    );
    refusedPlan(leaf({ type: 'text', operator: 'eq', value: 'x' })).to.deep.equal({
      loc: at('name'),
      msg: 'Field required',
      type: 'missing',
    });
    refusedPlan(text({ name: 7 })).to.deep.include({ loc: at('name'), type: 'string_type' });
  });

  it('names a column of the catalogue', () => {
    refusedPlan(text({ name: 'inputs' })).to.deep.equal(
      valueError(at('name'), "unknown column 'inputs'"),
    );
    refusedPlan(
      leaf({ type: 'text', column_id: 'nowhere', operator: 'eq', value: 'x' }),
    ).to.deep.equal(valueError(at('column_id'), "unknown column 'nowhere'"));
    refusedPlan(text({ name: 'metrics/' })).to.deep.include({ loc: at('name') });
    refusedPlan(text({ name: '__proto__' })).to.deep.include({ loc: at('name') });
    acceptedPlan(text({ name: 'user_metadata/anything' }));
  });

  it('names a column that applies to what is searched', () => {
    refusedPlan(text({ name: 'model' })).to.deep.equal(
      valueError(at('name'), "column 'model' does not apply to traces"),
    );
    refusedPlan(
      leaf({ type: 'collection', name: 'tags', operator: 'contains', value: 'a' }),
      'session',
    ).to.deep.equal(valueError(at('name'), "column 'tags' does not apply to sessions"));
    acceptedPlan(text({ name: 'model' }), 'span');
  });

  it('has the filter type of its column', () => {
    refusedPlan(text({ name: 'status_code' })).to.deep.equal(
      valueError(at('type'), "column 'status_code' takes a number filter"),
    );
    refusedPlan(text({ name: 'id' })).to.deep.equal(
      valueError(at('type'), "column 'id' takes an id filter"),
    );
    refusedPlan(text({ name: 'metrics/solved' }), 'trace', { solved: 'boolean' }).to.deep.equal(
      valueError(at('type'), "column 'metrics/solved' takes a boolean filter"),
    );
    refusedPlan(text({ name: 'metrics/cost' })).to.deep.include({ loc: at('type') });
    acceptedPlan(text({ name: 'metrics/verdict' }), 'trace', { verdict: 'text' });
  });

  it('takes numbers, booleans and texts for a metric that never had a value', () => {
    const untyped = { name: 'metrics/new' };
    acceptedPlan(text(untyped));
    acceptedPlan(leaf({ type: 'boolean', ...untyped, value: true }));
    acceptedPlan(leaf({ type: 'number', ...untyped, operator: 'eq', value: 1 }));
    refusedPlan(leaf({ type: 'id', ...untyped, value: 'x' })).to.deep.equal(
      valueError(at('type'), "column 'metrics/new' takes a number, boolean or text filter"),
    );
  });

  it('needs an operator, but for id and boolean, which compare', () => {
    for (const type of ['text', 'date', 'number', 'collection']) {
      const { complaints } = planOfFilter(leaf({ type, name: 'input', value: [] }));
      expect(complaints).to.deep.include({
        loc: at('operator'),
        msg: 'Field required',
        type: 'missing',
      });
    }
    acceptedPlan(leaf({ type: 'id', name: 'id', value: 'AB' })).to.include({ operator: 'eq' });
    acceptedPlan(leaf({ type: 'boolean', name: 'is_complete', value: false })).to.include({
      operator: 'eq',
    });
    refusedPlan(text({ operator: 'gt' })).to.deep.equal({
      loc: at('operator'),
      msg:
        "Input should be 'eq', 'ne', 'contains', 'starts_with', 'ends_with', 'one_of', 'not_in' " +
        "or 'is_null'",
      type: 'enum',
    });
    refusedPlan(leaf({ type: 'collection', name: 'tags', operator: 'ne', value: 'a' })).to.include({
      msg: "Input should be 'eq', 'contains', 'one_of' or 'not_in'",
    });
  });

  it('takes one text for what a text begins or ends with, and a boolean for is_null', () => {
    const read = { kind: 'text', column: 'input', caseSensitive: true };
    for (const operator of ['starts_with', 'ends_with']) {
      acceptedPlan(text({ operator })).to.deep.equal({ ...read, operator, values: ['x'] });
      refusedPlan(text({ operator, value: ['x'] })).to.deep.include({
        loc: at('value'),
        type: 'string_type',
      });
    }
    const none = { ...read, operator: 'is_null', values: [] };
    const isNull = { type: 'text', name: 'input', operator: 'is_null' };
    acceptedPlan(leaf(isNull)).to.deep.equal(none);
    acceptedPlan(leaf({ ...isNull, value: true })).to.deep.equal(none);
    acceptedPlan(leaf({ ...isNull, value: false })).to.deep.equal({ not: none });
    refusedPlan(leaf({ ...isNull, value: 'x' })).to.deep.include({
      loc: at('value'),
      type: 'bool_type',
    });
    refusedPlan(leaf({ type: 'id', name: 'id', operator: 'is_null', value: 'x' })).to.deep.include({
      loc: at('operator'),
      type: 'enum',
    });
  });

  it('compares text as it stands unless case_sensitive is false', () => {
    acceptedPlan(text({ value: 'İ' })).to.deep.include({ values: ['İ'], caseSensitive: true });
    acceptedPlan(text({ case_sensitive: false })).to.include({ caseSensitive: false });
    refusedPlan(text({ case_sensitive: null })).to.deep.equal({
      loc: at('case_sensitive'),
      msg: 'Input should be a valid boolean',
      type: 'bool_type',
    });
  });

  it('takes text or a list as the operator does', () => {
    acceptedPlan(text({ operator: 'contains', value: ['a', 'b'] })).to.deep.include({
      values: ['a', 'b'],
    });
    acceptedPlan(text({ operator: 'contains', value: '' })).to.deep.include({ values: [''] });
    acceptedPlan(text({ operator: 'one_of', value: ['a'] })).to.deep.include({ values: ['a'] });
    refusedPlan(text({ operator: 'one_of', value: 'a' })).to.deep.include({
      loc: at('value'),
      type: 'list_type',
    });
    refusedPlan(text({ operator: 'ne', value: ['a'] })).to.deep.include({
      loc: at('value'),
      type: 'string_type',
    });
    refusedPlan(text({ operator: 'not_in', value: [] })).to.deep.equal({
      loc: at('value'),
      msg: 'List should have at least 1 item, not 0',
      type: 'too_short',
    });
    refusedPlan(text({ operator: 'one_of', value: ['a', 1] })).to.deep.include({
      loc: at('value', '1'),
      type: 'string_type',
    });
    refusedPlan(text({ value: null })).to.deep.include({ loc: at('value'), type: 'string_type' });
  });

  it('takes texts of 1,024 code points and lists of 1,000', () => {
    acceptedPlan(text({ value: '😀'.repeat(1_024) }));
    refusedPlan(text({ value: 'x'.repeat(1_025) })).to.deep.equal({
      loc: at('value'),
      msg: 'String should have at most 1024 characters',
      type: 'string_too_long',
    });
    const list = (length: number) => Array.from({ length }, (_, index) => String(index));
    acceptedPlan(text({ operator: 'one_of', value: list(1_000) }));
    refusedPlan(text({ operator: 'one_of', value: list(1_001) })).to.deep.equal({
      loc: at('value'),
      msg: 'List should have at most 1000 items, not 1001',
      type: 'too_long',
    });
  });

  it('compares ids in lower case', () => {
    acceptedPlan(
      leaf({ type: 'id', name: 'trace_id', operator: 'one_of', value: ['AB-1', 'cd'] }),
      'span',
    ).to.deep.equal({
      kind: 'id',
      column: 'trace_id',
      operator: 'one_of',
      values: ['ab-1', 'cd'],
      caseSensitive: true,
    });
    refusedPlan(leaf({ type: 'id', name: 'id', operator: 'contains', value: ['a'] })).to.include({
      type: 'string_type',
    });
  });

  it('compares instants in canonical form', () => {
    const date = (value: Json) =>
      leaf({ type: 'date', name: 'created_at', operator: 'gte', value });
    acceptedPlan(date('2026-03-01 09:00')).to.include({ value: '2026-03-01T09:00:00.000000Z' });
    refusedPlan(date('soon')).to.deep.equal({
      loc: at('value'),
      msg: 'Input should be a valid datetime, unable to parse string',
      type: 'datetime_parsing',
    });
    refusedPlan(date(1_772_355_600)).to.deep.equal({
      loc: at('value'),
      msg: 'Input should be a valid datetime',
      type: 'datetime_type',
    });
  });

  it('compares with one number, or with a range that has a low and a high end', () => {
    const number = (operator: string, value: Json) =>
      leaf({ type: 'number', name: 'status_code', operator, value });
    acceptedPlan(number('lt', 5)).to.deep.include({ values: [5] });
    acceptedPlan(number('between', [2, 2])).to.deep.include({ values: [2, 2] });
    refusedPlan(number('between', [3, 2])).to.deep.equal(
      valueError(at('value'), 'the low end must not be greater than the high end'),
    );
    refusedPlan(number('between', 3)).to.deep.include({ loc: at('value'), type: 'list_type' });
    refusedPlan(number('between', [3])).to.include({
      msg: 'List should have at least 2 items, not 1',
    });
    refusedPlan(number('between', [1, 2, 3])).to.include({ type: 'too_long' });
    refusedPlan(number('between', [1, 'x'])).to.deep.include({
      loc: at('value', '1'),
      type: 'float_type',
    });
    refusedPlan(number('eq', '5')).to.deep.equal({
      loc: at('value'),
      msg: 'Input should be a valid number',
      type: 'float_type',
    });
    refusedPlan(number('eq', Infinity)).to.include({ type: 'float_type' });
    refusedPlan(number('gte', true)).to.include({ type: 'float_type' });
  });

  it('compares booleans with booleans', () => {
    refusedPlan(leaf({ type: 'boolean', name: 'is_complete', value: 1 })).to.deep.include({
      loc: at('value'),
      type: 'bool_type',
    });
    refusedPlan(leaf({ type: 'boolean', name: 'is_complete' })).to.deep.include({
      loc: at('value'),
      type: 'missing',
    });
  });

  it('reads a string as a collection of one, and knows the empty collection', () => {
    const tags = (operator: string, value: Json) =>
      leaf({ type: 'collection', name: 'tags', operator, value });
    acceptedPlan(tags('contains', 'trial-0')).to.deep.include({ values: ['trial-0'] });
    acceptedPlan(tags('one_of', 'trial-0')).to.deep.include({ values: ['trial-0'] });
    acceptedPlan(tags('eq', [])).to.deep.include({ values: [] });
    refusedPlan(tags('contains', [])).to.include({ type: 'too_short' });
  });

  it('asks for errors of a metric, any of them or those with a code of a list', () => {
    const failed = (members: Readonly<Record<string, Json>>) =>
      leaf({ type: 'error', name: 'metrics/toxicity', ...members });
    const any = { kind: 'error', column: 'metrics/toxicity', codes: null };
    for (const members of [{}, { operator: 'any' }, { name: 'toxicity' }, { value: null }]) {
      acceptedPlan(failed(members)).to.deep.equal(any);
    }
    acceptedPlan(failed({ operator: 'one_of', value: [1003, -1] })).to.deep.equal({
      ...any,
      codes: [1003, -1],
    });
    acceptedPlan(failed({ name: 'metrics/verdict' }), 'span', { verdict: 'text' });
    acceptedPlan(failed({}), 'session');
    refusedPlan(failed({ value: [1003] })).to.deep.equal(
      valueError(at('value'), 'codes need the operator one_of'),
    );
    refusedPlan(failed({ operator: 'eq', value: [1003] })).to.include({ type: 'enum' });
    refusedPlan(failed({ operator: 'one_of' })).to.deep.include({ loc: at('value') });
    refusedPlan(failed({ operator: 'one_of', value: [] })).to.include({ type: 'too_short' });
    refusedPlan(failed({ operator: 'one_of', value: [1, 1.5] })).to.deep.include({
      loc: at('value', '1'),
      type: 'int_type',
    });
    refusedPlan(failed({ name: 'input' })).to.deep.equal(
      valueError(at('type'), "column 'input' takes a text filter"),
    );
    refusedPlan(leaf({ type: 'error', operator: 'any' })).to.deep.include({ loc: at('name') });
  });

  it('asks for annotations by anyone or by each of a list', () => {
    const user = '74AEC44E-EC21-4C9F-A3E2-B2AB2B81B4DB';
    const annotated = (members: Readonly<Record<string, Json>>) =>
      leaf({ type: 'fully_annotated', ...members });
    acceptedPlan(annotated({})).to.deep.equal({ kind: 'fully_annotated', users: null });
    acceptedPlan(annotated({ name: 'fully_annotated', user_ids: null })).to.include({
      users: null,
    });
    acceptedPlan(annotated({ user_ids: [user] })).to.deep.include({ users: [user.toLowerCase()] });
    refusedPlan(annotated({ user_ids: [] })).to.deep.include({
      loc: at('user_ids'),
      type: 'too_short',
    });
    refusedPlan(annotated({ user_ids: ['ann'] })).to.deep.include({
      loc: at('user_ids', '0'),
      type: 'uuid_parsing',
    });
    refusedPlan(annotated({ user_ids: [1] })).to.include({ type: 'uuid_type' });
    refusedPlan(annotated({ name: 'input' })).to.deep.equal(
      valueError(at('type'), "column 'input' takes a text filter"),
    );
    refusedPlan(text({ name: 'fully_annotated' })).to.deep.equal(
      valueError(at('name'), "unknown column 'fully_annotated'"),
    );
  });
});
