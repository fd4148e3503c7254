import type { TSchema } from 'typebox';

/**
 * Subset of JSON Schema that the guard supports, in the one form that compile.ts and complaints.ts
 * both read. Unions of different JSON types are one shape with several types, because each of its
 * keywords applies to one type only; unions of objects that a literal member tells apart have a
 * `discriminator`; named shapes are under the root's `$defs`.
 */
export type Shape = {
  readonly $ref?: string;
  readonly type?: readonly JsonTypeName[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Shape[];
  readonly allOf?: readonly Shape[];
  readonly discriminator?: { readonly propertyName: string };
  readonly oneOf?: readonly Shape[];
  readonly 'x-kind'?: TextKind;
  /** Complaint about a value of none of the types, where that of the first type would be untrue. */
  readonly 'x-otherwise'?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly items?: Shape | readonly Shape[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Shape | boolean;
  readonly propertyNames?: Shape;
  readonly minProperties?: number;
  readonly maxProperties?: number;
};
export type Definitions = Readonly<Record<string, Shape>>;
export type RootShape = { readonly shape: Shape; readonly definitions: Definitions };
export type JsonTypeName =
  'string' | 'integer' | 'number' | 'boolean' | 'null' | 'array' | 'object';
export type TextKind = 'uuid' | 'instant' | 'name';

export const jsonTypeOf = (value: unknown): JsonTypeName => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value as JsonTypeName;
};

/**
 * `open`: requests, whose unknown members are ignored. `closed`: the service's answers, whose
 * members are all known.
 */
export type Openness = 'open' | 'closed';

const copiedKeywords = [
  'type',
  'enum',
  'const',
  'x-kind',
  'minLength',
  'maxLength',
  'pattern',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minItems',
  'maxItems',
  'required',
  'minProperties',
  'maxProperties',
] as const;
const structuralKeywords = [
  '$ref',
  '$defs',
  'anyOf',
  'allOf',
  'oneOf',
  'items',
  'properties',
  'patternProperties',
  'additionalProperties',
  'propertyNames',
];
const annotationKeywords = [
  '$id',
  'additionalItems',
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'format',
  'discriminator',
  'x-secret',
  'x-otherwise',
  'x-component',
];
const knownKeywords: ReadonlySet<string> = new Set([
  ...copiedKeywords,
  ...structuralKeywords,
  ...annotationKeywords,
]);

type Raw = Readonly<Record<string, unknown>>;
type ShapeScope = {
  readonly openness: Openness;
  readonly components: Components;
  /** Names of the enclosing `$defs`, mapped to names under the root's. */
  readonly names: ReadonlyMap<string, string>;
  readonly definitions: Map<string, Shape>;
};

/** Schemas of `component(name)` (kernel/schema-types.ts), by name. */
type Components = Readonly<Record<string, TSchema>>;

/**
 * Converts a TypeBox schema to a shape. Throws on an unsupported keyword, for requests at boot and
 * for answers at the first one: an unchecked rule must not look like a rule. A component missing in
 * `components` may be any JSON.
 */
export const shapeOf = (
  schema: unknown,
  openness: Openness,
  components: Components = {},
): RootShape => {
  const definitions = new Map<string, Shape>();
  const shape = normalize(schema as Raw, { openness, components, names: new Map(), definitions });
  return { shape, definitions: Object.fromEntries(definitions) };
};

const normalize = (raw: Raw, outer: ShapeScope): Shape => {
  const component = componentIn(raw);
  if (component !== null && outer.components[component] !== undefined) {
    return { $ref: componentReference(component, outer.components[component], outer) };
  }
  for (const keyword of Object.keys(raw)) {
    if (!knownKeywords.has(keyword))
      throw new Error(`the guard does not know the keyword ${keyword}`);
  }
  const scope = raw['$defs'] === undefined ? outer : defineNames(raw['$defs'] as Raw, outer);
  if (typeof raw['$ref'] === 'string') return { $ref: referenceOf(raw['$ref'], scope) };
  const alternatives = (raw['anyOf'] ?? raw['oneOf']) as readonly Raw[] | undefined;
  if (alternatives !== undefined) {
    const otherwise = raw['x-otherwise'] as string | undefined;
    return {
      ...unionShape(alternatives.map((one) => normalize(one, scope))),
      ...(otherwise !== undefined && { 'x-otherwise': otherwise }),
    };
  }
  const { type, ...plain } = Object.fromEntries(
    copiedKeywords
      .filter((keyword) => raw[keyword] !== undefined)
      .map((keyword) => [keyword, raw[keyword]]),
  ) as Raw;
  const types = (typeof type === 'string' ? [type] : type) as readonly JsonTypeName[] | undefined;
  return {
    ...plain,
    ...(types !== undefined && { type: types }),
    ...(types?.includes('integer') === true && safeBounds(raw)),
    ...(raw['allOf'] !== undefined && {
      // Each part sees the members of the others, so none of them can be closed.
      allOf: (raw['allOf'] as readonly Raw[]).map((one) =>
        normalize(one, { ...scope, openness: 'open' }),
      ),
    }),
    ...(raw['items'] !== undefined && { items: itemsOf(raw['items'], scope) }),
    ...membersOf(raw, scope),
  };
};

/** Integer bounds of contract 1.3: exact as a double. */
const safeBounds = (raw: Raw): Shape => ({
  ...(raw['minimum'] === undefined &&
    raw['exclusiveMinimum'] === undefined && { minimum: Number.MIN_SAFE_INTEGER }),
  ...(raw['maximum'] === undefined &&
    raw['exclusiveMaximum'] === undefined && { maximum: Number.MAX_SAFE_INTEGER }),
});

const itemsOf = (items: unknown, scope: ShapeScope): Shape | readonly Shape[] =>
  Array.isArray(items)
    ? items.map((one: Raw) => normalize(one, scope))
    : normalize(items as Raw, scope);

const membersOf = (raw: Raw, scope: ShapeScope): Shape => {
  const properties = Object.entries((raw['properties'] ?? {}) as Readonly<Record<string, Raw>>);
  const named = properties.map(([member, one]) => [member, normalize(one, scope)] as const);
  const others = othersOf(raw, scope, named.length > 0);
  return {
    ...(named.length > 0 && { properties: Object.fromEntries(named) }),
    ...(others !== undefined && { additionalProperties: others }),
    ...(raw['propertyNames'] !== undefined && {
      propertyNames: normalize(raw['propertyNames'] as Raw, scope),
    }),
  };
};

const othersOf = (raw: Raw, scope: ShapeScope, hasNamed: boolean): Shape | boolean | undefined => {
  const patterns = Object.values((raw['patternProperties'] ?? {}) as Readonly<Record<string, Raw>>);
  // TypeBox writes a map as the one pattern ^.*$, which would exclude names with a line break.
  if (patterns.length > 1) throw new Error('the guard knows one pattern of member names: any');
  if (patterns[0] !== undefined) return normalize(patterns[0], scope);
  const others = raw['additionalProperties'];
  if (typeof others === 'boolean') return others;
  if (others !== undefined) return normalize(others as Raw, scope);
  return hasNamed && scope.openness === 'closed' ? false : undefined;
};

const defineNames = (named: Raw, outer: ShapeScope): ShapeScope => {
  const names = new Map(outer.names);
  for (const name of Object.keys(named)) names.set(name, `${name}${outer.definitions.size}`);
  const scope = { ...outer, names };
  for (const name of Object.keys(named)) {
    const place = names.get(name) ?? name;
    // Reserved before its content is read: a shape inside it may define names of its own.
    outer.definitions.set(place, {});
    outer.definitions.set(place, normalize(named[name] as Raw, scope));
  }
  return scope;
};

/** Name of a component, or of one referenced from another component; null for other schemas. */
const componentIn = (raw: Raw): string | null => {
  const name = Object.keys(raw).length === 1 ? raw['x-component'] : undefined;
  if (typeof name === 'string') return name;
  const ref = typeof raw['$ref'] === 'string' ? raw['$ref'] : '';
  return /^#\/components\/schemas\/(\w+)$/.exec(ref)?.[1] ?? null;
};

const componentReference = (name: string, schema: TSchema, scope: ShapeScope): string => {
  const place = `component-${name}`;
  if (!scope.definitions.has(place)) {
    // Reserved before its content is read, so that it may refer to itself.
    scope.definitions.set(place, {});
    scope.definitions.set(place, normalize(schema as Raw, { ...scope, names: new Map() }));
  }
  return `#/$defs/${place}`;
};

const referenceOf = (reference: string, scope: ShapeScope): string => {
  const place = scope.names.get(reference.replace(/^#\/\$defs\//, ''));
  if (place === undefined) throw new Error(`the guard cannot resolve ${reference}`);
  return `#/$defs/${place}`;
};

const unionShape = (branches: readonly Shape[]): Shape => {
  const flat = branches.flatMap((one) => (isUnionOnly(one) ? (one.anyOf ?? []) : [one]));
  const objects = flat.filter((one) => one.type?.[0] === 'object' && one.type.length === 1);
  const tag = objects.length > 1 ? tagOf(objects) : null;
  const parts: readonly Shape[] =
    tag === null
      ? flat
      : [
          { type: ['object'], discriminator: { propertyName: tag }, oneOf: objects },
          ...flat.filter((one) => !objects.includes(one)),
        ];
  // Types keep the order of the schema: the first one words the complaint.
  const ordered =
    tag === null || flat[0] === objects[0] ? parts : [...parts.slice(1), ...parts.slice(0, 1)];
  return mergeBranches(ordered) ?? { anyOf: ordered };
};

const isUnionOnly = (shape: Shape): boolean =>
  shape.anyOf !== undefined && Object.keys(shape).length === 1;

/**
 * Discriminator: the member required in all objects with a different literal in each; null if none
 * qualifies.
 */
const tagOf = (objects: readonly Shape[]): string | null => {
  const candidates = Object.keys(objects[0]?.properties ?? {});
  const tells = (member: string): boolean => {
    const values = objects.map((one) =>
      one.required?.includes(member) === true ? one.properties?.[member]?.const : undefined,
    );
    return (
      values.every((value) => typeof value === 'string') && new Set(values).size === values.length
    );
  };
  return candidates.find(tells) ?? null;
};

/**
 * Merges branches of different JSON types to one shape; null when a keyword of one would bind the
 * other.
 */
const mergeBranches = (branches: readonly Shape[]): Shape | null => {
  const types = branches.flatMap((one) => one.type ?? []);
  const separate =
    branches.every((one) => one.type !== undefined && isTyped(one)) &&
    new Set(types).size === types.length &&
    !(types.includes('integer') && types.includes('number'));
  if (!separate) return null;
  const listed = branches.filter((one) => one.enum !== undefined);
  const onlyNull = branches.every((one) => listed.includes(one) || one.type?.[0] === 'null');
  if (listed.length > 1 || (listed.length === 1 && !onlyNull)) return null;
  const all: Shape = Object.assign({}, ...branches) as Shape;
  return {
    ...all,
    type: types,
    ...(listed[0]?.enum !== undefined && { enum: [...listed[0].enum, null] }),
  };
};

const isTyped = (shape: Shape): boolean =>
  shape.anyOf === undefined &&
  shape.allOf === undefined &&
  shape.const === undefined &&
  shape.$ref === undefined;
