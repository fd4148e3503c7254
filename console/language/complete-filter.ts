import { unreachable } from '../../kernel/decision.js';
import type { FilterKind, Population } from '../../kernel/records/record.js';
import {
  columnsOf,
  levelBelow,
  lookUpColumn,
  type FilterColumn,
  type FilterContext,
} from './catalogue.js';
import { isReservedFirst } from './conditions.js';
import type { ColumnPlace, Expectation } from './cursor.js';
import { operatorsOf } from './leaf-of-condition.js';
import { printColumn, printText } from './print-filter.js';
import { parseSyntax } from './syntax.js';
import { filterTokens, type FilterToken } from './tokens.js';

type FilterSuggestion = {
  readonly kind: 'column' | 'operator' | 'value' | 'word';
  /** Replacement of the text from `from` to `to`. */
  readonly text: string;
  /** Note beside it: the label of a column, the count of a value; else empty. */
  readonly note: string;
};

type FilterCompletion = {
  readonly from: number;
  readonly to: number;
  /** At most 50, the likeliest first. */
  readonly suggestions: readonly FilterSuggestion[];
  /** Column whose recorded values may come here, and the records that have it; else null. */
  readonly valuesOf: { readonly column: string; readonly population: Population } | null;
};

/** A recorded value of a column, and how many records have it. */
export type RecordedValue = { readonly value: string; readonly count: number };

export const suggestionsMax = 50;

/**
 * Completion at the caret: columns, operators of the column before it, its values, and words of the
 * language. `valuesOf` are the recorded values of a column, as far as they are known. Takes any
 * text and any caret.
 */
export const completeFilter = (
  text: string,
  caret: number,
  context: FilterContext,
  valuesOf: (column: string, population: Population) => readonly RecordedValue[],
): FilterCompletion => {
  const { from, to, typed, isQuoted } = replacedPart(text, caret);
  const { atEnd } = parseSyntax(text.slice(0, from), context.population);
  const value = atEnd.find((one) => one.is === 'value');
  const isColumn = atEnd.some(
    (one) => one.is === 'operator' && (one.isColumn || isKnown(one.place, context)),
  );
  const all = atEnd
    .filter((one) => !isQuoted || one.is === 'value')
    // A known column is no word, so nothing but an operator is meant.
    .filter((one) => !isColumn || one.is === 'operator' || one.is === 'sign')
    .flatMap((one) => suggestionsFor(one, context, valuesOf));
  // Words of the language are few and known soon.
  const ordered = [...all.filter(isNoWord), ...all.filter((one) => !isNoWord(one))];
  return {
    from,
    to,
    suggestions: matching(ordered, typed).slice(0, suggestionsMax),
    valuesOf: value === undefined ? null : recordedColumn(value.place, context),
  };
};

const isNoWord = ({ kind }: FilterSuggestion): boolean => kind !== 'word';

