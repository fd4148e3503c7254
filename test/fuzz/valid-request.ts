import type { TSchema } from 'typebox';
import { components } from '../../contract/all.js';
import type { Operation } from '../../contract/operation.js';
import type { Ask } from '../support/client.js';
import { formRequest } from '../support/multipart-forms.js';

/** Draws from 0 (inclusive) to 1. */
export type Rng = () => number;
type Raw = Readonly<Record<string, unknown>>;

export const below = (rng: Rng, count: number): number => Math.floor(rng() * count);
export const oneOf = <T>(rng: Rng, items: readonly T[]): T => items[below(rng, items.length)] as T;

/**
 * A value that fits the schema. `known` gives values by member name, for ids that have to exist;
 * `depth` bounds lists and recursive schemas.
 */
export const validValue = (
  schema: TSchema,
  rng: Rng,
  known: Readonly<Record<string, unknown>> = {},
): unknown => {
  const definitions = new Map<string, Raw>();
  const draw = (raw: Raw, depth: number): unknown => {
    for (const [name, one] of Object.entries(
      (raw['$defs'] ?? {}) as Readonly<Record<string, Raw>>,
    )) {
      definitions.set(name, one);
    }
    const component = componentIn(raw);
    if (component !== null) return draw(component, depth - 1);
    if (typeof raw['$ref'] === 'string') return draw(definitions.get(raw['$ref']) ?? {}, depth);
    if (raw['const'] !== undefined) return raw['const'];
    if (Array.isArray(raw['enum'])) return oneOf(rng, raw['enum'] as readonly unknown[]);
    const branches = (raw['anyOf'] ?? raw['oneOf']) as readonly Raw[] | undefined;
    if (branches !== undefined) {
      return draw((depth > 0 ? oneOf(rng, branches) : branches[0]) ?? {}, depth);
    }
    if (raw['allOf'] !== undefined) {
      return Object.assign({}, ...(raw['allOf'] as readonly Raw[]).map((one) => draw(one, depth)));
    }
    switch (raw['type']) {
      case 'string':
        return drawText(raw, rng);
      case 'integer':
      case 'number': {
        const least = Number(raw['minimum'] ?? 0);
        const most = Math.min(Number(raw['maximum'] ?? least + 100), least + 100);
        return least + below(rng, most - least + 1);
      }
      case 'boolean':
        return rng() < 0.5;
      case 'null':
        return null;
      case 'array':
        return drawList(raw, depth);
      case 'object':
        return drawObject(raw, depth);
      default:
        return oneOf<unknown>(rng, [null, 'text', 5, true, [], {}]);
    }
  };
  const drawList = (raw: Raw, depth: number): unknown => {
    const { items } = raw;
    if (Array.isArray(items)) return items.map((one: Raw) => draw(one, depth - 1));
    const least = Number(raw['minItems'] ?? 0);
    const count = depth > 0 ? Math.max(least, below(rng, 3)) : least;
    return Array.from({ length: count }, () => draw((items ?? {}) as Raw, depth - 1));
  };
  const drawObject = (raw: Raw, depth: number): unknown => {
    const required = (raw['required'] ?? []) as readonly string[];
    const members = Object.entries((raw['properties'] ?? {}) as Readonly<Record<string, Raw>>);
    return Object.fromEntries(
      members
        .filter(([name]) => required.includes(name) || (depth > 0 && rng() < 0.5))
        .map(([name, one]) => [
          name,
          Object.hasOwn(known, name) ? known[name] : draw(one, depth - 1),
        ]),
    );
  };
  return draw(schema as unknown as Raw, 5);
};

/** The schema behind a reference to a component, null for anything else. */
const componentIn = (raw: Raw): Raw | null => {
  const ref = typeof raw['$ref'] === 'string' ? raw['$ref'] : '';
  const inDocument = /^#\/components\/schemas\/(\w+)$/.exec(ref)?.[1];
  const name = Object.keys(raw).length === 1 ? (inDocument ?? raw['x-component']) : undefined;
  const schema = typeof name === 'string' ? components[name] : undefined;
  return schema === undefined ? null : (schema as unknown as Raw);
};

const drawText = (raw: Raw, rng: Rng): string => {
  const hex = (count: number) =>
    Array.from({ length: count }, () => below(rng, 16).toString(16)).join('');
  if (raw['x-kind'] === 'uuid' || raw['format'] === 'uuid')
    return `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`;
  if (raw['x-kind'] === 'instant' || raw['format'] === 'date-time') {
    return new Date(1_700_000_000_000 + below(rng, 1e9) * 100).toISOString();
  }
  const least = Number(raw['minLength'] ?? 0);
  const most = Math.min(Number(raw['maxLength'] ?? least + 20), least + 20);
  const length = least + below(rng, most - least + 1);
  return Array.from({ length }, () => oneOf(rng, ['a', 'b', 'Z', '0', '_', 'é', '😀'])).join('');
};

/** A request that fits the operation's schemas; rules beyond them may still refuse it. */
export const validRequest = (
  operation: Operation,
  rng: Rng,
  known: Raw = {},
): { readonly path: string; readonly ask: Ask } => {
  // An address with nothing between its slashes is none of the operation's.
  let params = validValue(operation.params, rng, known) as Raw;
  while (Object.values(params).includes(''))
    params = validValue(operation.params, rng, known) as Raw;
  const query = validValue(operation.query, rng, known) as Raw;
  const path = addressOf(operation.path, params, query);
  const body = operation.body === null ? {} : validValue(operation.body, rng, known);
  if (operation.form !== null) {
    const texts = Object.entries(body as Raw).filter(([, value]) => value !== null);
    return {
      path,
      ask: formRequest([
        ...Object.keys(operation.form.files).map((name) => ({
          name,
          content: 'a,b\n1,2\n',
          fileName: 'a.csv',
        })),
        ...texts.map(([name, value]) => ({
          name,
          content: typeof value === 'string' ? value : JSON.stringify(value),
        })),
      ]),
    };
  }
  return { path, ask: operation.body === null ? {} : { body } };
};

export const addressOf = (path: string, params: Raw, query: Raw): string => {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(String(params[name])),
  );
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return pairs.length === 0 ? filled : `${filled}?${pairs.join('&')}`;
};
