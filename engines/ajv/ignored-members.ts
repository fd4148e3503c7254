import type { TSchema } from 'typebox';
import { shapeOf, jsonTypeOf, type Shape, type RootShape } from './shape.js';

/** A member that the schema of its object does not name. */
export type IgnoredMember = {
  /** Names and indices, from the value to the member. */
  readonly path: readonly string[];
  /** Names that the object may have, including those of its union's other branches. */
  readonly known: readonly string[];
};

/** One more than an answer names (contract 1.2, rule 3), to show that there are more. */
export const ignoredMax = 21;

/**
 * Compiles a function that removes unnamed members from a value, at any depth, and returns them:
 * `ignoredMax` at most, in the order sent. `components` resolves `component(name)`
 * (kernel/schema-types.ts).
 *
 * Costs an ingested record one look-up per member, and allocates only when a member is ignored.
 */
export const compileIgnoredMembers = (
  schema: TSchema,
  components: Readonly<Record<string, TSchema>>,
): ((value: unknown) => readonly IgnoredMember[]) => {
  // Compiled on first use, so that the service starts at once.
  let finder: IgnoredFinder | null | undefined;
  return (value) => {
    if (finder === undefined) finder = ignoredFinder(shapeOf(schema, 'open', components));
    return finder?.(value) ?? [];
  };
};

/** Finder of ignored members; null: none. */
type IgnoredFinder = (value: unknown) => IgnoredMember[] | null;
type Members = Record<string, unknown>;

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Member names of all objects among the branches of a union. */
const namesIn = (
  branches: readonly Shape[],
  definitionOf: (ref: string) => Shape,
): readonly string[] => [
  ...new Set(
    branches.flatMap(({ $ref, properties }) =>
      Object.keys(($ref === undefined ? properties : definitionOf($ref).properties) ?? {}),
    ),
  ),
];

/** Builds the finder; null for a shape in which nothing can be ignored. */
const ignoredFinder = ({ shape, definitions }: RootShape): IgnoredFinder | null => {
  /** Finders by definition and sibling names; undefined while under construction. */
  const made = new Map<string, IgnoredFinder | null | undefined>();
  const definitionOf = (ref: string): Shape => definitions[ref.slice('#/$defs/'.length)] ?? {};
  const accepts = acceptor(definitionOf);

  /** Finder of a shape; `siblings`: member names of the union's other branches. */
  const finderOf = (one: Shape, siblings: readonly string[] = []): IgnoredFinder | null => {
    if (one.$ref !== undefined) return finderOfReference(one.$ref, siblings);
    if (one.discriminator !== undefined) return finderOfTagged(one, one.discriminator.propertyName);
    if (one.anyOf !== undefined) return finderOfUnion(one.anyOf);
    const [object, list] = [finderOfObject(one, siblings), finderOfList(one)];
    if (object === null || list === null) return object ?? list;
    return (value) => (Array.isArray(value) ? list(value) : object(value));
  };
  const finderOfReference = (ref: string, siblings: readonly string[]): IgnoredFinder | null => {
    const key = [ref, ...siblings].join('\n');
    if (made.has(key)) {
      const known = made.get(key);
      return known === undefined ? (value) => made.get(key)?.(value) ?? null : known;
    }
    made.set(key, undefined);
    const finder = finderOf(definitionOf(ref), siblings);
    made.set(key, finder);
    return finder;
  };
  const finderOfTagged = ({ oneOf = [] }: Shape, tag: string): IgnoredFinder => {
    const siblings = namesIn(oneOf, definitionOf);
    const byTag = new Map(
      oneOf.map((branch) => [branch.properties?.[tag]?.const, finderOf(branch, siblings)]),
    );
    return (value) => (isObject(value) ? (byTag.get(value[tag])?.(value) ?? null) : null);
  };
  /** Finder of a union: uses the first branch that accepts the value. */
  const finderOfUnion = (shapes: readonly Shape[]): IgnoredFinder | null => {
    const siblings = namesIn(shapes, definitionOf);
    const branches = shapes.map((branch) => ({ branch, finder: finderOf(branch, siblings) }));
    if (branches.every(({ finder }) => finder === null)) return null;
    return (value) => {
      if (typeof value !== 'object' || value === null) return null;
      return branches.find(({ branch }) => accepts(branch, value))?.finder?.(value) ?? null;
    };
  };
  const finderOfList = ({ items }: Shape): IgnoredFinder | null => {
    const finder = items === undefined || Array.isArray(items) ? null : finderOf(items as Shape);
    return finder === null ? null : listFinder(finder);
  };
  const finderOfObject = (
    { properties, additionalProperties: others }: Shape,
    siblings: readonly string[],
  ): IgnoredFinder | null => {
    const own = Object.entries(properties ?? {});
    const named = new Map(own.map(([member, one]) => [member, finderOf(one)]));
    const other = typeof others === 'object' ? finderOf(others) : null;
    // A shape without names is a free object; the guard has rejected a closed one.
    const mayIgnore = properties !== undefined && others === undefined;
    if (!mayIgnore && other === null && [...named.values()].every((finder) => finder === null)) {
      return null;
    }
    const known = [...new Set([...named.keys(), ...siblings])];
    return memberFinder(named, mayIgnore ? { known } : other);
  };
  return finderOf(shape);
};

