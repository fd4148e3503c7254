import { withSortedMembers } from '../canonical-json.js';
import type { DumpItem } from '../documents.js';
import type { RecordRow } from './record.js';

/**
 * A row as `verify` compares it: the key is the group, a space and the ordinal, so that keys sort
 * as rows do; members are in order at every depth.
 */
export const dumpItem = (row: RecordRow): DumpItem => ({
  key: `${row.group} ${String(row.ordinal).padStart(ordinalDigits, '0')}`,
  value: withSortedMembers(row),
});

/** Wide enough for any ordinal. */
const ordinalDigits = 8;
