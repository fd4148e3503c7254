/**
 * Position of the first JSON syntax error: the index of the unexpected character, the length of a
 * truncated text, null for valid JSON. The parser itself reports the position of some errors only.
 */
export const jsonErrorIndex = (text: string): number | null => {
  /** Closing brackets of the open arrays and objects. */
  const open: string[] = [];
  let wants: 'value' | 'item' | 'member' | 'name' | 'colon' | 'next' = 'value';
  let at = skipBlanks(text, 0);
  while (at < text.length) {
    const character = text.charAt(at);
    const isEnd = wants === 'next' || wants === (open.at(-1) === '}' ? 'member' : 'item');
    let end: number | JsonError = at + 1;
    if (isEnd && character === open.at(-1)) {
      open.pop();
      wants = 'next';
    } else if (wants === 'next') {
      if (character !== ',' || open.length === 0) return at;
      wants = open.at(-1) === '}' ? 'name' : 'value';
    } else if (wants === 'colon') {
      if (character !== ':') return at;
      wants = 'value';
    } else if (wants === 'name' || wants === 'member') {
      if (character !== '"') return at;
      end = stringEnd(text, at);
      wants = 'colon';
    } else if (character === '{' || character === '[') {
      open.push(character === '{' ? '}' : ']');
      wants = character === '{' ? 'member' : 'item';
    } else {
      end = scalarEnd(text, at);
      wants = 'next';
    }
    if (typeof end !== 'number') return end.broken;
    at = skipBlanks(text, end);
  }
  return wants === 'next' && open.length === 0 ? null : text.length;
};

type JsonError = { readonly broken: number };

const skipCharacters = (text: string, from: number, characters: string): number => {
  let at = from;
  while (at < text.length && characters.includes(text.charAt(at))) at += 1;
  return at;
};
const skipBlanks = (text: string, from: number): number => skipCharacters(text, from, ' \t\n\r');

const scalarEnd = (text: string, begin: number): number | JsonError => {
  const first = text.charAt(begin);
  if (first === '"') return stringEnd(text, begin);
  const word = ['true', 'false', 'null'].find((one) => one.startsWith(first));
  return word === undefined ? numberEnd(text, begin) : wordEnd(text, begin, word);
};

const wordEnd = (text: string, begin: number, word: string): number | JsonError => {
  for (let index = 1; index < word.length; index += 1) {
    if (text.charAt(begin + index) !== word.charAt(index)) return { broken: begin + index };
  }
  return begin + word.length;
};

const numberEnd = (text: string, begin: number): number | JsonError => {
  let from = text.charAt(begin) === '-' ? begin + 1 : begin;
  let at = text.charAt(from) === '0' ? from + 1 : skipCharacters(text, from, digits);
  if (at > from && text.charAt(at) === '.') {
    from = at + 1;
    at = skipCharacters(text, from, digits);
  }
  if (at > from && 'eE'.includes(text.charAt(at) || ' ')) {
    from = '+-'.includes(text.charAt(at + 1) || ' ') ? at + 2 : at + 1;
    at = skipCharacters(text, from, digits);
  }
  return at > from ? at : { broken: at };
};
const digits = '0123456789';

const stringEnd = (text: string, begin: number): number | JsonError => {
  for (let at = begin + 1; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"') return at + 1;
    if (character < ' ') return { broken: at };
    if (character === '\\') {
      at += 1;
      const escape = text.charAt(at);
      if (escape === 'u') {
        const hex = /^[0-9a-f]*/i.exec(text.slice(at + 1, at + 5))?.[0].length ?? 0;
        at += hex;
        if (hex < 4) return { broken: at + 1 };
      } else if (!'"\\/bfnrt'.includes(escape)) return { broken: at };
    }
  }
  return { broken: text.length };
};
