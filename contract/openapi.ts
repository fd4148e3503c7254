import { Type, type TObject, type TSchema } from 'typebox';
import type { Json, JsonObject } from '../kernel/shapes.js';
import type { Method, Operation, Scheme } from './operation.js';
import { descriptionVersion } from './service.js';

type Raw = Readonly<Record<string, unknown>>;

export type Description = {
  readonly operations: readonly Operation[];
  /** What `component(name)` stands for in the schemas (kernel/shapes.ts). */
  readonly components: Readonly<Record<string, TSchema>>;
  /** The header that carries an API key. */
  readonly keyHeader?: string;
};

/**
 * The OpenAPI 3.1.0 document of the operations. The same operations give the same document, member by member: paths by
 * name, methods in the order of `methods`. Recursive schemas and components stand once under `components/schemas`.
 * Throws on a component that nobody described.
 */
export const openApiDocument = ({
  operations,
  components,
  keyHeader = 'Service-API-Key',
}: Description): JsonObject => {
  const named = new Map<string, Json>();
  const publish = publisher(components, named);
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of [...operations].sort(byPlace)) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: operationObject(operation, publish),
    };
  }
  publish(validationError, 'HTTPValidationError');
  publish(problem, 'Problem');
  return {
    openapi: '3.1.0',
    info: {
      title: 'Assay',
      version: descriptionVersion,
      description: 'Records, inspects and scores runs of applications built on language models.',
    },
    paths,
    components: {
      schemas: Object.fromEntries([...named].sort(([one], [other]) => (one < other ? -1 : 1))),
      securitySchemes: securitySchemes(keyHeader),
    },
  };
};

const methods: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const byPlace = (one: Operation, other: Operation): number => {
  if (one.path !== other.path) return one.path < other.path ? -1 : 1;
  return methods.indexOf(one.method) - methods.indexOf(other.method);
};

const schemeNames: Readonly<Record<Scheme, string>> = {
  K: 'APIKeyHeader',
  B: 'OAuth2PasswordBearer',
  P: 'HTTPBasic',
  C: 'RefreshCookie',
};
const securitySchemes = (keyHeader: string): JsonObject => ({
  APIKeyHeader: { type: 'apiKey', in: 'header', name: keyHeader },
  HTTPBasic: { type: 'http', scheme: 'basic' },
  OAuth2PasswordBearer: {
    type: 'oauth2',
    flows: { password: { tokenUrl: '/v2/login', scopes: {} } },
  },
  RefreshCookie: { type: 'apiKey', in: 'cookie', name: 'refresh_token' },
});

/** Contract 1.4. */
const validationError = Type.Object({
  detail: Type.Array(
    Type.Object({ loc: Type.Array(Type.String()), msg: Type.String(), type: Type.String() }),
  ),
});
/** Contract 1.5. */
const problem = Type.Object({
  detail: Type.String(),
  type: Type.String(),
  title: Type.String(),
  status: Type.Integer(),
  code: Type.String(),
  request_id: Type.String(),
});

/** Answers the schema as the document has it; with a name, puts it under the components and answers the reference. */
type Publish = (schema: TSchema, name?: string) => Json;

const reference = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });
const described = (description: string, schema: Json): JsonObject => ({
  description,
  content: { 'application/json': { schema } },
});

const operationObject = (operation: Operation, publish: Publish): JsonObject => {
  const { body, status, schemes } = operation;
  const isBodyNeeded = body !== null && ((body as Raw)['required'] as unknown[] | undefined);
  return {
    operationId: operation.operationId,
    summary: operation.summary,
    ...(schemes.length > 0 && { security: schemes.map((one) => ({ [schemeNames[one]]: [] })) }),
    parameters: parametersOf(operation, publish),
    ...(body !== null && {
      requestBody: {
        required: Array.isArray(isBodyNeeded),
        content: { 'application/json': { schema: publish(body) } },
      },
    }),
    responses: {
      [String(status)]:
        status === 204
          ? { description: 'Done' }
          : described('Successful response', publish(operation.response)),
      '422': described('Validation error', reference('HTTPValidationError')),
      '4XX': described('Refused', reference('Problem')),
      '5XX': described('Not possible now', reference('Problem')),
    },
  };
};

const parametersOf = (operation: Operation, publish: Publish): readonly Json[] => {
  const { params, query, kind, method, schemes } = operation;
  const listed = (place: string, schema: TObject): readonly Json[] =>
    Object.entries(schema.properties as Readonly<Record<string, TSchema>>).map(([name, one]) => ({
      name,
      in: place,
      required:
        ((schema as Raw)['required'] as readonly string[] | undefined)?.includes(name) ?? false,
      schema: publish(one),
    }));
  const header = (name: string, pattern: string): Json => ({
    name,
    in: 'header',
    required: false,
    schema: { type: 'string', pattern },
  });
  const isRepeatable = kind === 'w' && (method === 'POST' || method === 'PATCH');
  return [
    ...listed('path', params),
    ...listed('query', query),
    ...(isRepeatable && schemes.length > 0 ? [header('Idempotency-Key', '^[!-~]{1,255}$')] : []),
    ...(kind === 'r' && schemes.length > 0
      ? [header('X-Min-Position', '^[0-9A-Za-z_-]{1,64}$')]
      : []),
  ];
};

/** Ours alone: the guard reads them, a client need not. */
const hidden: ReadonlySet<string> = new Set(['x-kind', 'x-secret', '$id', 'additionalItems']);

const publisher = (
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
        return [member(keyword, value, names)];
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
  const member = (
    keyword: string,
    value: unknown,
    names: ReadonlyMap<string, string>,
  ): readonly [string, Json] => {
    const each = (one: unknown): Json => written(one as Raw, names);
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
  return (schema, name) => {
    if (name === undefined) return written(schema as Raw, new Map());
    define(name, schema as Raw, new Map());
    return reference(name);
  };
};

const mapped = (members: Raw, each: (one: unknown) => Json): JsonObject =>
  Object.fromEntries(Object.entries(members).map(([name, one]) => [name, each(one)]));
