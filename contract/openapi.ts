import { Type, type TObject, type TSchema } from 'typebox';
import type { Json, JsonObject } from '../kernel/shapes.js';
import { takesIdempotencyKey, type Method, type Operation, type Scheme } from './operation.js';
import { publisher, reference, type Publish } from './openapi-schemas.js';
import { descriptionVersion } from './service.js';

export type Description = {
  readonly operations: readonly Operation[];
  /** What `component(name)` stands for in the schemas (kernel/shapes.ts). */
  readonly components: Readonly<Record<string, TSchema>>;
  /** The header that carries an API key. */
  readonly keyHeader?: string;
};

/**
 * The OpenAPI 3.1.0 document of the operations. The same operations give the same document, member
 * by member: paths by name, methods in the order of `methods`. Recursive schemas and components
 * stand once under `components/schemas`. Throws on a component that nobody described.
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

const described = (description: string, schema: Json, media = 'application/json'): JsonObject => ({
  description,
  content: { [media]: { schema } },
});

const bodyMedia = { json: 'application/json', urlencoded: 'application/x-www-form-urlencoded' };

/** A form has its file parts as binary strings beside the text parts. */
const requestBody = (
  body: TSchema,
  { form, encoding }: Operation,
  publish: Publish,
): JsonObject => {
  if (form === null) {
    return {
      required: 'required' in body,
      content: { [bodyMedia[encoding]]: { schema: publish(body) } },
    };
  }
  const files = Object.entries(form.files);
  const parts = publish(body) as {
    readonly properties?: JsonObject;
    readonly required?: readonly string[];
  };
  const required = [
    ...files.filter(([, file]) => file.required).map(([part]) => part),
    ...(parts.required ?? []),
  ];
  const schema = {
    type: 'object',
    ...(required.length > 0 && { required }),
    properties: {
      ...Object.fromEntries(files.map(([part]) => [part, { type: 'string', format: 'binary' }])),
      ...parts.properties,
    },
  };
  return { required: required.length > 0, content: { 'multipart/form-data': { schema } } };
};

const operationObject = (operation: Operation, publish: Publish): JsonObject => {
  const { body, status, schemes, media } = operation;
  return {
    operationId: operation.operationId,
    summary: operation.summary,
    ...(schemes.length > 0 && { security: schemes.map((one) => ({ [schemeNames[one]]: [] })) }),
    parameters: parametersOf(operation, publish),
    ...(body !== null && { requestBody: requestBody(body, operation, publish) }),
    responses: {
      [String(status)]:
        status === 204
          ? { description: 'Done' }
          : described('Successful response', publish(operation.response), media),
      '422': described('Validation error', reference('HTTPValidationError')),
      '4XX': described('Refused', reference('Problem')),
      '5XX': described('Not possible now', reference('Problem')),
    },
  };
};

const requiredOf = (schema: TSchema): readonly string[] =>
  (schema as { readonly required?: readonly string[] }).required ?? [];

const parametersOf = (operation: Operation, publish: Publish): readonly Json[] => {
  const { params, query, kind, schemes, conditional } = operation;
  const listed = (place: string, schema: TObject): readonly Json[] =>
    Object.entries(schema.properties as Readonly<Record<string, TSchema>>).map(([name, one]) => ({
      name,
      in: place,
      required: requiredOf(schema).includes(name),
      schema: publish(one),
    }));
  const header = (name: string, pattern?: string): Json => ({
    name,
    in: 'header',
    required: false,
    schema: { type: 'string', ...(pattern !== undefined && { pattern }) },
  });
  return [
    ...listed('path', params),
    ...listed('query', query),
    ...(takesIdempotencyKey(operation) ? [header('Idempotency-Key', '^[!-~]{1,255}$')] : []),
    ...(kind === 'r' && schemes.length > 0
      ? [header('X-Min-Position', '^[0-9A-Za-z_-]{1,64}$')]
      : []),
    ...(conditional ? [header('If-Match')] : []),
  ];
};
