import { Type, type TObject, type TSchema } from 'typebox';
import { parseJsonText } from '../kernel/json-text.js';
import { namedSchema, type Json, type JsonObject } from '../kernel/schema-types.js';
import {
  takesIdempotencyKey,
  type Method,
  type Operation,
  type Scheme,
  type UnknownMembers,
} from './operation.js';
import { describedComponent, parameterDescription } from './openapi-descriptions.js';
import { exampleOf, exampleParameter } from './openapi-examples.js';
import { publisher, reference, type Publish } from './openapi-schemas.js';
import { descriptionVersion } from './service.js';

/** Tag of the document: operations about one thing. */
export type OpenApiTag = {
  readonly name: string;
  readonly description: string;
  readonly operations: readonly Pick<Operation, 'operationId'>[];
};

type Description = {
  readonly operations: readonly Operation[];
  /** Schemas that `componentSchema(name)` stands for (kernel/schema-types.ts). */
  readonly components: Readonly<Record<string, TSchema>>;
  readonly nouns?: readonly OpenApiTag[];
  /** Header that carries an API key. */
  readonly keyHeader?: string;
};

/**
 * OpenAPI 3.1.0 document of the operations. Deterministic, member by member: paths by name, methods
 * in the order of `methods`. A named schema appears once, under `components/schemas`, and a request
 * body under the name of its operation; recurring parameters appear once too. Throws on a component
 * without a schema, and on a name that two schemas share.
 */
export const openApiDocument = ({
  operations,
  components,
  nouns = [],
  keyHeader = 'Service-API-Key',
}: Description): JsonObject => {
  const schemas = new Map<string, Json>();
  const publish = publisher(components, schemas);
  const answers = new Map<string, Json>();
  const placed = [...operations].sort(operationOrder);
  const parameters = new Map(placed.map((one) => [one, parametersOf(one, publish)]));
  const recurring = recurringOf([...parameters.values()].flat());
  const tagOf = new Map(
    nouns.flatMap(({ name, operations: own }) => own.map((one) => [one.operationId, name])),
  );
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of placed) {
    const { path, method, operationId } = operation;
    const tag = tagOf.get(operationId);
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: {
        operationId,
        ...(tag !== undefined && { tags: [tag] }),
        ...operationObject(operation),
        parameters: (parameters.get(operation) ?? []).map(
          (one) => recurring.referenceTo(one) ?? one,
        ),
        ...operationContent(operation, publish, answers),
      },
    };
  }
  for (const one of [validationError, problem]) publish(one);
  for (const [name, one] of schemas) schemas.set(name, describedComponent(name, one));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Assay',
      version: descriptionVersion,
      description: 'Records, inspects and scores runs of applications built on language models.',
      license: { name: 'UNLICENSED', identifier: 'LicenseRef-UNLICENSED' },
    },
    servers: [{ url: '/', description: 'The service at the address of this document' }],
    tags: nouns.map(({ name, description }) => ({ name, description })),
    paths,
    components: {
      schemas: byName(schemas),
      parameters: byName(recurring.parameters),
      examples: byName(
        new Map(
          [...answers].map(([name, one]) => [name, { value: exampleOf(one, schemas, name) }]),
        ),
      ),
      responses: refusals,
      securitySchemes: securitySchemes(keyHeader),
    },
  };
};

const byName = (named: ReadonlyMap<string, Json>): JsonObject =>
  Object.fromEntries([...named].sort(([one], [other]) => (one < other ? -1 : 1)));

