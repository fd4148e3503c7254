import { type TSchema } from 'typebox';
import { components } from '../../contract/all.js';
import { below, oneOf, type Rng } from './valid-request.js';

type Raw = Readonly<Record<string, unknown>>;
type Path = readonly string[];

/** An object of a body whose members its schema names, so that others are not read. */
type ClosedObject = {
  readonly path: Path;
  /** Members that it may have, those of all kinds that its value could be of. */
  readonly known: ReadonlySet<string>;
  /** Members that it has. */
  readonly members: readonly string[];
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Resolves references to components. */
const resolved = (raw: Raw): Raw => {
  const ref = typeof raw['$ref'] === 'string' ? raw['$ref'].split('/').at(-1) : undefined;
  const isEmpty = Object.keys(raw).length === 1;
  const name = isEmpty ? (raw['x-component'] ?? ref) : undefined;
  const component = typeof name === 'string' ? components[name] : undefined;
  return component === undefined ? raw : resolved(component as unknown as Raw);
};

const kindsOf = (schema: Raw): readonly Raw[] => {
  const raw = resolved(schema);
  const branches = (raw['anyOf'] ?? raw['oneOf']) as readonly Raw[] | undefined;
  return branches === undefined ? [raw] : branches.flatMap(kindsOf);
};

/** True if an object can be of this kind: by its names, and by literals. */
const canBe = (value: Record<string, unknown>, kind: Raw): boolean => {
  if (kind['type'] !== 'object') return false;
  const properties = (kind['properties'] ?? {}) as Readonly<Record<string, Raw>>;
  const required = (kind['required'] ?? []) as readonly string[];
  return (
    required.every((member) => value[member] !== undefined) &&
    Object.entries(properties).every(([member, { const: literal, enum: values }]) => {
      const given = value[member];
      if (given === undefined) return true;
      if (literal !== undefined) return given === literal;
      return !Array.isArray(values) || values.includes(given);
    })
  );
};

/** All closed objects of a value, whatever their depth. */
export const closedObjectsIn = (schema: TSchema, value: unknown): readonly ClosedObject[] => {
  const walk = (kinds: readonly Raw[], one: unknown, path: Path): readonly ClosedObject[] => {
    if (Array.isArray(one)) {
      const items = kinds.flatMap(({ items: of }) =>
        of === undefined || Array.isArray(of) ? [] : kindsOf(of as Raw),
      );
      return one.flatMap((item, index) => walk(items, item, [...path, String(index)]));
    }
    if (!isObject(one)) return [];
    const possible = kinds.filter((kind) => canBe(one, kind));
    const isFree = possible.some(
      ({ properties, patternProperties, additionalProperties: others }) =>
        properties === undefined || patternProperties !== undefined || (others ?? false) !== false,
    );
    if (possible.length === 0 || isFree) return [];
    const known = new Set(kinds.flatMap(({ properties }) => Object.keys(properties ?? {})));
    const members = Object.keys(one).filter((member) => known.has(member));
    const below = members.flatMap((member) => {
      const own = possible.flatMap(({ properties }) => {
        const schemaOf = ((properties ?? {}) as Readonly<Record<string, Raw>>)[member];
        return schemaOf === undefined ? [] : kindsOf(schemaOf);
      });
      return walk(own, one[member], [...path, member]);
    });
    return [{ path, known, members }, ...below];
  };
  return walk(kindsOf(schema as unknown as Raw), value, []);
};

/** The name with one or two letters wrong. */
export const misspell = (name: string, rng: Rng): string => {
  const letters = Array.from(name);
  const at = below(rng, letters.length);
  const letter = oneOf(rng, Array.from('abcdefghijklmnopqrstuvwxyz_'));
  const changes: readonly (() => void)[] = [
    () => letters.splice(at, 1),
    () => letters.splice(at, 0, letter),
    () => letters.splice(at, 1, letter),
    () => letters.splice(Math.max(0, at - 1), 2, letters[at] ?? '', letters[at - 1] ?? ''),
    () => letters.splice(at, 1, (letters[at] ?? '').toUpperCase()),
  ];
  oneOf(rng, changes)();
  const made = letters.join('');
  return made === name || made === '' ? `${name}x` : made;
};

/** A body and what became of it: the place whose value the operation must not leave out unsaid. */
export type Mutant = {
  readonly what: 'misspelt' | 'twice' | 'misplaced';
  /** JSON text, since one object may have a name twice. */
  readonly text: string;
  readonly path: Path;
};

const twin = '\u2603';

/** The object at the path of a copy of the value, for changes. */
const opened = (value: unknown, path: Path) => {
  const copy = structuredClone(value);
  const object = path.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], copy);
  return { copy, object: object as Record<string, unknown> };
};

/** Another value of about the same type. */
const other = (value: unknown): unknown => {
  if (typeof value === 'string') return `${value}x`;
  if (typeof value === 'number') return value + 1;
  return typeof value === 'boolean' ? !value : null;
};

/** All that can be done to one member of a closed object, each kind once. */
export const mutantsOf = (
  value: unknown,
  closed: readonly ClosedObject[],
  { path, known }: ClosedObject,
  member: string,
  rng: Rng,
): readonly Mutant[] => {
  const mutants: Mutant[] = [];
  const wrong = misspell(member, rng);
  if (!known.has(wrong)) {
    const { copy, object } = opened(value, path);
    object[wrong] = object[member];
    delete object[member];
    mutants.push({ what: 'misspelt', text: JSON.stringify(copy), path: [...path, wrong] });
  }
  const { copy, object } = opened(value, path);
  const members = Object.entries(object).map(([name, one]) => [name, one] as const);
  const at = members.findIndex(([name]) => name === member);
  members.splice(at, 0, [`${member}${twin}`, other(object[member])]);
  for (const [name] of members) delete object[name];
  for (const [name, one] of members) object[name] = one;
  const twice = JSON.stringify(copy).replace(`${JSON.stringify(member).slice(0, -1)}${twin}`, () =>
    JSON.stringify(member).slice(0, -1),
  );
  mutants.push({ what: 'twice', text: twice, path: [...path, member] });
  // One level down, into a sibling; one level up, into the nearest object around.
  const places = closed.filter(
    (one) =>
      !one.known.has(member) &&
      ((one.path.length === path.length + 1 &&
        isWithin(one.path, path) &&
        !one.path.includes(member)) ||
        (one.path.length < path.length && isWithin(path, one.path))),
  );
  const place = places.length === 0 ? undefined : oneOf(rng, places);
  if (place !== undefined) {
    const moved = opened(value, path);
    const target = place.path.reduce<unknown>(
      (one, key) => (one as Record<string, unknown>)[key],
      moved.copy,
    ) as Record<string, unknown>;
    target[member] = moved.object[member];
    delete moved.object[member];
    mutants.push({
      what: 'misplaced',
      text: JSON.stringify(moved.copy),
      path: [...place.path, member],
    });
  }
  return mutants;
};

const isWithin = (path: Path, outer: Path): boolean =>
  outer.every((key, index) => path[index] === key);
