import { BSON } from 'mongodb';
import { millisecondsOf } from '../../kernel/records/time-buckets.js';
import { metricValue, registryType, standardValue } from '../../kernel/records/column-value.js';
import { populationOf, spanKinds, standardColumns } from '../../kernel/records/columns.js';
import { annotationsOf, ratingKeys, ratingValue } from '../../kernel/records/feedback.js';
import { storedOutline } from '../../kernel/records/outlines.js';
import { splitBody } from '../../kernel/records/record-contents.js';
import type { StreamName } from '../../kernel/ports.js';
import type {
  ColumnValue,
  Population,
  RecordKind,
  RecordRow,
} from '../../kernel/records/record.js';
import type { Instant } from '../../kernel/schema-types.js';
import { foldCase } from '../../kernel/case-fold.js';
import { encodeMember } from './member-names.js';
import { foldedVariant, isKeptFolded, longText } from './text-match.js';

/**
 * Stored record: the searchable members. External names are encoded by member-names.ts; `rest` has
 * what only the row itself needs, as text, so that it comes back unchanged.
 */
export type StoredRow = {
  readonly project: string;
  readonly run: string;
  readonly population: Population;
  readonly kind: RecordKind;
  readonly group: StreamName;
  readonly ordinal: number;
  readonly id: string;
  /** `created_at`. */
  readonly at: string;
  /** Whole minutes of `at` since 1970, from which buckets are computed. */
  readonly minute: number;
  /** The session, if any; lone traces and their spans have none. */
  readonly session?: string;
  readonly spans: number;
  /** Standard columns that the kind can have. */
  readonly values: Readonly<Record<string, ColumnValue>>;
  /** Their texts and tags folded, where that changes them (see text-match.ts). */
  readonly folded: Readonly<Record<string, string | readonly string[]>>;
  readonly metrics: Readonly<Record<string, StoredMetric>>;
  readonly notes: Readonly<Record<string, string>>;
  readonly foldedNotes: Readonly<Record<string, string>>;
  /** Hashed entries of user metadata outside `notes`, of sessions and traces. */
  readonly entries?: readonly string[];
  readonly errors?: Readonly<Record<string, { code: number; message: string | null }>>;
  /** Set together with `errors`, for the index. */
  readonly failed?: true;
  readonly annotators: readonly string[];
  /**
   * Ratings of traces, with the mark for their index: see `ratingKeys` of
   * kernel/records/feedback.ts.
   */
  readonly ratings?: readonly string[];
  /** Column values of the ratings by template (kernel/records/feedback.ts, `ratingValue`). */
  readonly annotations?: Readonly<Record<string, StoredRating>>;
  readonly rated?: true;
  /**
   * Outline of a trace or span with a long `rest`: see kernel/records/outlines.ts. Others derive it
   * from the row.
   */
  readonly outline?: string;
  /** Hash of the columns with a value: see record-shapes.ts. */
  readonly shape?: string;
  readonly rest: string;
  /** A long `rest` without the contents of the body (kernel/records/record-contents.ts). */
  readonly brief?: string;
  /** Number of further documents with parts of `rest`, when it is too long for one. */
  readonly parts: number;
};

/**
 * Visible values of a metric by type: integer, floating point, boolean or text (contract 3.4 rule
 * 3); absent if not visible.
 */
type StoredMetric = {
  readonly integer?: number;
  readonly floating_point?: number;
  readonly boolean?: boolean;
  readonly text?: string;
  readonly folded?: string;
};

/** Rating value, under the type of the template's column; an empty list is omitted. */
type StoredRating = {
  readonly floating_point?: number;
  readonly string_list?: readonly string[];
  readonly foldedList?: readonly string[];
  readonly text?: string;
  readonly folded?: string;
};

/**
 * First values of metrics outside the registry, in documents beside the records (contract 3.4, rule
 * 2).
 */
export type StoredFirst = {
  readonly project: string;
  readonly run: string;
  readonly group: StreamName;
  /** Ordinal of its record. */
  readonly of: number;
  readonly metric: string;
  readonly first: string;
  readonly type: string;
  readonly fraction: boolean;
};
/** A piece of a long `rest`. */
type StoredPart = {
  readonly project: string;
  readonly run: string;
  readonly group: StreamName;
  readonly partOf: number;
  readonly part: number;
  readonly text: string;
};

