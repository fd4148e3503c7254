import { Ajv, _, type CodeKeywordDefinition, type KeywordCxt } from 'ajv';
import type { TSchema } from 'typebox';
import { parseJsonText } from '../../kernel/json-text.js';
import { type Complaint, valueComplaint } from '../../kernel/fault.js';
import { codePointCount } from '../../kernel/code-points.js';
import { complaintsAbout } from './complaints.js';
import {
  canonicalParsers,
  kindParsers,
  type RequestPart,
  compileTextReader,
} from './text-kinds.js';
import { extractTaggedBranches } from './tagged-branches.js';
import { shapeOf, type TextKind, type Openness, type Shape, type RootShape } from './shape.js';

/** Result of a guard; `value` is the request's own object with canonical values in it. */
export type GuardResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly complaints: readonly Complaint[] };
export type Guard = (value: unknown) => GuardResult;

/**
 * Compiles the guard of a request part. ajv decides whether a value fits, in code that it generates
 * from the schema that the OpenAPI document publishes. Only on a misfit does complaints.ts check
 * the value again to word the errors: ajv's own errors have neither the order nor the branch of a
 * union that contract 1.4 requires. A generated test holds the two to one judgement.
 *
 * Values of a body are changed in place to their canonical form. Other parts hold text, or lists of
 * it, which is parsed into a new object first. Nesting has to be bounded before: both recurse where
 * the schema does.
 */
export const compileGuard = (schema: TSchema, place: RequestPart): Guard => {
  const shaped = shapeOf(schema, 'open');
  const fits = lazyCheck(shaped, 'open');
  const read = place === 'body' ? null : compileTextReader(shaped.shape, place);
  const source = read === null ? 'json' : 'text';
  const subject = { ...shaped, readings: kindParsers, source } as const;
  const loc = [place === 'form' ? 'body' : place];
  return (sent) => {
    // The guard works on a holder, so that a value at the root can become canonical like any other.
    const holder = { value: read === null ? sent : read(sent) };
    if (fits(holder)) return { ok: true, value: holder.value };
    const complaints = complaintsAbout(holder.value, { ...subject, loc });
    return { ok: false, complaints: complaints.length > 0 ? complaints : [fallbackComplaint(loc)] };
  };
};

/** Fallback of the contract's shape (422); unreachable while the generated test holds. */
const fallbackComplaint = (loc: readonly string[]): Complaint =>
  valueComplaint(loc, 'not of the form that the operation describes');

/**
 * Compiles the check of an answer against its schema: canonical values, and no unnamed member in an
 * object without `additionalProperties`. Empty = conformant. The schema is read on first use, so
 * that the service starts at once.
 */
export const compileAnswerGuard = (schema: TSchema): AnswerGuard => {
  let guard: AnswerGuard | null = null;
  return (answer) => {
    guard ??= answerGuardOf(schema);
    return guard(answer);
  };
};
type AnswerGuard = (answer: unknown) => readonly Complaint[];

const answerGuardOf = (schema: TSchema): AnswerGuard => {
  const shaped = shapeOf(schema, 'closed');
  const subject = { ...shaped, readings: canonicalParsers, source: 'json' } as const;
  const fits = lazyCheck(shaped, 'closed');
  return (answer) => {
    if (fits({ value: answer })) return [];
    const complaints = complaintsAbout(answer, { ...subject, loc: [] });
    return complaints.length > 0 ? complaints : [fallbackComplaint(['body'])];
  };
};

type FitsCheck = (holder: { value: unknown }) => boolean;

/** Check whose code is generated on first use, so that the service starts at once. */
const lazyCheck = (shaped: RootShape, openness: Openness): FitsCheck => {
  let fits: FitsCheck | null = null;
  return (holder) => {
    fits ??= compileCheck(shaped, openness);
    return fits(holder);
  };
};

