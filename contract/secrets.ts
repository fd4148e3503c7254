import type { TSchema } from 'typebox';
import type { Operation } from './operation.js';

type Raw = Readonly<Record<string, unknown>>;
const branchesOf = (schema: Raw): readonly Raw[] =>
  ['anyOf', 'allOf', 'oneOf'].flatMap((keyword) => (schema[keyword] ?? []) as readonly Raw[]);

/**
 * Copy of a response with `""` for each member that its schema marks `x-secret`: the part that may
 * be stored (contract 1.8).
 */
export const withoutSecrets = (schema: TSchema, answer: unknown): unknown =>
  hasSecrets(schema) ? redactSecrets(schema as Raw, answer) : answer;

const redactSecrets = (schema: Raw, value: unknown): unknown => {
  if (schema['x-secret'] === true) return typeof value === 'string' ? '' : value;
  const inBranches = branchesOf(schema).reduce((kept, one) => redactSecrets(one, kept), value);
  if (Array.isArray(inBranches)) {
    const items = schema['items'] as Raw | undefined;
    return items === undefined ? inBranches : inBranches.map((item) => redactSecrets(items, item));
  }
  const members = schema['properties'] as Readonly<Record<string, Raw>> | undefined;
  if (members === undefined || typeof inBranches !== 'object' || inBranches === null) {
    return inBranches;
  }
  return Object.fromEntries(
    Object.entries(inBranches).map(([name, member]) => {
      const one = Object.hasOwn(members, name) ? members[name] : undefined;
      return [name, one === undefined ? member : redactSecrets(one, member)];
    }),
  );
};

const hasSecrets = (schema: TSchema): boolean => secretNames(schema).size > 0;

/**
 * Secret members of a schema, searched once per process since every replayed response needs them.
 */
const secretNames = (schema: TSchema): ReadonlySet<string> => {
  const known = namesBySchema.get(schema);
  if (known !== undefined) return known;
  const names = new Set<string>();
  // Schemas are plain JSON, so their text has every mark; recursive ones are written once.
  JSON.stringify(schema, function (this: unknown, name, value: Raw | null) {
    if (typeof value === 'object' && value !== null && isSecret(value)) names.add(name);
    return value;
  });
  namesBySchema.set(schema, names);
  return names;
};
const namesBySchema = new WeakMap<TSchema, ReadonlySet<string>>();
const isSecret = (schema: Raw): boolean =>
  schema['x-secret'] === true || branchesOf(schema).some(isSecret);

/**
 * Log redaction list: names of all members marked `x-secret` in requests and responses of
 * operations.
 */
export const secretMembers = (operations: readonly Operation[]): readonly string[] => {
  const names = operations.flatMap(({ params, query, body, response }) =>
    [params, query, response, ...(body === null ? [] : [body])].flatMap((schema) => [
      ...secretNames(schema),
    ]),
  );
  return [...new Set(names)].filter((name) => name !== '' && !/^\d+$/.test(name)).sort();
};