export const kindsOf = (population: Population): readonly RecordKind[] =>
  population === 'span' ? spanKinds : [population];

// A document holds 16 MB at most; texts of columns may be 5 MB, and as much again folded.
export const restMax = 2_000_000;
/** Longest `rest` read to derive an outline, which is some 300 characters. */
const outlineSourceMax = 1_000;
const rowMax = 15_000_000;

/** All documents of one row, the row itself first. */
export const rowDocuments = (row: RecordRow): readonly (StoredRow | StoredFirst | StoredPart)[] => {
  const place = {
    project: String(row.values['project_id']),
    run: String(row.values['run_id']),
    group: row.group,
  };
  const values = visibleValues(row);
  const rest = restOf(row, values);
  const pieces = rest.length > restMax ? piecesOf(rest) : [];
  const outline = rest.length > outlineSourceMax ? storedOutline(row) : null;
  const stored: StoredRow = {
    ...storedRow(row, values),
    ...place,
    ...(outline !== null && { outline }),
    ...briefOf(row, rest, values),
    rest: pieces.length > 0 ? '' : rest,
    parts: pieces.length,
  };
  return [
    rest.length > restMax && BSON.calculateObjectSize(stored) > rowMax
      ? withoutLongFolded(stored)
      : stored,
    ...pieces.map((text, part) => ({ ...place, partOf: row.ordinal, part, text })),
    ...firstsOf(row).map((first) => ({ ...place, of: row.ordinal, ...first })),
  ];
};

/** Nothing for a short `rest`, one without contents, or one that is too long without them too. */
const briefOf = (
  row: RecordRow,
  rest: string,
  values: Readonly<Record<string, ColumnValue>>,
): Pick<StoredRow, 'brief'> => {
  const [body, contents] = splitBody(row.body);
  if (rest.length <= outlineSourceMax || contents === null) return {};
  const brief = restOf({ ...row, body }, values);
  return brief.length > restMax ? {} : { brief };
};

/**
 * Removes folded copies of long texts, for which records of this size have no room:
 * case-insensitive search then folds ASCII letters only.
 */
const withoutLongFolded = (row: StoredRow): StoredRow => {
  const isShort = (text: unknown): boolean => typeof text !== 'string' || text.length <= longText;
  const folded = Object.entries(row.folded).filter(([, text]) => isShort(text));
  const metrics = Object.entries(row.metrics).map(([name, { folded: text, ...metric }]) => {
    const kept = text !== undefined && isShort(text) ? { folded: text } : {};
    return [name, { ...metric, ...kept }] as const;
  });
  return { ...row, folded: Object.fromEntries(folded), metrics: Object.fromEntries(metrics) };
};

const storedRow = (
  row: RecordRow,
  values: Readonly<Record<string, ColumnValue>>,
): Omit<StoredRow, 'project' | 'run' | 'group' | 'rest' | 'parts'> => {
  const { kind, ordinal, spanCount, annotators, userMetadata, errors } = row;
  const { created_at: at, id, session_id: session, trace_id: trace } = row.values;
  const isLone = session === undefined || session === (kind === 'trace' ? id : trace);
  const failed = Object.entries(errors);
  return {
    population: populationOf(kind),
    kind,
    ordinal,
    id: String(id),
    at: String(at),
    minute: Math.floor(millisecondsOf(at as Instant) / millisecondsPerMinute),
    ...(isLone ? {} : { session: String(session) }),
    spans: spanCount,
    values,
    folded: foldedValues(values),
    metrics: Object.fromEntries(
      Object.keys(row.metrics).map((metric) => [encodeMember(metric), storedMetric(row, metric)]),
    ),
    notes: byMember(Object.entries(userMetadata)),
    foldedNotes: byMember(
      Object.entries(userMetadata).flatMap(([key, text]) => foldedEntry(key, text)),
    ),
    ...(failed.length === 0 ? {} : { errors: byMember(failed), failed: true }),
    annotators,
    ...(kind === 'trace' && annotators.length > 0
      ? { ratings: ratingKeys(row), annotations: storedRatings(row), rated: true as const }
      : {}),
  };
};

