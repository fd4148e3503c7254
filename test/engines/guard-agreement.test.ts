import { expect } from 'chai';
import * as fc from 'fast-check';
import { Type, type TSchema } from 'typebox';
import { compileGuard } from '../../engines/ajv/compile.js';
import { complaintsAbout } from '../../engines/ajv/complaints.js';
import { kindParsers } from '../../engines/ajv/text-kinds.js';
import { shapeOf } from '../../engines/ajv/shape.js';
import { id, instant, name, nullable, oneOf } from '../../kernel/schema-types.js';
import { runs } from '../support/runs.js';

/** Schemas of the kind that operations have, small enough that random values often fit them. */
const schemas: fc.Arbitrary<TSchema> = fc.letrec<{ schema: TSchema; scalar: TSchema }>((tie) => ({
  scalar: fc.oneof(
    fc.constantFrom<TSchema>(
      id('X'),
      instant,
      name(3),
      Type.Boolean(),
      Type.Null(),
      Type.Unknown(),
      Type.Literal('a'),
      oneOf(['a', 'b']),
      Type.Integer(),
      Type.Number(),
    ),
    fc
      .tuple(fc.nat(2), fc.nat(3))
      .map(([minLength, more]) => Type.String({ minLength, maxLength: minLength + more })),
    fc
      .tuple(fc.integer({ min: -3, max: 3 }), fc.nat(4))
      .map(([minimum, more]) => Type.Integer({ minimum, maximum: minimum + more })),
  ),
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('scalar'),
    tie('schema').map((schema) => nullable(schema)),
    fc.tuple(tie('schema'), tie('schema')).map((both) => Type.Union(both)),
    fc
      .tuple(tie('schema'), fc.nat(2))
      .map(([schema, minItems]) => Type.Array(schema, { minItems })),
    tie('schema').map((schema) => Type.Record(Type.String(), schema, { maxProperties: 2 })),
    fc
      .record({ a: tie('schema'), b: tie('schema').map((schema) => Type.Optional(schema)) })
      .map((members) => Type.Object(members, { additionalProperties: false })),
    fc
      .record({ a: tie('schema'), c: tie('schema') })
      .map(({ a, c }) =>
        Type.Union([
          Type.Object({ type: Type.Literal('a'), a }),
          Type.Object({ type: Type.Literal('b'), c: Type.Optional(c) }),
        ]),
      ),
  ),
})).schema;

const scalars = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    'a',
    'b',
    '',
    ' ab ',
    '\u0000',
    '😀😀',
    '2026-03-01',
    '74aec44e-ec21-4c9f-a3e2-b2ab2b81b4db',
    2.5,
    2 ** 60,
    Infinity,
  ),
  fc.integer({ min: -4, max: 4 }),
);
const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    scalars,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', 'x', '__proto__', 'constructor'), tie('value')),
    fc
      .tuple(fc.constantFrom('a', 'b', 'z'), tie('value'))
      .map(([type, value]) => ({ type, a: value, c: value })),
  ),
})).value;

describe('ajv and complaints.ts', () => {
  it('agree on which values fit', () =>
    fc.assert(
      fc.property(schemas, fc.array(values, { minLength: 30, maxLength: 30 }), (schema, drawn) => {
        const { shape, definitions } = shapeOf(schema, 'open');
        const guard = compileGuard(schema, 'body');
        for (const value of drawn) {
          const subject = {
            shape,
            definitions,
            readings: kindParsers,
            source: 'json',
            loc: ['body'],
          } as const;
          const explained = complaintsAbout(structuredClone(value), subject);
          expect(guard(value).ok, JSON.stringify({ schema, value, explained })).to.equal(
            explained.length === 0,
          );
        }
      }),
      { numRuns: runs(150) },
    ));
});
