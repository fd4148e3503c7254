import { expect } from 'chai';
import { components, operations } from '../../contract/all.js';
import { descriptions } from '../../contract/descriptions/all.js';
import { parameterDescriptions } from '../../contract/descriptions/parameters.js';
import { nouns } from '../../contract/nouns.js';
import { openApiDocument } from '../../contract/openapi.js';
import type { Operation } from '../../contract/operation.js';
import { compileGuard } from '../../engines/ajv/compile.js';
import type { JsonObject } from '../../kernel/schema-types.js';

type Node = { readonly [member: string]: Node };
const document = openApiDocument({ operations, components, nouns }) as unknown as Node;
const schemas = document['components']?.['schemas'] ?? {};
const found = (complaints: readonly string[]): void =>
  expect(complaints, complaints.join('\n')).to.deep.equal([]) as unknown as void;
const textOf = (node: Node | undefined): string =>
  ((node as JsonObject | undefined)?.['description'] as string | undefined) ?? '';

type Property = {
  readonly component: string;
  /** Names from the component inwards, joined by `.`. */
  readonly path: string;
  readonly name: string;
  readonly schema: Node;
  readonly isListedRequired: boolean;
};

const propertiesOf = (component: string, node: unknown, outer = ''): readonly Property[] => {
  if (typeof node !== 'object' || node === null) return [];
  if (Array.isArray(node)) return node.flatMap((one) => propertiesOf(component, one, outer));
  const { properties, required, ...others } = node as Node;
  const own = Object.entries('type' in node ? (properties ?? {}) : {}).flatMap(([name, schema]) => {
    const path = outer === '' ? name : `${outer}.${name}`;
    const listed = (required as unknown as readonly string[] | undefined) ?? [];
    const property = { component, path, name, schema, isListedRequired: listed.includes(name) };
    return [property, ...propertiesOf(component, schema, path)];
  });
  return [...own, ...propertiesOf(component, Object.values(others), outer)];
};
const properties = Object.entries(schemas).flatMap(([name, one]) => propertiesOf(name, one));

const nameIn = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);

type Parameter = { readonly operationId: string; readonly name: string; readonly node: Node };
const parameters = Object.values(document['paths'] ?? {})
  .flatMap((methods) => Object.values(methods))
  .flatMap(({ operationId, parameters: listed }): readonly Parameter[] =>
    (listed as unknown as readonly Node[]).map((one) => {
      const ref = one['$ref'] as unknown as string | undefined;
      const node = ref === undefined ? one : document['components']?.['parameters']?.[nameIn(ref)];
      return {
        operationId: operationId as unknown as string,
        name: node?.['name'] as unknown as string,
        node: node ?? {},
      };
    }),
  );

/** Members of pages and their requests, which mean the same in every list. */
const ofAllLists = [
  'ascending',
  'filters',
  'limit',
  'operator',
  'paginated',
  'permissions',
  'sort',
];
/** Other names of one word, with the number of components that mean their shared sentence. */
const meantBy = new Map(
  `
    actor 2, annotations 3, at 3, buckets 2, choices 2, collaborators 2, columns 2,
    constraints 2, counts 2, criteria 2, dataset 3, direction 3, email 5, enabled 2, endpoint 4,
    entries 2, erased 2, events 4, explanation 3, flatten 2, head 2, hidden 3, hostname 2,
    input 4, insights 2, inverted 2, key 2, logstream 2, message 4, metadata 2, mgt 2, model 6,
    models 3, otel 2, output 9, position 3, prices 2, prompt 2, provider 2, rating 3, raw 5,
    region 2, reliable 5, resource 2, resourceSpans 3, retries 2, revision 2, scored 2,
    scorers 3, seed 2, seq 3, skipped 2, stream 2, tags 7, temperature 4, threshold 2, token 9,
    values 3, versions 3, visibility 2, weight 2
  `
    .matchAll(/(\w+) (\d+)/g)
    .map(([, name = '', count]) => [name, Number(count)] as const),
);

/** Components whose member has the sentence that its name has for all. */
const sharing = (name: string): readonly string[] => {
  const own = new Set(
    descriptions
      .flatMap(({ of = [] }) => of)
      .filter(({ members }) => name in members)
      .flatMap(({ components: names }) => names.split(' ')),
  );
  const text = descriptions.find(({ members }) => name in members)?.members[name] ?? '';
  return properties
    .filter(({ path, schema }) => path === name && textOf(schema).startsWith(text))
    .map(({ component }) => component)
    .filter((component) => !own.has(component));
};