const millisecondsPerMinute = 60_000;

const byMember = <V>(entries: readonly (readonly [string, V])[]): Readonly<Record<string, V>> =>
  Object.fromEntries(entries.map(([name, value]) => [encodeMember(name), value]));

const foldedEntry = (key: string, text: string): readonly (readonly [string, string])[] => {
  const folded = foldedVariant(text);
  return folded === null ? [] : [[key, folded]];
};

// These two have members of their own, for the indexes.
const indexedColumns: ReadonlySet<string> = new Set(['id', 'created_at']);

const visibleValues = (row: RecordRow): Readonly<Record<string, ColumnValue>> =>
  Object.fromEntries(
    standardColumns.flatMap(({ id }): [string, ColumnValue][] => {
      const value = indexedColumns.has(id) ? null : standardValue(row, id);
      return value === null ? [] : [[id, value]];
    }),
  );

const foldedValues = (values: Readonly<Record<string, ColumnValue>>): StoredRow['folded'] =>
  Object.fromEntries(
    Object.entries(values).flatMap(([id, value]): [string, string | readonly string[]][] => {
      if (Array.isArray(value)) return [[id, [...new Set(value.map(foldCase))]]];
      if (typeof value !== 'string' || !isKeptFolded(value)) return [];
      return foldedEntry(id, value).map(([, folded]) => [id, folded]);
    }),
  );

const storedMetric = (row: RecordRow, metric: string): StoredMetric => {
  const shown = (type: 'integer' | 'floating_point' | 'boolean' | 'text') =>
    metricValue(row, metric, type);
  const text = shown('text');
  const folded = typeof text === 'string' && isKeptFolded(text) ? foldedVariant(text) : null;
  const all = {
    integer: shown('integer'),
    floating_point: shown('floating_point'),
    boolean: shown('boolean'),
    text,
    folded,
  };
  return Object.fromEntries(
    Object.entries(all).filter(([, value]) => value !== null),
  ) as StoredMetric;
};

const storedRatings = (row: RecordRow): NonNullable<StoredRow['annotations']> =>
  byMember(
    Object.keys(annotationsOf(row)).flatMap((template): [string, StoredRating][] => {
      const value = ratingValue(row, template);
      if (typeof value === 'number') return [[template, { floating_point: value }]];
      if (typeof value === 'string') {
        const folded = isKeptFolded(value) ? foldedVariant(value) : null;
        return [[template, { text: value, ...(folded !== null && { folded }) }]];
      }
      if (!isList(value) || value.length === 0) return [];
      const foldedList = [...new Set(value.map(foldCase))];
      return [[template, { string_list: value, foldedList }]];
    }),
  );

const isList = (value: ColumnValue): value is readonly string[] => Array.isArray(value);

const firstsOf = ({ metrics }: RecordRow) =>
  Object.entries(metrics).flatMap(([metric, { first }]) =>
    first === undefined || registryType(metric) !== null
      ? []
      : [{ metric, first: first.at, type: first.type, fraction: first.fraction }],
  );

/** Non-empty values without a member of their own. */
export type RowRest = Pick<RecordRow, 'values' | 'metrics' | 'userMetadata' | 'errors' | 'body'>;

const restOf = (row: RecordRow, stored: Readonly<Record<string, ColumnValue>>): string => {
  const values = Object.fromEntries(
    Object.entries(row.values).filter(
      ([id]) => !indexedColumns.has(id) && !Object.hasOwn(stored, id),
    ),
  );
  const { metrics, userMetadata, errors, body } = row;
  const rest: RowRest = { values, metrics, userMetadata, errors, body };
  const said = Object.entries(rest).filter(([, members]) => Object.keys(members).length > 0);
  return JSON.stringify(Object.fromEntries(said));
};

/** Splits a text without splitting a character. */
const piecesOf = (text: string): readonly string[] => {
  const pieces: string[] = [];
  for (let from = 0; from < text.length;) {
    let to = Math.min(from + restMax, text.length);
    const last = text.charCodeAt(to - 1);
    if (last >= 0xd800 && last <= 0xdbff && to < text.length) to -= 1;
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
};
