import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { CsvError, parse, type Info } from 'csv-parse';
import { parseJsonText } from '../../kernel/json-text.js';
import {
  columnNameMax,
  datasetColumnsMax,
  datasetRowsMax,
  compactCells,
  type ContentCell,
  type StoredCells,
  type Scalar,
  type ContentTable,
} from '../../kernel/dataset-content.js';
import { detectDelimiter } from './delimiter.js';
import {
  checkCsvLimits,
  checkJsonLimits,
  recordLine,
  stringEnd,
  tooManyRowsFault,
  lineFault,
} from './size-limits.js';
import { jsonErrorIndex } from './json-error.js';
import { codePointCount } from '../../kernel/code-points.js';
import { valueFault } from '../../kernel/fault.js';

export type TableFormat = 'csv' | 'json' | 'jsonl';
export type TableFile = { readonly bytes: Uint8Array; readonly fileName: string };

/**
 * Parses the table of a file (contract 5.11): CSV by RFC 4180 with its detected delimiter, JSON
 * Lines, or JSON with an array of objects; the format as requested, else by the file name, else by
 * the first character. Throws Fault `invalid` at the file with the line of the error.
 */
export const parseTable = async (
  { bytes, fileName }: TableFile,
  format: TableFormat | null,
): Promise<ContentTable> => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!isUtf8(buffer)) throw lineFault(undecodableLine(buffer), 'is not UTF-8');
  // The decoder drops a byte order mark.
  const text = new TextDecoder().decode(buffer);
  switch (format ?? formatOf(fileName, text)) {
    case 'csv':
      return readCsv(text);
    case 'json':
      return readJson(text);
    case 'jsonl':
      return readJsonLines(text);
  }
};

const formatOf = (fileName: string, text: string): TableFormat => {
  const ending = /\.(csv|jsonl?|ndjson)$/i.exec(fileName)?.[1]?.toLowerCase();
  if (ending === 'csv' || ending === 'json' || ending === 'jsonl') return ending;
  if (ending === 'ndjson') return 'jsonl';
  const first = text.trimStart().charAt(0);
  if (first === '[') return 'json';
  return first === '{' ? 'jsonl' : 'csv';
};

const undecodableLine = (buffer: Buffer): number => {
  let line = 1;
  let from = 0;
  for (;;) {
    const end = buffer.indexOf(10, from);
    if (end < 0 || !isUtf8(buffer.subarray(from, end))) return line;
    from = end + 1;
    line += 1;
  }
};

const sliceCharacters = 65_536;

function* slices(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += sliceCharacters) {
    yield text.slice(at, at + sliceCharacters);
  }
}

const readCsv = async (text: string): Promise<ContentTable> => {
  const delimiter = detectDelimiter(text);
  checkCsvLimits(text, delimiter);
  const parser = Readable.from(slices(text)).pipe(
    parse({
      info: true,
      delimiter,
      relax_column_count: true,
      skip_empty_lines: true,
      // Detecting it would cost twenty times as much for a long first line.
      record_delimiter: ['\r\n', '\n', '\r'],
    }),
  );
  let columns: readonly string[] | null = null;
  const rows: StoredCells[] = [];
  try {
    for await (const { record, info } of parser as AsyncIterable<CsvRecord>) {
      if (columns === null) columns = checkedColumns(record, () => recordLine(text, 1));
      else {
        if (record.length > columns.length) {
          throw lineFault(
            recordLine(text, info.records),
            `has ${record.length} cells, but there are ${columns.length} columns`,
          );
        }
        rows.push(record);
        if (rows.length > datasetRowsMax) throw tooManyRowsFault();
      }
    }
  } catch (error) {
    if (error instanceof CsvError) {
      const { records = 0 } = error as { readonly records?: number };
      throw lineFault(recordLine(text, records + 1), 'is not CSV: its quotes do not match');
    }
    throw error;
  }
  return { columns: columns ?? [], rows };
};
type CsvRecord = { readonly record: readonly string[]; readonly info: Info };

const checkedColumns = (names: readonly string[], line: () => number): readonly string[] => {
  const seen = new Set<string>();
  for (const name of names) {
    checkColumn(name, seen.size, line);
    if (seen.has(name)) throw lineFault(line(), `names the column '${name}' twice`);
    seen.add(name);
  }
  return names;
};

