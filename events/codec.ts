import { eventSchemas } from './all.js';
import { upcasts } from './upcasts.js';

/**
 * Decodes the data of a stored event, with upcasting: data of another version becomes data of the
 * version of its type that all code knows. All stored data is read here. Throws TypeError on a type
 * or version that this build does not know; the runner then parks the stream.
 *
 * Appended data fits its schema by type and by test, so this path, which every event takes, does
 * not validate it again. schema-conformance.ts does, for checks of the log.
 */
export const decode = (type: string, schema: number, data: unknown): unknown => {
  const known = eventSchemas[type];
  if (known === undefined || !Object.hasOwn(eventSchemas, type)) {
    throw new TypeError(`unknown event type ${type}`);
  }
  let current = data;
  for (let version = schema; version !== known.version;) {
    const upcast = upcasts[`${type}.${version}`];
    if (upcast === undefined) {
      throw new TypeError(
        `${type} version ${schema} is not known; all is read as ${known.version}`,
      );
    }
    current = upcast.read(current);
    version = upcast.to;
  }
  return current;
};
