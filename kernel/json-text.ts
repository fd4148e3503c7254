/**
 * `JSON.parse` that keeps member names intact. V8 12.8 to 14.6 (Node 22 to 26) reads a name with an
 * escape as another one, once any object had a name with a backslash at that place: `"\n"` becomes
 * `\` (nodejs/node issue 63785). Such texts are parsed with placeholder names.
 */
export const parseJsonText = (text: string): unknown => {
  const value: unknown = JSON.parse(text);
  return text.includes('\\') && hasEscapedName(text) ? parseWithPlainNames(text) : value;
};

/**
 * True if a member name has an escape. `text` is JSON: a backslash is in a string, and a string
 * before a colon is a name.
 */
const hasEscapedName = (text: string): boolean => {
  for (let at = text.indexOf('\\'); at >= 0;) {
    const end = endOfJsonString(text, at);
    if (isMemberName(text, end)) return true;
    at = text.indexOf('\\', end);
  }
  return false;
};

/**
 * Index of the quote that ends a JSON string, searched from its first character or first escape.
 */
export const endOfJsonString = (text: string, from: number): number => {
  for (let end = text.indexOf('"', from); ; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (first > from && text.charCodeAt(first - 1) === backslash) first -= 1;
    if ((end - first) % 2 === 0) return end;
  }
};

const isMemberName = (text: string, end: number): boolean => {
  let next = end + 1;
  while (text.charCodeAt(next) <= space) next += 1;
  return text.charCodeAt(next) === colon;
};

/** Parses with placeholders: while V8 reads the text, each name in it is a letter and a number. */
const parseWithPlainNames = (text: string): unknown => {
  const places = new Map<string, number>();
  const placesByName = new Map<string, number>();
  const names: string[] = [];
  const placeOf = (string: string): number => {
    const known = places.get(string);
    if (known !== undefined) return known;
    const name = JSON.parse(string) as string;
    // One place for all spellings of a name, so that the last of them counts.
    const place = placesByName.get(name) ?? names.push(name) - 1;
    placesByName.set(name, place);
    places.set(string, place);
    return place;
  };
  let [numbered, from] = ['', 0];
  for (let at = text.indexOf('"'), end = at; at >= 0; at = text.indexOf('"', end + 1)) {
    end = endOfJsonString(text, at + 1);
    if (!isMemberName(text, end)) continue;
    numbered += `${text.slice(from, at)}"n${placeOf(text.slice(at, end + 1))}"`;
    from = end + 1;
  }
  const named = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(named);
    const members = Object.entries(value).map(
      ([place, one]) => [names[Number(place.slice(1))] ?? place, named(one)] as const,
    );
    return Object.fromEntries(members);
  };
  return named(JSON.parse(numbered + text.slice(from)));
};

const [space, colon, backslash] = [0x20, 0x3a, 0x5c];

/** JSON of the object without its `}`. */
export const unclosedObject = (value: object): string => JSON.stringify(value).slice(0, -1);