const checkColumn = (name: string, known: number, line: () => number): void => {
  if (name === '') throw lineFault(line(), 'has a column without a name');
  if (codePointCount(name) > columnNameMax) {
    throw lineFault(line(), `has a column name of more than ${columnNameMax} characters`);
  }
  if (known >= datasetColumnsMax) {
    throw lineFault(line(), `has a column too many: a dataset has at most ${datasetColumnsMax}`);
  }
};

const readJson = (text: string): ContentTable => {
  if (text.trim() === '') return { columns: [], rows: [] };
  checkJsonLimits(text, false);
  const parsed = parseJson(text);
  if (parsed === undefined) throw lineFault(brokenLine(text), 'is not JSON');
  if (!Array.isArray(parsed)) throw valueFault(['body', 'file'], 'line 1 does not begin an array');
  const table = openTable();
  for (const [index, item] of (parsed as readonly unknown[]).entries()) {
    table.add(item, () => itemLine(text, index));
  }
  return table.done();
};

const readJsonLines = (text: string): ContentTable => {
  checkJsonLimits(text, true);
  const table = openTable();
  let line = 0;
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\n', at);
    const sent = text.slice(at, end < 0 ? undefined : end);
    at = end < 0 ? text.length : end + 1;
    line += 1;
    if (sent.trim() === '') continue;
    const item = parseJson(sent);
    const here = line;
    if (item === undefined) throw lineFault(here, 'is not JSON');
    table.add(item, () => here);
  }
  return table.done();
};

/** Parsed JSON; undefined if malformed. */
const parseJson = (text: string): unknown => {
  try {
    return parseJsonText(text);
  } catch {
    return undefined;
  }
};

/** Table builder: columns in order of first appearance; a missing member is null. */
const openTable = () => {
  const places = new Map<string, number>();
  const rows: StoredCells[] = [];
  return {
    add: (item: unknown, line: () => number): void => {
      if (typeof item !== 'object' || item === null || Array.isArray(item)) {
        throw lineFault(line(), 'is not an object');
      }
      if (rows.length >= datasetRowsMax) throw tooManyRowsFault();
      const cells = Object.entries(item).map(([sent, value]) => {
        const name = sent.toWellFormed();
        const place = places.get(name) ?? places.size;
        if (place === places.size) checkColumn(name, places.size, line);
        places.set(name, place);
        return [place, flattenCell(value, line)] as const;
      });
      rows.push(compactCells(cells));
    },
    done: (): ContentTable => ({ columns: [...places.keys()], rows }),
  };
};

/**
 * Flattens a value: true and false become text, deeper values their compact JSON (contract 5.11).
 */
const flattenCell = (value: unknown, line: () => number): ContentCell => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return scalarOf(value, line);
  }
  return Object.fromEntries(
    Object.entries(value).map(([member, one]) => [member.toWellFormed(), scalarOf(one, line)]),
  );
};

const scalarOf = (value: unknown, line: () => number): Scalar => {
  if (typeof value === 'string') return value.toWellFormed();
  // 1e999 parses as infinite, which has no JSON form to store.
  const finite = (_member: string, one: unknown): unknown => {
    if (typeof one === 'number' && !Number.isFinite(one)) throw lineFault(line(), tooLarge);
    return one;
  };
  if (typeof value === 'number') return finite('', value) as number;
  return value === null ? null : JSON.stringify(value, finite).toWellFormed();
};
const tooLarge = 'has a number that is too large';

/** Line in which an item of a top-level array begins, in a valid JSON text. */
const itemLine = (text: string, item: number): number => {
  let depth = 0;
  let index = 0;
  let line = 1;
  let isBetween = true;
  for (let at = text.indexOf('[') + 1; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '\n') line += 1;
    else if (isBetween && !/\s/.test(character)) {
      if (index === item) return line + newlines(text.slice(0, text.indexOf('[')));
      isBetween = false;
    }
    if (character === '"') at = stringEnd(text, at);
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    else if (character === ',' && depth === 0) {
      index += 1;
      isBetween = true;
    }
  }
  return line;
};

const newlines = (text: string): number => text.split('\n').length - 1;

/** Line of the syntax error: for a truncated text its last line, without trailing blanks. */
const brokenLine = (text: string): number =>
  newlines(text.trimEnd().slice(0, jsonErrorIndex(text) ?? text.length)) + 1;
