const terminalColours = [
  'black',
  'red',
  'green',
  'yellow',
  'blue',
  'magenta',
  'cyan',
  'white',
] as const;
export type TerminalColour = (typeof terminalColours)[number];

/**
 * The colour of text behind a code of a terminal such as `ESC[1;31m`; null: the usual one. Other
 * looks that it sets are left out. Undefined for a code that says something else.
 */
export const changedColour = (
  code: string,
  before: TerminalColour | null,
): TerminalColour | null | undefined => {
  const numbers = code.slice(2, -1).split(';').map(Number);
  let colour = before;
  for (let at = 0; at < numbers.length; at += 1) {
    const number = numbers[at] ?? 0;
    if (number === 38 || number === 48) {
      const [chosen, length] = extendedColour(numbers.slice(at + 1, at + 5));
      if (chosen === null) return undefined;
      if (number === 38) colour = chosen;
      at += length;
    } else if (number === 0 || number === 39) colour = null;
    else if (isIn(number, 30, 37) || isIn(number, 90, 97)) colour = colourAt(number % 10);
    else if (!isLook(number)) return undefined;
  }
  return colour;
};

const isIn = (number: number, low: number, high: number): boolean =>
  number >= low && number <= high;

/** Weight, underline, background and the like. */
const isLook = (number: number): boolean =>
  isIn(number, 1, 29) || isIn(number, 40, 49) || isIn(number, 50, 55) || isIn(number, 100, 107);

const colourAt = (index: number): TerminalColour => terminalColours[index] ?? 'white';

/** The nearest of the 8 to one of 256 colours, or to red, green and blue; and how many numbers. */
const extendedColour = ([form = 0, first = 0, second = 0, third = 0]: readonly number[]): readonly [
  TerminalColour | null,
  number,
] => {
  const nearest = (parts: readonly number[], half: number): TerminalColour =>
    colourAt(parts.reduce((index, part, at) => index + (part > half ? 2 ** at : 0), 0));
  if (form === 2) return [nearest([first, second, third], 127), 4];
  if (form !== 5) return [null, 0];
  if (first < 16) return [colourAt(first % 8), 2];
  if (first >= 232) return [first < 244 ? 'black' : 'white', 2];
  const cube = first - 16;
  return [nearest([Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6], 2), 2];
};
