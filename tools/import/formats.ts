import { Fault } from '../../kernel/fault.js';
import type { JsonObject } from '../../kernel/schema-types.js';
import { groupRowsByTrace } from './trace-grouping.js';
import { langfuse } from './langfuse.js';
import type { FilePiece } from './lines.js';
import { otlpLines } from './otlp.js';
import { isPhoenixRow, phoenix } from './phoenix.js';
import { parseObject, type ImportedRecord } from './records.js';
import { traceLines } from './trace-lines.js';

type Format = {
  /** Name shown to the user. */
  readonly said: string;
  /** True if a value of a file is of this form and no other. */
  readonly knows: (value: JsonObject) => boolean;
  readonly read: (pieces: AsyncIterable<FilePiece>) => AsyncIterable<ImportedRecord>;
  /** True if records come in the order of the lines, so that `--from` can skip some. */
  readonly inOrder: boolean;
};

const hasAny = (value: JsonObject, names: readonly string[]): boolean =>
  names.some((name) => name in value);

/** Formats in order of detection: the last one accepts any object. */
export const importFormats = {
  otlp: {
    said: 'OTLP as JSON',
    knows: (value) =>
      hasAny(value, ['resourceSpans', 'resource_spans']) ||
      (hasAny(value, ['traceId', 'trace_id']) && hasAny(value, ['spanId', 'span_id'])),
    read: otlpLines,
    inOrder: true,
  },
  phoenix: {
    said: 'spans of Arize Phoenix',
    knows: isPhoenixRow,
    read: (pieces) => groupRowsByTrace(pieces, phoenix),
    inOrder: false,
  },
  langfuse: {
    said: 'an export of Langfuse',
    knows: (value) => langfuse.rowsOf(value).length > 0 || 'data' in value,
    read: (pieces) => groupRowsByTrace(pieces, langfuse),
    inOrder: false,
  },
  assay: {
    said: 'traces as Assay takes them',
    knows: (value) => hasAny(value, ['type', 'spans', 'input', 'created_at']),
    read: traceLines,
    inOrder: true,
  },
} as const satisfies Readonly<Record<string, Format>>;
export type ImportFormat = keyof typeof importFormats;
export const importFormatNames = Object.keys(importFormats) as readonly ImportFormat[];

const membersNamedMax = 5;
/** Lines examined for detection; broken ones are skipped up to this limit. */
const piecesExaminedMax = 20;

/**
 * Detects the format of a file by its first value that is an object; answers with all pieces,
 * including those examined. Throws Fault `invalid` when no format matches.
 */
export const detectFormat = async (
  pieces: AsyncIterable<FilePiece>,
): Promise<{ readonly format: ImportFormat; readonly pieces: AsyncIterable<FilePiece> }> => {
  const rest = pieces[Symbol.asyncIterator]();
  const looked: FilePiece[] = [];
  let unlike = '';
  while (looked.length < piecesExaminedMax) {
    const next = await rest.next();
    if (next.done === true) break;
    looked.push(next.value);
    const value = 'text' in next.value ? parseObject(next.value.text) : '';
    if (typeof value === 'string') continue;
    const format = importFormatNames.find((name) => importFormats[name].knows(value));
    if (format !== undefined) return { format, pieces: concatPieces(looked, rest) };
    const members = Object.keys(value).slice(0, membersNamedMax).join(', ');
    unlike = `: line ${next.value.line} has the members ${members || 'of no record'}`;
    break;
  }
  if (looked.length === 0) throw new Fault('invalid', 'there is nothing in it');
  const names = importFormatNames.join(', ');
  const step = `--format is one of ${names}, see assay import --help`;
  throw new Fault('invalid', `unknown format${unlike}; ${step}`);
};

async function* concatPieces(
  first: readonly FilePiece[],
  rest: AsyncIterator<FilePiece>,
): AsyncGenerator<FilePiece> {
  yield* first;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}
