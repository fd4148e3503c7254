import { createHash } from 'node:crypto';
import { codePointCount } from '../../kernel/code-points.js';
import type { QueryContext } from '../../kernel/ports.js';
import {
  comparedCharactersMax,
  type MetadataEntryPlan,
  type RecordSize,
} from '../../kernel/records/query-plans.js';
import { populationOf } from '../../kernel/records/columns.js';
import type { RecordRow } from '../../kernel/records/record.js';
import type { RecordsModel } from './model.js';
import { loadProjectColumns } from './project-columns.js';
import type { ColumnNumbers } from './column-cache.js';
import { tableOf } from './schema.js';
import { bindText, integerList, newParameters } from './sql.js';

// Deletion by metadata must find every entry of a session or trace (contract 5.13), also under keys
// that are not columns. Facets cover the columns, with the beginning of each value; all other
// entries are looked up by a hash, which reveals no names and has one size.

/** Entries of the row that facets cannot find; none for spans, which are not looked up. */
export const entriesOutsideFacets = (
  { kind, userMetadata }: Pick<RecordRow, 'kind' | 'userMetadata'>,
  columns: ColumnNumbers,
): readonly (readonly [string, string])[] =>
  populationOf(kind) === 'span'
    ? []
    : Object.entries(userMetadata).filter(
        ([key, value]) => !columns.has(columnOf(key)) || !fitsInFacet(value),
      );

const columnOf = (key: string): string => `user_metadata/${key}`;

/** True if facets hold the whole value: it is shorter than what they keep. */
const fitsInFacet = (value: string): boolean =>
  value.length < comparedCharactersMax || codePointCount(value) < comparedCharactersMax;

/** Half of a SHA-256 as an id, free of collisions in practice. JSON keeps key and value apart. */
export const entryHash = (key: string, value: string): string => {
  const hash = createHash('sha256')
    .update(JSON.stringify([key, value]))
    .digest('hex');
  return [0, 8, 12, 16, 20].map((from, at, all) => hash.slice(from, all[at + 1] ?? 32)).join('-');
};

/** Implements `Records.recordsWithEntry`. */
export const recordsWithEntry = (
  model: RecordsModel,
  { project, population, key, value, limit }: MetadataEntryPlan,
  context: QueryContext = {},
): Promise<readonly RecordSize[]> =>
  model.connections.read(async (statements) => {
    const number = model.projects.get(project);
    if (number === undefined) return [];
    const { numbers } = await loadProjectColumns(model, statements, number);
    const to = newParameters();
    const col = numbers.get(columnOf(key));
    const stored = entryHash(key, value);
    const places = [
      `SELECT key FROM entries WHERE project = ${number} AND entry = CAST('${stored}' AS UUID)`,
      ...(col === undefined || !fitsInFacet(value)
        ? []
        : [`SELECT key FROM facets WHERE col = ${col} AND text = ${bindText(to, value)}`]),
    ];
    const found = await statements.rows(
      `SELECT id, span_count FROM ${tableOf[population]}
       WHERE project = ${number} AND key IN (${places.join(' UNION ALL ')})
       LIMIT ${integerList([limit])}`,
      to,
    );
    return found.map(([id, spans]) => ({ id: String(id), spanCount: Number(spans) }));
  }, context);