/** Finder of a list with this finder for its items. */
const listFinder =
  (finder: IgnoredFinder): IgnoredFinder =>
  (value) => {
    if (!Array.isArray(value)) return null;
    let found: IgnoredMember[] | null = null;
    for (let index = 0; index < value.length; index += 1) {
      const below = finder(value[index]);
      if (below !== null) found = addMembers(found, String(index), below);
    }
    return found;
  };

/**
 * Finder of an object with these members; `others` is the finder of other members, or they are
 * removed.
 */
const memberFinder =
  (
    named: ReadonlyMap<string, IgnoredFinder | null>,
    others: IgnoredFinder | null | Pick<IgnoredMember, 'known'>,
  ): IgnoredFinder =>
  (value) => {
    if (!isObject(value)) return null;
    let found: IgnoredMember[] | null = null;
    // Objects of JSON.parse inherit nothing enumerable, and every member of a body is visited.
    // oxlint-disable-next-line guard-for-in -- see above
    for (const member in value) {
      const own = named.get(member);
      if (own === null) continue;
      const finder = own ?? others;
      if (typeof finder === 'object' && finder !== null) {
        found = addMembers(found, member, [{ path: [], known: finder.known }]);
        delete value[member];
        continue;
      }
      const below = finder?.(value[member]) ?? null;
      if (below !== null) found = addMembers(found, member, below);
    }
    return found;
  };

const addMembers = (
  before: IgnoredMember[] | null,
  at: string,
  below: readonly IgnoredMember[],
): IgnoredMember[] => {
  const members = before ?? [];
  for (const { path, known } of below) {
    if (members.length >= ignoredMax) break;
    members.push({ path: [at, ...path], known });
  }
  return members;
};

/**
 * Tells the branches of a union apart: true if a value can be of a shape by its JSON type, required
 * members, literals, and the first item of a list.
 */
const acceptor = (definitionOf: (ref: string) => Shape) => {
  const accepts = (shape: Shape, value: unknown): boolean => {
    if (shape.$ref !== undefined) return accepts(definitionOf(shape.$ref), value);
    const branches = shape.anyOf ?? shape.oneOf;
    if (branches !== undefined) return branches.some((branch) => accepts(branch, value));
    if (shape.const !== undefined) return value === shape.const;
    if (shape.enum?.includes(value) === false) return false;
    if (shape.type?.includes(jsonTypeOf(value)) === false) return false;
    if (Array.isArray(value)) {
      const { items } = shape;
      const isList = items !== undefined && !Array.isArray(items) && value.length > 0;
      return !isList || accepts(items as Shape, value[0]);
    }
    if (!isObject(value)) return true;
    const { properties = {}, required = [] } = shape;
    return (
      required.every((member) => value[member] !== undefined) &&
      Object.entries(properties).every(
        ([member, one]) =>
          (one.const === undefined && one.enum === undefined) ||
          value[member] === undefined ||
          accepts(one, value[member]),
      )
    );
  };
  return accepts;
};
