import { readFileSync } from 'node:fs';
import { expect } from 'chai';

/** Colours of a theme by their token. */
type Palette = ReadonlyMap<string, string>;

const tokens = readFileSync('console/style/tokens.css', 'utf8');
const pairs = [...tokens.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);/g)];
const palettes: Readonly<Record<'light' | 'dark', Palette>> = {
  light: new Map(pairs.map(([, name = '', light = '']) => [name, light])),
  dark: new Map(pairs.map(([, name = '', , dark = '']) => [name, dark])),
};

/** Relative luminance of a colour (WCAG 2.2). */
const luminanceOf = (color: string): number => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

const contrastOf = (one: string, other: string): number => {
  const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
};

const surfaces = ['ground', 'surface', 'sunk', 'raised'];
const series = Array.from({ length: 8 }, (_series, index) => `series-${index + 1}`);
/** Foregrounds, what they stand on, and the least contrast. */
const rules: readonly (readonly [readonly string[], readonly string[], number])[] = [
  [['text'], [...surfaces, 'hover'], 10],
  [['text'], ['selected', 'removed', 'added', 'stale'], 10],
  [['muted'], [...surfaces, 'hover', 'selected'], 4.5],
  [['accent', 'bad', 'warn', 'good'], [...surfaces, 'hover'], 4.5],
  [['bad'], ['removed'], 4.5],
  [['warn'], ['stale'], 4.5],
  [['on-accent'], ['accent'], 4.5],
  [['control'], surfaces, 3],
  [series, ['surface'], 4.5],
];

describe('the colours of the console', () => {
  for (const [theme, palette] of Object.entries(palettes)) {
    it(`have enough contrast in ${theme}`, () => {
      const color = (name: string): string => {
        const value = palette.get(name);
        if (value === undefined) throw new Error(`tokens.css has no colour ${name}`);
        return value;
      };
      const complaints = rules.flatMap(([foregrounds, backgrounds, least]) =>
        foregrounds.flatMap((front) =>
          backgrounds.flatMap((back) => {
            const contrast = contrastOf(color(front), color(back));
            return contrast < least ? [`${front} on ${back}: ${contrast.toFixed(2)}`] : [];
          }),
        ),
      );
      expect(complaints).to.deep.equal([]);
    });
  }
});