const methods: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const operationOrder = (one: Operation, other: Operation): number => {
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

/** Validation error (contract 1.4). */
const validationError = namedSchema(
  'HTTPValidationError',
  Type.Object({
    detail: Type.Array(
      namedSchema(
        'ValidationComplaint',
        Type.Object({ loc: Type.Array(Type.String()), msg: Type.String(), type: Type.String() }),
      ),
    ),
  }),
);
/** Problem document (contract 1.5). */
const problem = namedSchema(
  'Problem',
  Type.Object({
    detail: Type.String(),
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    code: Type.String(),
    request_id: Type.String(),
    progress: Type.Optional(
      Type.Object({
        read_model: Type.String(),
        ratio: Type.Number({ minimum: 0, maximum: 1 }),
        eta_seconds: Type.Union([Type.Integer(), Type.Null()]),
      }),
    ),
  }),
);

const described = (description: string, schema: Json): JsonObject => ({
  description,
  content: { 'application/json': { schema } },
});
const refusals: JsonObject = {
  Invalid: described('Validation error', reference('HTTPValidationError')),
  Refused: described('Refused', reference('Problem')),
  Unavailable: described('Not possible now', reference('Problem')),
};
const refusal = (name: string): JsonObject => ({ $ref: `#/components/responses/${name}` });

const bytes = { type: 'string', format: 'binary' };
const bodyMedia = { json: 'application/json', urlencoded: 'application/x-www-form-urlencoded' };

/** Name of a request body: `createLogStream` sends a `CreateLogStream`. */
const bodyName = ({ operationId }: Operation): string =>
  `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}`;

/**
 * Name of a response schema; undefined for lists and texts, since the items of a list have a name.
 */
const answerName = (operation: Operation): string | undefined =>
  'properties' in operation.response ? `${bodyName(operation)}Response` : undefined;

/** Schema of the body as checked: closed if the operation refuses unknown members. */
const withClosedMembers = (body: TSchema, { unknownMembers }: Operation): TSchema =>
  unknownMembers === 'refused' ? { ...body, additionalProperties: false } : body;

/** Request body; a form has its file parts as binary strings next to the text parts. */
const requestBody = (body: TSchema, operation: Operation, publish: Publish): JsonObject => {
  const { form, encoding, example, protobuf } = operation;
  if (form === null) {
    return {
      required: 'required' in body || !('properties' in body),
      content: {
        [bodyMedia[encoding]]: {
          schema: publish(withClosedMembers(body, operation), bodyName(operation)),
          example,
        },
        ...(protobuf !== null && { 'application/x-protobuf': { schema: bytes } }),
      },
    };
  }
  const files = Object.entries(form.files);
  const parts = body as TObject;
  const whole = Type.Object({
    ...Object.fromEntries(
      files.map(([part, { required }]) => {
        const file = Type.String({ format: 'binary' });
        return [part, required ? file : Type.Optional(file)];
      }),
    ),
    ...parts.properties,
  });
  const sent = {
    ...Object.fromEntries(files.map(([part]) => [part, 'what is in the file'])),
    ...(example as JsonObject | null),
  };
  return {
    required: 'required' in whole,
    content: {
      'multipart/form-data': { schema: publish(whole, bodyName(operation)), example: sent },
    },
  };
};

/** Description of unknown members (contract 1.2, rule 3); the default, ignored, needs none. */
const unknownMembersText: Readonly<Record<UnknownMembers, string>> = {
  ignored: '',
  'near misses refused': 'A misspelt member is refused. ',
  refused: 'Unknown members and parameters are refused. ',
};

const operationObject = (operation: Operation): JsonObject => ({
  summary: operation.summary,
  description:
    `${operation.description} ${unknownMembersText[operation.unknownMembers]}` +
    `Requires \`${operation.requires}\`; contract ${operation.section}.`.trim(),
  // An operation without credentials declares that too: the document has no global security.
  security: operation.schemes.map((one) => ({ [schemeNames[one]]: [] })),
});

/** `answers`: schemas that need an example, by their name under the components. */
const operationContent = (
  operation: Operation,
  publish: Publish,
  answers: Map<string, Json>,
): JsonObject => {
  const { body, status } = operation;
  return {
    ...(body !== null && { requestBody: requestBody(body, operation, publish) }),
    responses: {
      [String(status)]: status === 204 ? emptyAnswer : answer(operation, publish, answers),
      '422': refusal('Invalid'),
      '4XX': refusal('Refused'),
      '5XX': refusal('Unavailable'),
    },
  };
};

/** Position token (contract 1.6). */
const position = { type: 'string', pattern: '^[0-9A-Za-z_-]{1,64}$' };
const emptyAnswer: JsonObject = {
  description: 'Done',
  headers: {
    'X-Log-Position': {
      description: 'Position of the last event that the request appended.',
      schema: position,
      example: '00000000000005a1',
    },
  },
};

const answer = (operation: Operation, publish: Publish, answers: Map<string, Json>): JsonObject => {
  const { response, media, otherMedia } = operation;
  const schema = publish(response, answerName(operation)) as JsonObject;
  const items = schema['items'] as JsonObject | undefined;
  const [whole, item] = [schema['$ref'], items?.['$ref']].map((ref) =>
    typeof ref === 'string' ? ref.replace('#/components/schemas/', '') : null,
  );
  const name = whole ?? (item == null ? bodyName(operation) : `${item}List`);
  answers.set(name, schema);
  const examples = { [name]: { $ref: `#/components/examples/${name}` } };
  const content = {
    [media]: { schema, examples },
    ...(otherMedia !== null && { [otherMedia]: { schema } }),
  };
  return { description: 'Successful response', content };
};

type Parameter = JsonObject & { readonly name: string };

const requiredOf = (schema: TSchema): readonly string[] =>
  (schema as { readonly required?: readonly string[] }).required ?? [];

const parametersOf = (operation: Operation, publish: Publish): readonly Parameter[] => {
  const { operationId, params, query, kind, schemes, conditional } = operation;
  const listed = (place: string, schema: TObject): readonly Parameter[] =>
    Object.entries(schema.properties as Readonly<Record<string, TSchema>>).map(([name, one]) => {
      const { description, ...published } = publish(one) as JsonObject;
      return {
        name,
        in: place,
        description: description ?? parameterDescription(operationId, name),
        required: requiredOf(schema).includes(name),
        schema: published,
        ...(place === 'path' && { example: exampleParameter(name) }),
      };
    });
  const header = (name: string, pattern?: string): Parameter => ({
    name,
    in: 'header',
    description: parameterDescription(operationId, name),
    required: false,
    schema: { type: 'string', ...(pattern !== undefined && { pattern }) },
  });
  return [
    ...listed('path', params),
    ...listed('query', query),
    ...(takesIdempotencyKey(operation) ? [header('Idempotency-Key', '^[!-~]{1,255}$')] : []),
    ...(kind === 'r' && schemes.length > 0 ? [header('X-Min-Position', position.pattern)] : []),
    ...(conditional ? [header('If-Match')] : []),
  ];
};

/** Parameters of more than one operation, by name; when two share a name, the more frequent one. */
const recurringOf = (all: readonly Parameter[]) => {
  const times = new Map<string, number>();
  for (const one of all) times.set(JSON.stringify(one), (times.get(JSON.stringify(one)) ?? 0) + 1);
  const parameters = new Map<string, Parameter>();
  for (const [text, count] of [...times].sort(([, one], [, other]) => other - one)) {
    const one = parseJsonText(text) as Parameter;
    if (count > 1 && !parameters.has(one.name)) parameters.set(one.name, one);
  }
  return {
    parameters,
    referenceTo: (one: Parameter): JsonObject | null =>
      JSON.stringify(parameters.get(one.name)) === JSON.stringify(one)
        ? { $ref: `#/components/parameters/${one.name}` }
        : null,
  };
};
