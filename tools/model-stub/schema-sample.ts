import type { Json, JsonObject } from '../../kernel/schema-types.js';

/** Nesting at most: a recursive schema ends with null there. */
const depthMax = 32;

/**
 * A value that fits a JSON schema, as far as models get them: types, enum, const, ranges, lengths,
 * `anyOf`, `$ref` to `$defs`. `fraction` (0 up to 1) chooses among choices, booleans and ranges, so
 * that equal fractions give equal values; `text` fills strings.
 */
export const sampleOf = (schema: Json, fraction: number, text: string): Json =>
  sampleAt(schema, { root: schema, fraction, text, depth: 0 });

type Sampling = {
  readonly root: Json;
  readonly fraction: number;
  readonly text: string;
  readonly depth: number;
};

const sampleAt = (schema: Json | undefined, sampling: Sampling): Json => {
  if (!isObject(schema) || sampling.depth > depthMax) return null;
  const below = { ...sampling, depth: sampling.depth + 1 };
  const { $ref: ref, const: only, enum: choices } = schema;
  if (typeof ref === 'string') return sampleAt(referred(sampling.root, ref), below);
  if (only !== undefined) return only;
  if (isArray(choices)) return choices[Math.floor(sampling.fraction * choices.length)] ?? null;
  const [branch] = [schema['anyOf'], schema['oneOf'], schema['allOf']].flatMap((branches) =>
    isArray(branches) ? branches : [],
  );
  return branch === undefined ? ofType(schema, below) : sampleAt(branch, below);
};

const ofType = (schema: JsonObject, sampling: Sampling): Json => {
  const type = isArray(schema['type']) ? schema['type'][0] : schema['type'];
  switch (typeof type === 'string' ? type : 'object') {
    case 'boolean':
      return sampling.fraction < truePart;
    case 'integer':
    case 'number':
      return numberIn(schema, sampling.fraction, type === 'integer');
    case 'string':
      return textIn(schema, sampling.text);
    case 'array': {
      const items = Math.max(1, numberOf(schema['minItems']) ?? 1);
      return Array.from({ length: items }, () => sampleAt(schema['items'], sampling));
    }
    case 'null':
      return null;
    default: {
      const members = isObject(schema['properties']) ? schema['properties'] : {};
      return Object.fromEntries(
        Object.entries(members).map(([name, member]) => [name, sampleAt(member, sampling)]),
      );
    }
  }
};
/** Most booleans are true, so that a judge of the stub is content more often than not. */
const truePart = 0.8;

const numberIn = (schema: JsonObject, fraction: number, isWhole: boolean): number => {
  const min = numberOf(schema['minimum']) ?? (numberOf(schema['exclusiveMinimum']) ?? -1) + 1;
  const max = numberOf(schema['maximum']) ?? min + 1;
  const value = min + (max - min) * fraction;
  return isWhole ? Math.round(value) : Number(value.toFixed(2));
};

const textIn = (schema: JsonObject, text: string): string =>
  text
    .padEnd(numberOf(schema['minLength']) ?? 0, '.')
    .slice(0, numberOf(schema['maxLength']) ?? text.length);

/** Definition that a reference such as `#/$defs/Answer` names. */
const referred = (root: Json, ref: string): Json | undefined =>
  ref
    .split('/')
    .slice(1)
    .reduce<Json | undefined>((at, name) => (isObject(at) ? at[name] : undefined), root);

const isArray = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);
const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const numberOf = (value: Json | undefined): number | null =>
  typeof value === 'number' ? value : null;