/** The token that the caret is in or behind, which a suggestion replaces; else an empty part. */
const replacedPart = (text: string, caret: number) => {
  const at = Math.max(0, Math.min(caret, text.length));
  const token = filterTokens(text).find((one) => isTypedAt(one, at));
  if (token === undefined) return { from: at, to: at, typed: '', isQuoted: false };
  const written = text.slice(token.at, at);
  const isMarked = /^["`]/.test(written);
  return {
    from: token.at,
    to: token.at + token.length,
    typed: isMarked ? written.slice(1) : written,
    isQuoted: written.startsWith('"'),
  };
};

const isTypedAt = ({ kind, at, length, isClosed }: FilterToken, caret: number): boolean =>
  kind !== 'sign' &&
  kind !== 'end' &&
  at < caret &&
  // Behind a closing quote nothing is typed any more.
  (caret < at + length || (caret === at + length && (kind === 'word' || !isClosed)));

const isKnown = ({ name, population }: ColumnPlace, context: FilterContext): boolean => {
  const meaning = lookUpColumn(name, population, context);
  return 'types' in meaning && (meaning.column !== null || meaning.types.length === 1);
};

const typesOf = ({ name, population }: ColumnPlace, context: FilterContext) => {
  const meaning = lookUpColumn(name, population, context);
  return 'types' in meaning ? meaning : { column: null, types: [] };
};

const suggestionsFor = (
  expected: Expectation,
  context: FilterContext,
  valuesOf: (column: string, population: Population) => readonly RecordedValue[],
): readonly FilterSuggestion[] => {
  switch (expected.is) {
    case 'column':
      return [
        ...columnsOf(expected.population, context).map((column) =>
          columnSuggestion(column, expected.population, context),
        ),
        ...levelSuggestions(expected.population),
        { kind: 'word', text: 'error of', note: 'failed evaluations of a metric' },
      ];
    case 'metric':
      return columnsOf(expected.population, context)
        .filter(({ id }) => id.startsWith('metrics/'))
        .map((column) => columnSuggestion(column, expected.population, context));
    case 'code':
      return scoringErrorCodes.map((code) => ({ kind: 'value', text: String(code), note: '' }));
    case 'operator':
      return operatorSuggestions(typesOf(expected.place, context).types);
    case 'value':
      return valueSuggestions(expected.place, context, valuesOf);
    case 'user':
      return context.me === null ? [] : [{ kind: 'value', text: 'me', note: '' }];
    case 'word':
      return isLevelWord(expected.word) ? [] : [{ kind: 'word', text: expected.word, note: '' }];
    case 'sign':
      return expected.sign === ')' || expected.sign === '}'
        ? [{ kind: 'word', text: expected.sign, note: '' }]
        : [];
    case 'end':
      return [];
    default:
      return unreachable(expected);
  }
};

/** A column under its shortest name: a metric without `metrics/` where that means the same. */
const columnSuggestion = (
  { id, label, is_empty: isEmpty }: FilterColumn,
  population: Population,
  context: FilterContext,
): FilterSuggestion => {
  const bare = id.startsWith('metrics/') ? id.slice('metrics/'.length) : id;
  const meaning = lookUpColumn(bare, population, context);
  const isSame = 'types' in meaning && meaning.column?.id === id && !isReservedFirst(bare);
  const note = isEmpty ? `${label} (no values)` : label;
  return { kind: 'column', text: printColumn(isSame ? bare : id), note };
};

/** Codes that the service itself records (contract 3.9). */
const scoringErrorCodes = [1001, 1002, 1003, 1004, 1008];

const levelWords = ['any', 'every', 'no', 'span', 'trace'];
const isLevelWord = (word: string): boolean => levelWords.includes(word);

const levelSuggestions = (population: Population): readonly FilterSuggestion[] => {
  const below = levelBelow[population];
  if (below === null) return [];
  return ['any', 'every', 'no'].map((word) => ({
    kind: 'word',
    text: `${word} ${below} (`,
    note: '',
  }));
};

const operatorSuggestions = (types: readonly FilterKind[]): readonly FilterSuggestion[] =>
  [...new Set(types.flatMap((type) => operatorsOf[type]))].map((text) => ({
    kind: 'operator',
    text,
    note: operatorNotes[text] ?? '',
  }));

const operatorNotes: Readonly<Record<string, string>> = {
  '~': 'contains',
  '^=': 'starts with',
  '$=': 'ends with',
};

const valueSuggestions = (
  place: ColumnPlace,
  context: FilterContext,
  valuesOf: (column: string, population: Population) => readonly RecordedValue[],
): readonly FilterSuggestion[] => {
  const { column, types } = typesOf(place, context);
  const flags = types.includes('boolean') ? ['true', 'false'] : [];
  const { allowed_values: allowed = [] } =
    column ?? columnsOf(place.population, context).find(({ id }) => id === place.name) ?? {};
  const recorded = valuesOf(column?.id ?? place.name, place.population);
  const seen = new Set(recorded.map(({ value }) => value));
  const print = types.some((type) => type === 'number') ? String : printText;
  return [
    ...recorded.map(({ value, count }) => ({ text: print(value), note: String(count) })),
    ...allowed.filter((value) => !seen.has(value)).map((text) => ({ text: print(text), note: '' })),
    ...flags.map((text) => ({ text, note: '' })),
  ].map((one) => ({ kind: 'value', ...one }));
};

const recordedColumn = (place: ColumnPlace, context: FilterContext) => {
  const { column, types } = typesOf(place, context);
  // Instants and numbers cannot be grouped (contract 4.5, rule 6); booleans have two values.
  const isListed = types.some((type) => type === 'text' || type === 'id' || type === 'collection');
  return isListed ? { column: column?.id ?? place.name, population: place.population } : null;
};

/** Suggestions that begin with the typed text, then others that have it, in their note too. */
const matching = (all: readonly FilterSuggestion[], typed: string): readonly FilterSuggestion[] => {
  const wanted = typed.toLowerCase();
  const bare = ({ text }: FilterSuggestion): string => text.toLowerCase().replace(/^["`]/, '');
  const begins = new Set(all.filter((one) => bare(one).startsWith(wanted)));
  const has = all.filter(
    (one) =>
      !begins.has(one) &&
      (bare(one).includes(wanted) ||
        (one.kind === 'column' && one.note.toLowerCase().includes(wanted))),
  );
  return [...begins, ...has];
};
