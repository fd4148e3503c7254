import type { TSchema } from 'typebox';
import type { Json, JsonObject } from '../kernel/shapes.js';

type Raw = Readonly<Record<string, unknown>>;

/**
 * Answers the schema as the document has it; with a name, puts it under the components and answers
 * the reference.
 */
export type Publish = (schema: TSchema, name?: string) => Json;

export const reference = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

/** Ours alone: the guard reads them, a client need not. */
const hidden: ReadonlySet<string> = new Set([
  'x-kind',
  'x-secret',
  'x-otherwise',
  '$id',
  'additionalItems',
]);

/** Writes schemas for one document; what stands in it once is gathered in `named`. */
export const publisher = (
  components: Readonly<Record<string, TSchema>>,
  named: Map<string, Json>,
): Publish => {
  const asComponent = (name: string): Json => {
    if (!named.has(name)) {
      const schema = components[name];
      if (schema === undefined) throw new Error(`nobody described the component ${name}`);
      define(name, schema as Raw, new Map());
    }
    return reference(name);
  };
  const define = (name: string, raw: Raw, names: ReadonlyMap<string, string>): void => {
    // Taken before its content is written, so that it may refer to itself.
    named.set(name, null);
    named.set(name, written(raw, names));
  };
  /** `names`: what the enclosing `$defs` are called in the document. */
  const written = (raw: Raw, outer: ReadonlyMap<string, string>): Json => {
    if (typeof raw['x-component'] === 'string') return asComponent(raw['x-component']);
    const names = raw['$defs'] === undefined ? outer : hoisted(raw['$defs'] as Raw, outer);
    if (typeof raw['$ref'] === 'string') return referred(raw['$ref'], names);
    return Object.fromEntries(
      Object.entries(raw).flatMap(([keyword, value]) => {
        if (hidden.has(keyword) || keyword === '$defs') return [];
        return [member(keyword, value, (one) => written(one as Raw, names))];
      }),
    );
  };
  const referred = (ref: string, names: ReadonlyMap<string, string>): Json => {
    const inDocument = /^#\/components\/schemas\/(\w+)$/.exec(ref)?.[1];
    if (inDocument !== undefined) return asComponent(inDocument);
    return reference(names.get(ref) ?? ref);
  };
  const hoisted = (definitions: Raw, outer: ReadonlyMap<string, string>) => {
    const names = new Map(outer);
    for (const name of Object.keys(definitions)) names.set(name, name);
    for (const [name, raw] of Object.entries(definitions)) {
      if (!named.has(name)) define(name, raw as Raw, names);
    }
    return names;
  };
  return (schema, name) => {
    if (name === undefined) return written(schema as Raw, new Map());
    define(name, schema as Raw, new Map());
    return reference(name);
  };
};

const mapped = (members: Raw, each: (one: unknown) => Json): JsonObject =>
  Object.fromEntries(Object.entries(members).map(([name, one]) => [name, each(one)]));

const member = (
  keyword: string,
  value: unknown,
  each: (one: unknown) => Json,
): readonly [string, Json] => {
  switch (keyword) {
    case 'properties':
      return [keyword, mapped(value as Raw, each)];
    case 'patternProperties':
      return ['additionalProperties', each(Object.values(value as Raw)[0])];
    case 'anyOf':
    case 'oneOf':
    case 'allOf':
      return [keyword, (value as readonly unknown[]).map(each)];
    case 'items':
      return Array.isArray(value) ? ['prefixItems', value.map(each)] : [keyword, each(value)];
    case 'additionalProperties':
    case 'propertyNames':
      return [keyword, typeof value === 'boolean' ? value : each(value)];
    default:
      return [keyword, value as Json];
  }
};
