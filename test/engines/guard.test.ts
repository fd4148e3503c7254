import { expect } from 'chai';
import { Type, type TSchema } from 'typebox';
import { compileAnswerGuard, compileGuard } from '../../engines/ajv/compile.js';
import { id, instant, nullish, name, nullable, oneOf, secret } from '../../kernel/schema-types.js';

const complaintsOf = (schema: TSchema, value: unknown, place: 'body' | 'query' = 'body') => {
  const guarded = compileGuard(schema, place)(value);
  return guarded.ok
    ? []
    : guarded.complaints.map(({ loc, type, msg }) => [loc.join('.'), type, msg]);
};
const accepted = (schema: TSchema, value: unknown, place: 'body' | 'query' = 'body'): unknown => {
  const guarded = compileGuard(schema, place)(value);
  expect(guarded).to.have.property('ok', true);
  return guarded.ok ? guarded.value : undefined;
};

const one = (member: TSchema): TSchema => Type.Object({ a: member });
const tagged = Type.Union([
  Type.Object({ type: Type.Literal('cat'), lives: Type.Integer({ minimum: 1 }) }),
  Type.Object({ type: Type.Literal('dog'), name: name() }),
]);
const textOrParts = Type.Union([Type.String(), Type.Array(tagged)]);

describe('request guard', () => {
  const words: readonly (readonly [string, TSchema, unknown, string, string])[] = [
    ['a number for a text', Type.String(), 1, 'string_type', 'Input should be a valid string'],
    [
      'null for a text',
      Type.Optional(Type.String()),
      null,
      'string_type',
      'Input should be a valid string',
    ],
    [
      'a short text',
      Type.String({ minLength: 1 }),
      '',
      'string_too_short',
      'String should have at least 1 character',
    ],
    [
      'a long text, counted in code points',
      Type.String({ maxLength: 2 }),
      'a😀b',
      'string_too_long',
      'String should have at most 2 characters',
    ],
    [
      'a text outside its pattern',
      Type.String({ pattern: '^a+$' }),
      'b',
      'string_pattern_mismatch',
      "String should match pattern '^a+$'",
    ],
    ['a text for an integer', Type.Integer(), '5', 'int_type', 'Input should be a valid integer'],
    [
      'a fraction for an integer',
      Type.Integer(),
      5.5,
      'int_from_float',
      'Input should be a valid integer, got a number with a fractional part',
    ],
    [
      'an integer beyond doubles',
      Type.Integer(),
      2 ** 53,
      'less_than_equal',
      'Input should be less than or equal to 9007199254740991',
    ],
    ['a boolean for a number', Type.Number(), true, 'float_type', 'Input should be a valid number'],
    [
      'a number that is not finite',
      Type.Number(),
      Infinity,
      'float_type',
      'Input should be a valid number',
    ],
    [
      'a text for a boolean',
      Type.Boolean(),
      'true',
      'bool_type',
      'Input should be a valid boolean',
    ],
    ['a number for a uuid', id('X'), 7, 'uuid_type', 'UUID input should be a string'],
    ['another text for a uuid', id('X'), 'x', 'uuid_parsing', 'Input should be a valid UUID'],
    ['a number for a date-time', instant, 7, 'datetime_type', 'Input should be a valid datetime'],
    [
      'another text for a date-time',
      instant,
      'now',
      'datetime_parsing',
      'Input should be a valid datetime, unable to parse string',
    ],
    [
      'a value outside an enum',
      oneOf(['a', 'b', 'c']),
      'd',
      'enum',
      "Input should be 'a', 'b' or 'c'",
    ],
    [
      'a value outside a nullable enum',
      nullable(oneOf(['a', 'b'])),
      'd',
      'enum',
      "Input should be 'a' or 'b'",
    ],
    ['another literal', Type.Literal('column'), 'x', 'literal_error', "Input should be 'column'"],
    [
      'an object for a list',
      Type.Array(Type.String()),
      {},
      'list_type',
      'Input should be a valid list',
    ],
    ['a list for an object', Type.Object({}), [], 'dict_type', 'Input should be a valid object'],
    [
      'a small number',
      Type.Number({ minimum: 1 }),
      0,
      'greater_than_equal',
      'Input should be greater than or equal to 1',
    ],
    [
      'a number at an open bound',
      Type.Number({ exclusiveMinimum: 0 }),
      0,
      'greater_than',
      'Input should be greater than 0',
    ],
    [
      'a short list',
      Type.Array(Type.String(), { minItems: 2 }),
      ['a'],
      'too_short',
      'List should have at least 2 items, not 1',
    ],
    [
      'a long list',
      Type.Array(Type.String(), { maxItems: 1 }),
      ['a', 'b'],
      'too_long',
      'List should have at most 1 item, not 2',
    ],
    [
      'a control character in a name',
      name(),
      'a\u0007b',
      'string_pattern_mismatch',
      "String should match pattern '^[^\\x00-\\x1F\\x7F]*$'",
    ],
    [
      'a name of blanks',
      name(),
      '  ',
      'string_too_short',
      'String should have at least 1 character',
    ],
    ['a number for text or list', textOrParts, 5, 'string_type', 'Input should be a valid string'],
    [
      'an untagged variant',
      tagged,
      {},
      'union_tag_not_found',
      "Field 'type' is missing, it says which kind this is: 'cat', 'dog'",
    ],
    [
      'an unknown variant',
      tagged,
      { type: 'cow' },
      'union_tag_invalid',
      "Input tag 'cow' found using 'type' does not match any of the expected tags: 'cat', 'dog'",
    ],
  ];
  for (const [title, schema, value, type, msg] of words) {
    it(`words ${title} as in the contract`, () =>
      expect(complaintsOf(one(schema), { a: value })).to.deep.equal([['body.a', type, msg]]));
  }

  it('reports a missing member and the others in the order of the schema', () =>
    expect(
      complaintsOf(Type.Object({ b: Type.String(), a: Type.Integer(), c: Type.Boolean() }), {
        c: 1,
        a: 'x',
      }).map(([loc, type]) => [loc, type]),
    ).to.deep.equal([
      ['body.b', 'missing'],
      ['body.a', 'int_type'],
      ['body.c', 'bool_type'],
    ]));
  it('stops at 100 complaints', () =>
    expect(
      complaintsOf(
        Type.Array(Type.String()),
        Array.from({ length: 500 }, () => 1),
      ),
    ).to.have.length(100));
  it('uses the branch with the JSON type of the value and adds nothing to loc', () =>
    expect(
      complaintsOf(one(textOrParts), { a: [{ type: 'cat', lives: 0 }] }).map(([loc, type]) => [
        loc,
        type,
      ]),
    ).to.deep.equal([['body.a.0.lives', 'greater_than_equal']]));
  it('ignores unknown members and rejects those of a closed object', () => {
    accepted(Type.Object({ a: Type.Integer() }), { a: 1, x: 2 });
    const closed = Type.Object({ a: Type.Integer() }, { additionalProperties: false });
    expect(complaintsOf(closed, { a: 1, x: 2 })).to.deep.equal([
      ['body.x', 'extra_forbidden', 'Extra inputs are not permitted'],
    ]);
  });
  it('checks names and values of a map, whatever their characters', () => {
    const map = Type.Record(Type.String(), Type.Integer(), {
      maxProperties: 2,
      propertyNames: Type.String({ maxLength: 3 }),
    });
    expect(
      complaintsOf(map, { 'a\nb': 'x', abcd: 1 }).map(([loc, type]) => [loc, type]),
    ).to.deep.equal([
      ['body.a\nb', 'int_type'],
      ['body.abcd', 'string_too_long'],
    ]);
    expect(complaintsOf(map, { a: 1, b: 1, c: 1 })[0]?.[1]).to.equal('too_long');
  });
  it('makes values canonical in place', () =>
    expect(
      accepted(
        Type.Object({
          id: nullish(id('X')),
          at: Type.Array(instant),
          name: name(3),
          five: Type.Integer(),
          none: nullish(id('X')),
        }),
        {
          id: '74AEC44E-EC21-4C9F-A3E2-B2AB2B81B4DB',
          at: ['2026-03-01', '2026-03-01T10:00:00+01:00'],
          name: '  abc ',
          five: 5.0,
          none: null,
        },
      ),
    ).to.deep.equal({
      id: '74aec44e-ec21-4c9f-a3e2-b2ab2b81b4db',
      at: ['2026-03-01T00:00:00.000000Z', '2026-03-01T09:00:00.000000Z'],
      name: 'abc',
      five: 5,
      none: null,
    }));
  it('makes the body itself canonical', () =>
    expect(accepted(instant, '2026-03-01')).to.equal('2026-03-01T00:00:00.000000Z'));
  it('follows a recursive schema', () => {
    const tree = Type.Cyclic(
      { Tree: Type.Object({ id: id('X'), kids: nullish(Type.Array(Type.Ref('Tree'))) }) },
      'Tree',
    );
    const leaf = { id: '74AEC44E-EC21-4C9F-A3E2-B2AB2B81B4DB' };
    const both = Type.Object({ one: tree, other: tree });
    expect(
      complaintsOf(both, { one: { ...leaf, kids: [leaf, { kids: [5] }] }, other: leaf }),
    ).to.deep.equal([
      ['body.one.kids.1.id', 'missing', 'Field required'],
      ['body.one.kids.1.kids.0', 'dict_type', 'Input should be a valid object'],
    ]);
    expect(accepted(both, { one: { ...leaf, kids: [leaf] }, other: leaf })).to.have.nested.property(
      'one.kids[0].id',
      leaf.id.toLowerCase(),
    );
  });
  it('refuses to compile a schema with an unsupported keyword', () =>
    expect(() => compileGuard(Type.Unsafe({ type: 'object', minContains: 1 }), 'body')).to.throw(
      'minContains',
    ));
});

