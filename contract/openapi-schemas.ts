import type { TSchema } from 'typebox';
import type { Json, JsonObject } from '../kernel/schema-types.js';

type Raw = Readonly<Record<string, unknown>>;

/**
 * Returns the schema as published in the document. A named one (`namedSchema`,
 * kernel/schema-types.ts) goes under the components and a reference is returned; the same holds for
 * one without a name if `name` gives it one.
 */
export type Publish = (schema: TSchema, name?: string) => Json;

export const reference = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

/** Keywords for our guard only, hidden from clients. */
const hidden: ReadonlySet<string> = new Set([
  'x-kind',
  'x-secret',
  'x-otherwise',
  'x-component',
  '$id',
  'additionalItems',
]);

/**
 * Writes schemas for one document and collects named ones in `named`. Throws when two schemas have
 * one name.
 */
export const publisher = (
  components: Readonly<Record<string, TSchema>>,
  named: Map<string, Json>,
): Publish => {
  /** Schema text of each name, before it is written. */
  const meant = new Map<string, string>();
  const define = (name: string, raw: Raw, names: ReadonlyMap<string, string>): JsonObject => {
    const text = JSON.stringify({ ...raw, 'x-component': undefined });
    if ((meant.get(name) ?? text) !== text) throw new Error(`two schemas are called ${name}`);
    if (!named.has(name)) {
      meant.set(name, text);
      // Registered before its content is written, so that it may refer to itself.
      named.set(name, null);
      named.set(name, content(raw, names));
    }
    return reference(name);
  };
  const asComponent = (name: string): Json => {
    const schema = components[name];
    if (schema === undefined) throw new Error(`component ${name} has no schema`);
    return define(name, schema as Raw, new Map());
  };
  /** `names`: the document's names for the enclosing `$defs`. */
  const written = (raw: Raw, names: ReadonlyMap<string, string>): Json => {
    const name = raw['x-component'];
    if (typeof name !== 'string') return content(raw, names);
    return Object.keys(raw).length === 1 ? asComponent(name) : define(name, raw, names);
  };
  const content = (raw: Raw, outer: ReadonlyMap<string, string>): Json => {
    const names = raw['$defs'] === undefined ? outer : hoisted(raw['$defs'] as Raw, outer);
    if (typeof raw['$ref'] === 'string') return referred(raw['$ref'], names);
    return short(
      open(
        Object.fromEntries(
          Object.entries(raw).flatMap(([keyword, value]) => {
            if (hidden.has(keyword) || keyword === '$defs') return [];
            return [member(keyword, value, (one) => written(one as Raw, names))];
          }),
        ),
      ),
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
    for (const [name, raw] of Object.entries(definitions)) define(name, raw as Raw, names);
    return names;
  };
  return (schema, name) => {
    const raw = schema as Raw;
    const isPlain = raw['x-component'] === undefined && raw['$defs'] === undefined;
    if (name !== undefined && isPlain) return define(name, raw, new Map());
    return written(raw, new Map());
  };
};

/** Marks an object without members as open; otherwise clients take it as empty. */
const open = (written: JsonObject): JsonObject => {
  const { properties, ...others } = written;
  const isEmpty = properties !== undefined && Object.keys(properties as JsonObject).length === 0;
  return isEmpty ? { additionalProperties: true, ...others } : written;
};

/** Shortens null next to one plain type: `type: [string, null]`. */
const short = (written: JsonObject): JsonObject => {
  const { anyOf, ...others } = written;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return written;
  const [one = {}, other = {}] = anyOf as readonly JsonObject[];
  const isPlain = typeof one['type'] === 'string' && !('enum' in one) && !('const' in one);
  return isPlain && other['type'] === 'null'
    ? { ...one, ...others, type: [one['type'] ?? null, 'null'] }
    : written;
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
