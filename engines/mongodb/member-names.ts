/**
 * Encodes an external name as a member name: injective, and nothing that the server, its query
 * language or JavaScript interprets. Begins with `_`, so it is never a number, an operator or
 * `__proto__`. Members sort as their names do: a forbidden character is spelled as its neighbour
 * and a digit, and so is that neighbour.
 */
export const encodeMember = (name: string): string =>
  // oxlint-disable-next-line no-control-regex -- NUL ends a name on the wire.
  `_${name.replace(/[\0\u0001#$\-.]/g, (one) => spellings.get(one) ?? one)}`;

/** Decodes such a member name. */
export const decodeMember = (member: string): string =>
  // oxlint-disable-next-line no-control-regex -- NUL and its neighbour are spelled by this.
  member.slice(1).replace(/[\u0001#-][01]/g, (two) => names.get(two) ?? two);

const spellings: ReadonlyMap<string, string> = new Map([
  ['\0', '\u00010'],
  ['\u0001', '\u00011'],
  ['#', '#0'],
  ['$', '#1'],
  ['-', '-0'],
  ['.', '-1'],
]);
const names: ReadonlyMap<string, string> = new Map([...spellings].map(([one, two]) => [two, one]));
