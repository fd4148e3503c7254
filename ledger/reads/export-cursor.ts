import { parseJsonText } from '../../kernel/json-text.js';
import { valueFault } from '../../kernel/fault.js';
import type { BundleHeader, BundleScope } from '../chain/bundle.js';
import type { ExportPosition } from '../chain/bundle-export.js';

/** Cursor of an export: the query as it started, and the position reached. */
export type ExportCursor = Omit<BundleHeader, 'origin' | 'checkpoint'> & ExportPosition;

export const writeExportCursor = (cursor: ExportCursor): string => {
  const { organization_id, project_id, resource, scope, from, to, size, at, last } = cursor;
  const of = [organization_id, project_id, resource, scope];
  const members = [version, ...of, from, to, size, at, last];
  return Buffer.from(JSON.stringify(members)).toString('base64url');
};

/** Subject of an export: organisation, project and resource. */
type ExportSubject = Pick<ExportCursor, 'organization_id' | 'project_id' | 'resource'>;

/**
 * Validates a cursor. Throws Fault `invalid` unless it belongs to this export; its numbers are
 * checked against the number of entries, since clients can forge it.
 */
export const readExportCursor = (
  written: string,
  expected: ExportSubject,
  entries: number,
): ExportCursor => {
  const members = parsed(written);
  const [known, organization, project, resource, scope, ...numbers] = members;
  const [from = 0, to = 0, size = 0, at = 0, last = 0] = numbers as readonly number[];
  const isWellFormed =
    known === version &&
    numbers.length === 5 &&
    numbers.every((one) => Number.isSafeInteger(one)) &&
    Math.max(to, size) <= entries &&
    from >= 1 &&
    at >= from &&
    last >= 0 &&
    last < at;
  const isOfQuery =
    organization === expected.organization_id &&
    project === expected.project_id &&
    resource === expected.resource;
  if (!isWellFormed || !isOfQuery) {
    throw valueFault(['query', 'cursor'], 'not a cursor of this export');
  }
  return { ...expected, scope: scope as BundleScope, from, to, size, at, last };
};

const version = 1;

const parsed = (written: string): readonly unknown[] => {
  try {
    const members: unknown = parseJsonText(Buffer.from(written, 'base64url').toString('utf8'));
    return Array.isArray(members) ? members : [];
  } catch {
    return [];
  }
};