/** Type of a component's member as openapi-typescript 7 reads it by default. */
const isReadAsRequired = ({ schema, isListedRequired }: Property): boolean =>
  isListedRequired || 'default' in schema;

/** The body that is taken where the example goes. */
const bodyOf = ({ body, bodyBy }: Operation) => bodyBy?.bodies['openai'] ?? body;

describe('descriptions in the OpenAPI document', () => {
  it('describe every property', () =>
    found(
      properties
        .filter(({ schema }) => !/^[A-Z`'0-9].{8,}/.test(textOf(schema)))
        .map(({ component, path }) => `${component}.${path} has no description`),
    ));

  it('describe every parameter', () =>
    found(
      parameters
        .filter(({ node }) => !/^[A-Z`].{8,}\.$/.test(textOf(node)))
        .map(({ operationId, name }) => `${operationId}.${name} has no description`),
    ));

  it('use every sentence of the dictionary', () => {
    const says = (text: string) => (one: Property) => textOf(one.schema).startsWith(text);
    const shared = descriptions.flatMap(({ members }) => Object.entries(members));
    const special = descriptions
      .flatMap(({ of = [] }) => of)
      .flatMap(({ components: names, members }) =>
        names
          .split(' ')
          .flatMap((component) =>
            Object.entries(members).map(([path, text]) => [component, path, text] as const),
          ),
      );
    found([
      ...shared
        .filter(([path, text]) => !properties.some((one) => one.path === path && says(text)(one)))
        .map(([path]) => `no member ${path} has this description`),
      ...special
        .filter(
          ([component, path, text]) =>
            !properties.some(
              (one) => one.component === component && one.path === path && says(text)(one),
            ),
        )
        .map(([component, path]) => `${component} has no member ${path} without a description`),
      ...Object.entries(parameterDescriptions)
        .filter(([key, text]) => {
          const named = parameters.filter(({ operationId, name }) =>
            key.includes('.') ? key === `${operationId}.${name}` : key === name,
          );
          return !named.some(({ node }) => textOf(node) === text);
        })
        .map(([key]) => `no parameter ${key} has this description`),
    ]);
  });

  it('share the sentence of a name of one word where all that have it mean the same', () => {
    const names = descriptions
      .flatMap(({ members }) => Object.keys(members))
      .filter((name) => /^[a-z0-9]+$/i.test(name) && !ofAllLists.includes(name));
    found(
      names
        .map((name) => [name, sharing(name)] as const)
        .filter(([name, components]) => components.length > (meantBy.get(name) ?? 1))
        .map(
          ([name, components]) =>
            `${components.join(', ')} share one sentence about "${name}": describe it under the ` +
            'components where it means another thing, or raise its number in this test',
        ),
    );
  });

  it('are sentences of at most 120 characters', () => {
    const sentences = [
      parameterDescriptions,
      ...descriptions.flatMap(({ members, of = [] }) => [
        members,
        ...of.map((special) => special.members),
      ]),
    ].flatMap((one) => Object.values(one));
    found(sentences.filter((one) => !/^.{9,119}\.$/.test(one) && !one.endsWith('…')));
  });
});

describe('members of request bodies', () => {
  it('are read as required exactly where they are listed so', () =>
    found(
      properties
        .filter((one) => isReadAsRequired(one) !== one.isListedRequired)
        .map(({ component, path }) => `${component}.${path} has a default and is not required`),
    ));

  it('are required exactly where the guard refuses a body without them', () =>
    found(
      operations.flatMap((operation) => {
        const { operationId, example, form } = operation;
        const body = bodyOf(operation);
        if (body === null || Array.isArray(example)) return [];
        const guard = compileGuard(body, form === null ? 'body' : 'form');
        const component = `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}`;
        return properties
          .filter((one) => one.component === component && one.path === one.name)
          .filter(({ name }) => name in (example as JsonObject))
          .filter((one) => {
            const { [one.name]: _left, ...rest } = example as JsonObject;
            return guard(structuredClone(rest)).ok === isReadAsRequired(one);
          })
          .map(({ name }) => `${component}.${name} is read otherwise than the guard does`);
      }),
    ));
});

describe('operations in the OpenAPI document', () => {
  it('have an example, of the body, the answer or the header of an empty answer', () => {
    const served = Object.values(document['paths'] ?? {}).flatMap((one) => Object.values(one));
    found(
      served
        .filter(
          ({ requestBody, responses }) =>
            !/"examples?":/.test(JSON.stringify({ requestBody, responses })),
        )
        .map(({ operationId }) => `${JSON.stringify(operationId)} has no example`),
    );
  });
});
