import { expect } from 'chai';
import { Type, type TSchema } from 'typebox';
import { openApiDocument } from '../../contract/openapi.js';
import { operation, type Operation } from '../../contract/operation.js';
import { healthcheck, readDescription } from '../../contract/service.js';
import {
  componentSchema,
  id,
  nullish,
  namedSchema,
  secret,
  type Json,
} from '../../kernel/schema-types.js';
import { serviceReads } from '../../query-api/service/routes.js';
import { operationDefaults, smallService } from '../support/small-service.js';

const tree = Type.Cyclic(
  { Tree: Type.Object({ kids: nullish(Type.Array(Type.Ref('Tree'))) }) },
  'Tree',
);
const plant = operation({
  ...operationDefaults,
  schemes: ['K', 'B', 'P'],
  operationId: 'plant',
  method: 'POST',
  path: '/v2/trees/{tree_id}',
  kind: 'w',
  params: Type.Object({ tree_id: id('TreeId') }),
  query: Type.Object({ depth: Type.Optional(Type.Integer()) }),
  body: Type.Object({
    trees: Type.Array(tree),
    filter: nullish(componentSchema<Json>('Filter')),
    range: Type.Tuple([Type.Number(), Type.Number()]),
    labels: Type.Record(Type.String(), Type.String()),
  }),
  response: Type.Object({ first: tree, api_key: secret() }),
});
const see: Operation = { ...plant, operationId: 'see', method: 'GET', kind: 'r', body: null };
const components: Readonly<Record<string, TSchema>> = {
  Filter: Type.Union([
    Type.Object({ leaf: Type.Unsafe({ $ref: '#/components/schemas/Leaf' }) }),
    Type.Object({ not: Type.Unsafe({ $ref: '#/components/schemas/Filter' }) }),
  ]),
  Leaf: Type.Object({ name: Type.String() }),
};
type Anything = Record<string, never> & { readonly [member: string]: Anything };
const documentOf = (...operations: readonly Operation[]) =>
  openApiDocument({ operations, components }) as unknown as Anything;

describe('the OpenAPI document', () => {
  it('is of version 3.1.0 and names the version of the service', () => {
    const document = documentOf(plant);
    expect(document['openapi']).to.equal('3.1.0');
    expect(document['info']).to.include({ version: '0.1.0' });
  });
  it('has each operation once, under its own path, whatever the order they come in', () => {
    const text = JSON.stringify(documentOf(plant, see, healthcheck));
    expect(JSON.stringify(documentOf(healthcheck, see, plant))).to.equal(text);
    const paths: Anything = documentOf(plant, see, healthcheck)['paths'] ?? {};
    expect(Object.keys(paths)).to.deep.equal(['/v2/healthcheck', '/v2/trees/{tree_id}']);
    expect(Object.keys(paths['/v2/trees/{tree_id}'] ?? {})).to.deep.equal(['get', 'post']);
  });
  it('lists parameters, headers and the schemes of its security', () => {
    const post = documentOf(plant)['paths']?.['/v2/trees/{tree_id}']?.['post'];
    const parameters = post?.['parameters'] as unknown as readonly Record<string, unknown>[];
    expect(
      parameters.map(({ name, in: place, required }) => [name, place, required]),
    ).to.deep.equal([
      ['tree_id', 'path', true],
      ['depth', 'query', false],
      ['Idempotency-Key', 'header', false],
    ]);
    expect(post?.['security']).to.deep.equal([
      { APIKeyHeader: [] },
      { OAuth2PasswordBearer: [] },
      { HTTPBasic: [] },
    ]);
    expect(Object.keys(documentOf(plant)['components']?.['securitySchemes'] ?? {})).to.deep.equal([
      'APIKeyHeader',
      'HTTPBasic',
      'OAuth2PasswordBearer',
      'RefreshCookie',
    ]);
  });
  it('describes recurring parts once, and resolves every reference', () => {
    const document = documentOf(plant, see);
    const schemas = document['components']?.['schemas'] ?? {};
    expect(Object.keys(schemas)).to.deep.equal([
      'Filter',
      'HTTPValidationError',
      'Leaf',
      'Plant',
      'PlantResponse',
      'Problem',
      'SeeResponse',
      'Tree',
      'ValidationComplaint',
    ]);
    expect(Object.keys(document['components']?.['parameters'] ?? {})).to.deep.equal([
      'depth',
      'tree_id',
    ]);
    const references = JSON.stringify(document).matchAll(/"\$ref":"#([^"]*)"/g);
    for (const [, reference = ''] of references) {
      const steps = reference.split('/').slice(1);
      const found = steps.reduce<Anything | undefined>((place, step) => place?.[step], document);
      expect(found, reference).to.be.an('object');
    }
  });
  it('fails to build when two schemas have one name', () => {
    const other = {
      ...see,
      response: namedSchema('Plant', Type.Object({ leaves: Type.Integer() })),
    };
    expect(() => documentOf(plant, other)).to.throw('two schemas are called Plant');
  });
  it('keeps what only the guard needs to itself', () => {
    const text = JSON.stringify(documentOf(plant));
    expect(text).not.to.match(/x-secret|x-kind|x-component|\$defs|patternProperties/);
    const schemas: Anything = documentOf(plant)['components']?.['schemas'] ?? {};
    expect(JSON.stringify(schemas['Plant'])).to.include('"prefixItems"');
  });
  it('fails to build when a component has no description', () =>
    expect(() => openApiDocument({ operations: [plant], components: {} })).to.throw('Filter'));
  it('is public, with and without the prefix, like the healthcheck', async () => {
    const describeRoutes = () =>
      openApiDocument({ operations: [healthcheck, readDescription], components: {} });
    const service = await smallService(serviceReads({ describe: describeRoutes }));
    for (const path of ['/v2/openapi.json', '/openapi.json']) {
      expect((await service.as(null).send('GET', path)).body).to.deep.equal(describeRoutes());
    }
    expect((await service.as(null).send('GET', '/healthcheck')).body).to.deep.equal({
      api_version: 'v2',
      message: 'ok',
      version: '0.1.0',
    });
    await service.close();
  });
});
