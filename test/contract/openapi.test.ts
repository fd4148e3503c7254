import { expect } from 'chai';
import { readdirSync } from 'node:fs';
import { components, operations } from '../../contract/all.js';
import { nouns } from '../../contract/nouns.js';
import type { Operation } from '../../contract/operation.js';
import { openApiDocument } from '../../contract/openapi.js';

const compiledDir = new URL('../../contract/', import.meta.url);
const isOperation = (value: unknown): value is Operation =>
  typeof value === 'object' && value !== null && 'operationId' in value;

type Place = { readonly [member: string]: Place | undefined };
const document = openApiDocument({ operations, components, nouns }) as unknown as Place;
const members = (place: Place | undefined): readonly Place[] =>
  Object.values(place ?? {}).map((one) => one ?? {});
const served = members(document['paths']).flatMap(members);
const schemas = document['components']?.['schemas'] ?? {};

const found = (complaints: readonly string[]): void =>
  expect(complaints, complaints.join('\n')).to.deep.equal([]) as unknown as void;
const titleOf = (operation: Place): string => JSON.stringify(operation['operationId']);
const contentOf = (place: Place | undefined): readonly Place[] =>
  members(place?.['content']).map((media) => media['schema'] ?? {});
const isText = (schema: Place): boolean => (schema['type'] as unknown) === 'string';

/** Every object with members of its own, with the place where it is written out. */
const objectsIn = (node: unknown, place: string): readonly (readonly [string, string])[] => {
  if (typeof node !== 'object' || node === null) return [];
  const below = Object.entries(node).flatMap(([name, one]) => objectsIn(one, `${place}/${name}`));
  const isObject = 'properties' in node && 'type' in node;
  return isObject ? [[JSON.stringify(node), place], ...below] : below;
};

describe('the OpenAPI document of the service', () => {
  it('has every operation of contract/ under one tag with a description', async () => {
    const modules: readonly object[] = await Promise.all(
      readdirSync(compiledDir)
        .filter((file) => file.endsWith('.js'))
        .map((file) => import(new URL(file, compiledDir).href)),
    );
    const described = modules
      .flatMap((one) => Object.values(one) as unknown[])
      .flatMap((one) => (isOperation(one) ? [one.operationId] : []));
    const listed = operations.map((one) => one.operationId);
    expect(listed).to.include.members(described);
    expect(listed).to.have.length(new Set(listed).size);
    expect(nouns.every(({ description }) => description.endsWith('.'))).to.equal(true);
  });

  it('names every request body', () =>
    found(
      served.flatMap((operation) =>
        contentOf(operation['requestBody'])
          .filter((schema) => !('$ref' in schema || isText(schema)))
          .map(() => `the body of ${titleOf(operation)} has no name`),
      ),
    ));

  it('names every record of a response', () =>
    found(
      served.flatMap((operation) =>
        members(operation['responses'])
          .flatMap(contentOf)
          .filter((schema) => !('$ref' in schema || 'items' in schema || isText(schema)))
          .map(() => `the answer of ${titleOf(operation)} has no name`),
      ),
    ));

  it('repeats no object, except bodies that are named after their operations', () => {
    const places = Map.groupBy(objectsIn(document, ''), ([text]) => text);
    const bodies = new Set(
      operations.map(
        ({ operationId: name }) =>
          `/components/schemas/${name.charAt(0).toUpperCase()}${name.slice(1)}`,
      ),
    );
    found(
      [...places.values()]
        .map((copies) => copies.map(([, place]) => place).filter((place) => !bodies.has(place)))
        .filter(({ length }) => length > 1)
        .map((copies) => copies.join(' is ')),
    );
  });

  it('refers to every component', () => {
    const text = JSON.stringify(document);
    found(Object.keys(schemas).filter((name) => !text.includes(`"#/components/schemas/${name}"`)));
  });
});
