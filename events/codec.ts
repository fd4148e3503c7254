import { Compile, type Validator } from 'typebox/compile';
import { eventSchemas } from './all.js';
import { upcasts } from './upcasts.js';

/**
 * The only place where a stored event is read: brings its data to the newest version of its type.
 * Throws TypeError on a type or version that this build does not know; the runner then parks the
 * stream and never guesses.
 *
 * What is appended fits its schema by type and by test, so the path that every event takes does not
 * check it again. Code that asks whether the log is sound does: `decodeChecked`.
 */
export const decode = (type: string, schema: number, data: unknown): unknown => {
  const known = eventSchemas[type];
  if (known === undefined || !Object.hasOwn(eventSchemas, type)) {
    throw new TypeError(`unknown event type ${type}`);
  }
  if (schema > known.version || schema < 1) {
    throw new TypeError(`${type} version ${schema} is not known; the newest is ${known.version}`);
  }
  let current = data;
  for (let version = schema; version < known.version; version += 1) {
    const upcast = upcasts[`${type}.${version}`];
    if (upcast === undefined) throw new TypeError(`${type} version ${version} has no upcast`);
    current = upcast(current);
  }
  return current;
};

/** As `decode`; throws TypeError also on data that its schema does not allow, saying where. */
export const decodeChecked = (type: string, schema: number, data: unknown): unknown => {
  const current = decode(type, schema, data);
  const [first] = nonconformities(type, current);
  if (first !== undefined) throw new TypeError(first);
  return current;
};

/**
 * What is wrong with decoded data of an event type, by its newest schema; empty when nothing is.
 */
export const nonconformities = (type: string, data: unknown): readonly string[] => {
  const validator = validatorOf(type);
  if (validator === null) return [`unknown event type ${type}`];
  if (validator.Check(data)) return [];
  return validator
    .Errors(data)
    .map(({ instancePath, message }) => `${type}${instancePath} ${message}`);
};

const validators = new Map<string, Validator>();
const validatorOf = (type: string): Validator | null => {
  if (!Object.hasOwn(eventSchemas, type)) return null;
  const known = validators.get(type) ?? Compile(eventSchemas[type]?.schema ?? {});
  validators.set(type, known);
  return known;
};