describe('guard of query and path', () => {
  const page = Type.Object({
    limit: Type.Optional(Type.Integer({ minimum: 1 })),
    at: nullish(instant),
    flag: Type.Optional(Type.Boolean()),
    share: Type.Optional(Type.Number()),
    ids: Type.Optional(Type.Array(Type.Integer())),
  });
  it('parses texts, keeps the last repetition and drops undeclared parameters', () =>
    expect(
      accepted(
        page,
        { limit: ['1', '7'], flag: '1', share: '.5e1', ids: ['1', '2'], x: 'y' },
        'query',
      ),
    ).to.deep.equal({ limit: 7, flag: true, share: 5, ids: [1, 2] }));
  it('reports unparsable texts', () =>
    expect(
      complaintsOf(page, { limit: '5.0', flag: 'True', share: 'NaN', at: 'x' }, 'query').map(
        ([loc, type]) => [loc, type],
      ),
    ).to.deep.equal([
      ['query.limit', 'int_parsing'],
      ['query.at', 'datetime_parsing'],
      ['query.flag', 'bool_parsing'],
      ['query.share', 'float_parsing'],
    ]));
  it('reads a blank before the offset of a date-time as a plus', () => {
    expect(accepted(page, { at: '2026-03-01T09:00:00 02:00' }, 'query')).to.deep.equal({
      at: '2026-03-01T07:00:00.000000Z',
    });
    expect(accepted(page, { at: '2026-03-01 09:00' }, 'query')).to.deep.equal({
      at: '2026-03-01T09:00:00.000000Z',
    });
  });
});

describe('answer guard', () => {
  const check = compileAnswerGuard(
    Type.Object({ id: id('X'), at: instant, key: Type.Optional(secret()) }),
  );
  const good = { id: '74aec44e-ec21-4c9f-a3e2-b2ab2b81b4db', at: '2026-03-01T09:00:00.000000Z' };
  it('accepts conformant answers', () => expect(check(good)).to.deep.equal([]));
  it('reports an undeclared member', () =>
    expect(check({ ...good, secret_hash: 'x' })).to.deep.include({
      loc: ['secret_hash'],
      msg: 'Extra inputs are not permitted',
      type: 'extra_forbidden',
    }));
  it('reports values that are not canonical', () =>
    expect(
      check({ id: good.id.toUpperCase(), at: '2026-03-01' }).map(({ loc }) => loc),
    ).to.deep.equal([['id'], ['at']]));
});
