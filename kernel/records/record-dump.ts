import { byCodePoint } from '../code-points.js';
import type { DumpItem } from '../documents.js';
import type { RecordRow } from './record.js';
import type { Json } from '../shapes.js';

/**
 * A row as `verify` compares it: the key is the group, a space and the ordinal, so that keys sort
 * as rows do; members are in code point order at every depth.
 */
export const dumpItem = (row: RecordRow): DumpItem => ({
  key: `${row.group} ${String(row.ordinal).padStart(ordinalDigits, '0')}`,
  value: canonical(row),
});

/** Wide enough for any ordinal. */
const ordinalDigits = 8;

const canonical = (value: unknown): Json => {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value as Json;
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  entries.sort(([one], [other]) => byCodePoint(one, other));
  return Object.fromEntries(entries.map(([name, member]) => [name, canonical(member)]));
};
