/**
 * One piece of a filter text. `text` is what it means: of a quoted text and of a name in backquotes
 * without these and without escapes. A token of kind `bad` has its `problem`, a sentence.
 */
export type FilterToken = {
  readonly kind: 'word' | 'quoted' | 'name' | 'sign' | 'end' | 'bad';
  readonly text: string;
  readonly at: number;
  readonly length: number;
  /** A quoted text with `i` behind it. */
  readonly anyCase: boolean;
  /** False of a quoted text or a name without its closing mark. */
  readonly isClosed: boolean;
  readonly problem: string | null;
};

/** Longer signs first, so that `>=` is not `>` and `=`. */
const signForm = /\.\.|[!^$<>]=|[=~<>(){},]/y;
/** A word ends before a blank, a sign, a quote and two dots. */
const wordForm = /(?:(?!\.\.)[^\s(){}[\],;"`=!~^$<>&|])+/y;
const blankForm = /\s+/y;

/** The tokens of a text in order, the last of them of kind `end`. Takes any text. */
export const filterTokens = (text: string): readonly FilterToken[] => {
  const tokens: FilterToken[] = [];
  let at = 0;
  while (at < text.length) {
    const blank = matchAt(blankForm, text, at);
    if (blank === null) {
      const token = tokenAt(text, at);
      tokens.push(token);
      at += token.length;
    } else at += blank.length;
  }
  return [...tokens, plainToken('end', '', text.length)];
};

/** True for a text that is one word of the language. */
export const isWord = (text: string): boolean =>
  !text.startsWith("'") && matchAt(wordForm, text, 0)?.length === text.length;

const matchAt = (form: RegExp, text: string, at: number): string | null => {
  form.lastIndex = at;
  return form.exec(text)?.[0] ?? null;
};

const plainToken = (kind: FilterToken['kind'], text: string, at: number): FilterToken => ({
  kind,
  text,
  at,
  length: text.length,
  anyCase: false,
  isClosed: true,
  problem: null,
});

const tokenAt = (text: string, at: number): FilterToken => {
  const first = text.charAt(at);
  if (first === '"' || first === '`') return quotedToken(text, at, first);
  const sign = matchAt(signForm, text, at);
  if (sign !== null) return plainToken('sign', sign, at);
  const word = matchAt(wordForm, text, at);
  if (word !== null && first !== "'") return plainToken('word', word, at);
  const bad = word ?? String.fromCodePoint(text.codePointAt(at) ?? 0);
  return {
    ...plainToken('bad', bad, at),
    problem: hints[first] ?? `\`${bad}\` means nothing here.`,
  };
};

const hints: Readonly<Record<string, string>> = {
  '!': 'Write `!=`, or `not` before a condition.',
  '^': 'Write `^=` for texts that begin so.',
  $: 'Write `$=` for texts that end so.',
  '&': 'Write `and`.',
  '|': 'Write `or`.',
  "'": 'Texts stand in double quotes: "…".',
};

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '`': '`',
  '\\': '\\',
  n: '\n',
  r: '\r',
  t: '\t',
};
const pointForm = /u\{([0-9a-fA-F]{1,6})\}/y;

/** A text up to its closing mark, which a backslash keeps from closing it. */
const quotedToken = (text: string, at: number, mark: string): FilterToken => {
  const kind = mark === '"' ? 'quoted' : 'name';
  let [end, meaning, problem] = [at + 1, '', null as string | null];
  while (end < text.length && text.charAt(end) !== mark) {
    const escape = text.charAt(end) === '\\' ? escapeAt(text, end + 1) : null;
    meaning += escape?.text ?? text.charAt(end);
    problem ??= escape?.problem ?? null;
    end += 1 + (escape?.length ?? 0);
  }
  const isClosed = end < text.length;
  end = Math.min(end + 1, text.length);
  const anyCase = kind === 'quoted' && isClosed && hasCaseMark(text, end);
  if (!isClosed) problem ??= `The closing ${mark === '"' ? 'quote' : 'backquote'} is missing.`;
  return {
    kind: problem === null ? kind : 'bad',
    text: meaning,
    at,
    length: end - at + (anyCase ? 1 : 0),
    anyCase,
    isClosed,
    problem,
  };
};

/** An `i` that is no word of its own. */
const hasCaseMark = (text: string, at: number): boolean =>
  text.charAt(at) === 'i' && matchAt(wordForm, text, at) === 'i';

const escapeAt = (text: string, at: number) => {
  const letter = text.charAt(at);
  const escaped = escapes[letter];
  if (escaped !== undefined) return { text: escaped, length: 1, problem: null };
  const point = matchAt(pointForm, text, at);
  const code = point === null ? Infinity : Number.parseInt(point.slice(2, -1), 16);
  if (point !== null && code <= 0x10ffff) {
    return { text: String.fromCodePoint(code), length: point.length, problem: null };
  }
  const problem = String.raw`A backslash stands before ", \, n, r, t or u{…}; write \\ for itself.`;
  return { text: '\\', length: 0, problem };
};

const unseen =
  // oxlint-disable-next-line no-control-regex -- Controls are what has to be seen.
  /["\\\u0000-\u001f\u007f-\u009f\u2028\u2029\p{Default_Ignorable_Code_Point}\p{Cs}]/gu;
const shortEscapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

const escapeUnseen = (text: string): string =>
  text.replaceAll(
    unseen,
    (character) =>
      shortEscapes[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );

/** The text in quotes; what the eye cannot see is written as an escape. */
export const quoteText = (text: string): string => `"${escapeUnseen(text)}"`;

/** The name of a column in backquotes. */
export const quoteName = (name: string): string =>
  `\`${escapeUnseen(name).replaceAll('`', '\\`')}\``;
