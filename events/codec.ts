import { eventSchemas } from './all.js';
import { upcasts } from './upcasts.js';

/**
 * Decodes the data of a stored event, with upcasting: data of an older version becomes data of the
 * newest version of its type. All stored data is read here. Throws TypeError on a type or version
 * that this build does not know; the runner then parks the stream.
 *
 * Appended data fits its schema by type and by test, so this path, which every event takes, does
 * not validate it again. schema-conformance.ts does, for checks of the log.
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