/** Generates the check of each shape once: most operations share their path's with another. */
const compileCheck = (shaped: RootShape, openness: Openness): FitsCheck => {
  const generator = generators[openness];
  const text = JSON.stringify(shaped);
  const ready = generator.known.get(text);
  if (ready !== undefined) return ready;
  const fits = generator.ajv.compile<{ value: unknown }>({
    type: 'object',
    properties: { value: withSharedNames(extractTaggedBranches(shaped), generator) },
    required: ['value'],
  });
  generator.known.set(text, fits);
  return fits;
};

/**
 * The shape with its named ones replaced by references that ajv generates once for all guards: the
 * shape of a span is part of two of them and takes a tenth of a second.
 */
const withSharedNames = (
  { shape, definitions }: RootShape,
  { ajv, named }: Pick<CheckGenerator, 'ajv' | 'named'>,
): Shape => {
  const text = JSON.stringify(definitions);
  const isNew = !named.has(text);
  const place = named.get(text) ?? `set${named.size}`;
  named.set(text, place);
  const placed = (one: Shape): Shape =>
    parseJsonText(JSON.stringify(one).replaceAll('"$ref":"#/$defs/', `"$ref":"${place}.`)) as Shape;
  if (isNew) {
    for (const [name, one] of Object.entries(definitions)) {
      ajv.addSchema(placed(one), `${place}.${name}`);
    }
  }
  return placed(shape);
};

/**
 * Keyword that checks a text of its kind and replaces it by the canonical form, before its length
 * is checked.
 */
const kindKeyword = (openness: Openness): CodeKeywordDefinition => ({
  keyword: 'x-kind',
  type: 'string',
  schemaType: 'string',
  code: (cxt: KeywordCxt) => {
    const { gen, data, it } = cxt;
    const kind = cxt.schema as TextKind;
    const reading = (openness === 'open' ? kindParsers : canonicalParsers)[kind];
    const read = gen.const('read', _`${gen.scopeValue('func', { ref: reading })}(${data})`);
    gen.if(_`${read} !== null && ${read} !== ${data}`, () => {
      gen.assign(_`${it.parentData}[${it.parentDataProperty}]`, read);
      gen.assign(data, read);
    });
    cxt.fail(_`${read} === null`);
  },
});

const lengthKeyword = (
  keyword: 'minLength' | 'maxLength',
  breaks: (text: string, limit: number) => boolean,
): CodeKeywordDefinition => ({
  keyword,
  type: 'string',
  schemaType: 'number',
  code: (cxt: KeywordCxt) => {
    const test = cxt.gen.scopeValue('func', { ref: breaks });
    cxt.fail(_`${test}(${cxt.data}, ${cxt.schema as number})`);
  },
});

const ajvOf = (openness: Openness): Ajv => {
  const ajv = new Ajv({
    discriminator: true,
    allowUnionTypes: true,
    // Shapes come from shape.ts, which rejects unknown keywords; ajv need not check them again.
    strict: false,
    strictNumbers: true,
    meta: false,
    validateSchema: false,
    messages: false,
    inlineRefs: false,
    // Optimizing takes a third of the generation time; V8 runs both equally fast.
    code: { optimize: false },
  });
  ajv.addKeyword(kindKeyword(openness));
  // ajv's own keywords count the code points of every text; these count only when the UTF-16 length
  // leaves a doubt.
  ajv.removeKeyword('maxLength');
  ajv.removeKeyword('minLength');
  ajv.addKeyword(
    lengthKeyword('maxLength', (text, max) => text.length > max && codePointCount(text) > max),
  );
  ajv.addKeyword(
    lengthKeyword('minLength', (text, min) => text.length < 2 * min && codePointCount(text) < min),
  );
  return ajv;
};
type CheckGenerator = {
  readonly ajv: Ajv;
  readonly known: Map<string, FitsCheck>;
  /** Place of a shape's definitions, by their JSON text. */
  readonly named: Map<string, string>;
};
const generatorOf = (openness: Openness): CheckGenerator => ({
  ajv: ajvOf(openness),
  known: new Map(),
  named: new Map(),
});
const generators = { open: generatorOf('open'), closed: generatorOf('closed') };
