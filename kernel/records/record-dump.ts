import { withSortedMembers } from '../canonical-json.js';
import type { DumpItem } from '../documents.js';
import type { RecordRow } from './record.js';

/**
 * Dump item of a row for `verify`: the key is the group, a space and the ordinal, so that keys sort
 * as rows do; members are sorted at every depth.
 */
export const dumpItem = (row: RecordRow): DumpItem => ({
  key: `${row.group} ${String(row.ordinal).padStart(ordinalDigits, '0')}`,
  value: withSortedMembers(row),
});

/** Width of any ordinal. */
const ordinalDigits = 8;
