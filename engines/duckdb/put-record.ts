import { populationOf } from '../../kernel/records/columns.js';
import type { MetricCell, Population } from '../../kernel/records/record.js';
import type { MetricEntry, RecordCells } from '../../kernel/records/record-cells.js';
import { addRow } from './chunk-buffer.js';
import { headOf, longTextMarker, splitText, unsearchedNames } from './long-text.js';
import { entriesOutsideFacets, entryHash } from './metadata-entries.js';
import { noProjectColumns } from './project-columns.js';
import { addMarker, type RowBatch } from './row-batch.js';
import { encodeRow, foldedText, type LongText, type RowKey } from './row-encoding.js';
import { foldedTextMarker, measuredMetricMarker, ordinalsMax, sessionsMarker } from './schema.js';

/**
 * Puts a record into the chunks of its tables: the one way into them, for the rows of changed
 * traces and for fresh traces alike.
 */
export const putRecord = (
  batch: RowBatch,
  record: RecordCells,
  { grp, project }: Omit<RowKey, 'key'>,
): void => {
  const { ordinal } = record;
  const population = populationOf(record.kind);
  if (ordinal >= ordinalsMax) throw new RangeError(`a group has more than ${ordinalsMax} rows`);
  if ((ordinal === 0) !== (population !== 'span'))
    throw new RangeError('ordinal 0 is for sessions and traces, higher ones are for spans');
  const place = { key: grp * ordinalsMax + ordinal, grp, project };
  const { misfolded } = batch.model;
  const { metrics, measured, folded, long } = encodeRow(
    batch.records[population],
    record,
    place,
    misfolded,
  );
  for (const id of folded) addMarker(batch, foldedTextMarker(population, id));
  if (population === 'session') addMarker(batch, sessionsMarker);
  if (population === 'trace')
    for (const name of measured) addMarker(batch, measuredMetricMarker(name));
  for (const text of long) addText(batch, population, place, text);
  const columns = batch.projectColumns.get(project)?.numbers ?? noProjectColumns.numbers;
  for (const [name, value] of entriesOutsideFacets(record, columns)) {
    addRow(batch.entries, [place.key, grp, project, entryHash(name, value)]);
  }
  forEachFacet(record, metrics, (column, number, other, cell) => {
    const col = columns.get(column);
    // Stored with its record, without a column (contract 1.11).
    if (col === undefined) return;
    const text = typeof other === 'string' ? other : null;
    const head = text === null ? null : headOf(text);
    // Queries read only the beginning of an error's message.
    if (text !== null && head !== text && column.startsWith('metrics/')) {
      addText(batch, population, place, { name: column, text });
    }
    addRow(batch.facets, [
      place.key,
      grp,
      project,
      population,
      col,
      number === null ? null : number + 0,
      typeof other === 'boolean' ? other : null,
      head,
      head !== null && misfolded.test(head) ? foldedText(head) : null,
      cell?.rolledUp ?? null,
      cell?.first?.at ?? null,
      cell?.first?.type ?? null,
      cell?.first?.fraction ?? null,
    ]);
  });
};

const addText = (
  batch: RowBatch,
  population: Population,
  { key, grp, project }: RowKey,
  { name, text }: LongText,
): void => {
  const { model, texts } = batch;
  addMarker(batch, longTextMarker(population, name));
  const searched = !unsearchedNames.has(name);
  for (const { start, text: piece } of splitText(text, searched)) {
    const folded = searched && model.misfolded.test(piece) ? foldedText(piece) : null;
    addRow(texts, [key, grp, project, name, start, piece, folded]);
  }
};

type AddFacet = (
  column: string,
  number: number | null,
  other: string | boolean | null,
  cell?: MetricCell,
) => void;

const forEachFacet = (
  { userMetadata, errors }: RecordCells,
  metrics: readonly MetricEntry[],
  add: AddFacet,
): void => {
  for (const [metric, cell] of metrics) {
    const { value, rollUp = null } = cell;
    if (typeof value === 'number') add(`metrics/${metric}`, value, null, cell);
    else add(`metrics/${metric}`, rollUp, value, cell);
  }
  for (const [key, text] of Object.entries(userMetadata)) add(`user_metadata/${key}`, null, text);
  for (const [metric, { code, message }] of Object.entries(errors)) {
    add(`errors/${metric}`, code, message);
  }
};
