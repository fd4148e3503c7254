import { Compile, type Validator } from 'typebox/compile';
import { eventSchemas } from './all.js';
import { decode } from './codec.js';

/** Runs `decode`; throws TypeError also on data that its schema does not allow, with the place. */
export const decodeChecked = (type: string, schema: number, data: unknown): unknown => {
  const current = decode(type, schema, data);
  const [first] = schemaErrors(type, current);
  if (first !== undefined) throw new TypeError(first);
  return current;
};

/** Schema errors of decoded data, by the event type's newest schema; empty if valid. */
export const schemaErrors = (type: string, data: unknown): readonly string[] => {
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
