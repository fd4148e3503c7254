import { parseJsonText } from '../../kernel/json-text.js';
import { openDatabase, type Database } from '../../engines/sqlite/database.js';
import { Fault } from '../../kernel/fault.js';
import type { JsonObject } from '../../kernel/schema-types.js';
import { treeLevelsMax } from '../../kernel/records/span-tree.js';
import type { FilePiece } from './lines.js';
import { isList, isObject, parseObject, type ImportedRecord } from './records.js';

/** A row of an export: a span or trace members, with the trace that it belongs to. */
export type ExportedRow = { readonly trace: string; readonly row: JsonObject };
export type GroupedRow = { readonly line: number; readonly row: JsonObject };

export type RowsFormat = {
  /** Rows of one value of the file; empty if the format does not know it. */
  readonly rowsOf: (value: JsonObject) => readonly ExportedRow[];
  /** All rows of one trace, in the order of the file; pure. */
  readonly traceOf: (trace: string, rows: readonly GroupedRow[]) => ImportedRecord;
};

/** Limits of a trace: its rows and their bytes (contract 1.11). */
const [rowsMax, rowBytesMax] = [20_000, 96 * 1_048_576];

type StoredRow = { readonly trace: string; readonly line: number; readonly count: number };
type Sized = StoredRow & { readonly bytes: number };

/**
 * Groups rows by trace, wherever in the file they are: other systems export spans in the order of
 * time. Rows are spooled to a table in the folder for temporary files (`TMPDIR`), which takes as
 * much room as the file, so that memory holds one trace at a time.
 */
export async function* groupRowsByTrace(
  pieces: AsyncIterable<FilePiece>,
  format: RowsFormat,
): AsyncGenerator<ImportedRecord> {
  // Without a name it is SQLite's own temporary file, which no crash leaves behind.
  const table = openDatabase('');
  try {
    table.exec('CREATE TABLE rows (trace TEXT, line INTEGER, body TEXT)');
    const put = table.prepare<[string, number, string]>('INSERT INTO rows VALUES (?, ?, ?)');
    for await (const piece of pieces) {
      const value = 'problem' in piece ? piece.problem : parseObject(piece.text);
      const rows = typeof value === 'string' ? [] : unwrapRows(value).flatMap(format.rowsOf);
      for (const { trace, row } of rows) put.run(trace, piece.line, JSON.stringify(row));
      if (rows.length > 0) continue;
      const problem = typeof value === 'string' ? value : 'it is nothing that this format has';
      yield { line: piece.line, problem };
    }
    table.exec('CREATE INDEX by_trace ON rows (trace)');
    yield* groupedTraces(table, format);
  } finally {
    table.close();
  }
}

function* groupedTraces(table: Database, { traceOf }: RowsFormat): Generator<ImportedRecord> {
  const sizes = table.prepare<[], Sized>(
    'SELECT trace, min(line) line, count(*) count, sum(length(body)) bytes FROM rows ' +
      'GROUP BY trace ORDER BY min(line), trace',
  );
  const ofTrace = table.prepare<[string], { readonly line: number; readonly body: string }>(
    'SELECT line, body FROM rows WHERE trace = ? ORDER BY rowid',
  );
  for (const { trace, line, count, bytes } of sizes.iterate()) {
    if (count > rowsMax || bytes > rowBytesMax) {
      const problem = `its trace ${trace} has ${count} rows of ${bytes} bytes, more than is taken`;
      yield { line, problem };
      continue;
    }
    const rows = ofTrace
      .all(trace)
      .map((one) => ({ line: one.line, row: parseJsonText(one.body) as JsonObject }));
    try {
      yield traceOf(trace, rows);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      yield { line, problem: error.message };
    }
  }
}

/** A page of an API has its rows in `data`. */
const unwrapRows = (value: JsonObject): readonly JsonObject[] => {
  const { data } = value;
  return isList(data) ? data.filter(isObject) : [value];
};

/** A span with its id, and the id of its parent as exported. */
type FlatSpan = { readonly id: string; readonly parent: string | null };

/**
 * Spans as a tree, each once: those whose parent is missing or below them are roots. Throws Fault
 * `invalid` for a tree that is deeper than what is shown.
 */
export const treeOfSpans = <Span extends FlatSpan>(
  spans: readonly Span[],
  shown: (span: Span, below: readonly JsonObject[]) => JsonObject,
): readonly JsonObject[] => {
  const known = new Map(spans.map((span) => [span.id, span]));
  const below = new Map<string | null, Span[]>();
  for (const span of known.values()) {
    const parent = isBelowItself(span, known) ? null : span.parent;
    const key = parent !== null && known.has(parent) ? parent : null;
    below.set(key, [...(below.get(key) ?? []), span]);
  }
  const levelOf = (parent: string | null, level: number): readonly JsonObject[] => {
    if (level > treeLevelsMax) {
      throw new Fault('invalid', `its spans are nested deeper than ${treeLevelsMax} levels`);
    }
    return (below.get(parent) ?? []).map((span) => shown(span, levelOf(span.id, level + 1)));
  };
  return levelOf(null, 1);
};

const isBelowItself = (span: FlatSpan, known: ReadonlyMap<string, FlatSpan>): boolean => {
  const seen = new Set<string>();
  for (let at: FlatSpan | undefined = span; at !== undefined && !seen.has(at.id);) {
    seen.add(at.id);
    at = at.parent === null ? undefined : known.get(at.parent);
    if (at?.id === span.id) return true;
  }
  return false;
};
