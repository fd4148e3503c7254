import type { Json, JsonObject } from '../kernel/schema-types.js';
import { descriptions } from './descriptions/all.js';
import type { Sentences } from './descriptions/descriptions.js';
import { parameterDescriptions } from './descriptions/parameters.js';

/** Throws when two files describe the same member. */
const merged = (all: readonly (readonly [string, string])[]): ReadonlyMap<string, string> => {
  const sentences = new Map<string, string>();
  for (const [key, text] of all) {
    if (sentences.has(key)) throw new Error(`${key} is described twice`);
    sentences.set(key, text);
  }
  return sentences;
};

const within = (component: string, members: Sentences): readonly (readonly [string, string])[] =>
  Object.entries(members).map(([path, text]) => [`${component} ${path}`, text]);

const shared = merged(descriptions.flatMap(({ members }) => Object.entries(members)));
const special = merged(
  descriptions
    .flatMap(({ of = [] }) => of)
    .flatMap(({ components, members }) =>
      components.split(' ').flatMap((component) => within(component, members)),
    ),
);

/** The sentence about a parameter whose schema has none; empty when nothing describes it. */
export const parameterDescription = (operationId: string, name: string): string =>
  parameterDescriptions[`${operationId}.${name}`] ?? parameterDescriptions[name] ?? '';

/**
 * The component with a description of each of its members: its own, else that of the dictionary. A
 * default becomes part of the description, since it says what an absent member means, while
 * generators of types (openapi-typescript) take a member with `default` as always present.
 */
export const describedComponent = (component: string, schema: Json): Json => {
  const each = (node: Json, outer: string): Json => {
    if (Array.isArray(node)) return (node as readonly Json[]).map((one) => each(one, outer));
    if (typeof node !== 'object' || node === null) return node;
    return Object.fromEntries(
      Object.entries(node).map(([keyword, value]) => [
        keyword,
        keyword === 'properties' ? members(value as JsonObject, outer) : each(value, outer),
      ]),
    );
  };
  const members = (properties: JsonObject, outer: string): JsonObject =>
    Object.fromEntries(
      Object.entries(properties).map(([name, one]) => {
        const path = outer === '' ? name : `${outer}.${name}`;
        const { default: absent, description, ...rest } = each(one, path) as JsonObject;
        const own = description as string | undefined;
        const says = own ?? special.get(`${component} ${path}`) ?? shared.get(path) ?? '';
        const text = absent === undefined ? says : `${says} ${defaultSaid(absent)}`.trim();
        return [name, { ...rest, ...(text !== '' && { description: text }) }];
      }),
    );
  return each(schema, '');
};

const defaultSaid = (value: Json): string => `Default: ${JSON.stringify(value)}.`;
