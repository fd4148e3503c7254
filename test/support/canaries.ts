import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Texts that occur nowhere else, each known by where it was put. */
export type Canaries = {
  /** A new one for this place. */
  readonly at: (place: string) => string;
  /** One that the service made itself. */
  readonly learnt: (place: string, text: string) => void;
  /** The places whose canary is in the bytes, as it is or in a spelling that gives it away. */
  readonly heardIn: (bytes: Buffer) => readonly string[];
  /** The same over each file below the folder, with its path. */
  readonly heardBelow: (dir: string) => Promise<readonly string[]>;
};

export const canaries = (): Canaries => {
  const learnt = new Map<string, readonly Buffer[]>();
  const places = spellings.map(() => new Map<string, string>());
  const heardIn = (bytes: Buffer): readonly string[] => [
    ...new Set([
      ...[...learnt]
        .filter(([, spelled]) => spelled.some((one) => bytes.includes(one)))
        .map(([place]) => place),
      ...spellings.flatMap((spelling, at) => found(bytes, spelling, places[at])),
    ]),
  ];
  return {
    at: (place) => {
      const text = `${begin}${randomBytes(digits / 2).toString('hex')}`;
      spellings.forEach(({ spell }, at) => places[at]?.set(spell(text).toString('latin1'), place));
      return text;
    },
    learnt: (place, text) =>
      void learnt.set(
        place,
        spellings.map(({ spell }) => spell(Buffer.from(text))),
      ),
    heardIn,
    heardBelow: async (dir) => {
      const entries = await readdir(dir, { recursive: true, withFileTypes: true });
      const heard: string[] = [];
      for (const entry of entries) {
        if (!entry.isFile()) continue;
        const path = join(entry.parentPath, entry.name);
        // A file may go while the folder is looked through.
        const bytes = await readFile(path).catch(() => Buffer.alloc(0));
        heard.push(...heardIn(bytes).map((place) => `${place} in ${entry.name}`));
      }
      return heard;
    },
  };
};

type Spell = (text: Buffer | string) => Buffer;
const begin = 'canary';
const digits = 32;

const base64At =
  (shift: number): Spell =>
  (text) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), Buffer.from(text)]).toString('base64');
    // The characters at both ends depend on what stands beside the text.
    return Buffer.from(encoded.slice(4, -4));
  };

/** In clear, as UTF-16, in hex, reversed, and as base64 at each of its three alignments. */
const spells: readonly Spell[] = [
  (text) => Buffer.from(text),
  (text) => Buffer.from(text.toString(), 'utf16le'),
  (text) => Buffer.from(Buffer.from(text).toString('hex')),
  (text) => Buffer.from(text).reverse(),
  base64At(0),
  base64At(1),
  base64At(2),
];

/** What all canaries have in common in a spelling, at `offset` of their `length` bytes. */
type Spelling = {
  readonly spell: Spell;
  readonly anchor: Buffer;
  readonly offset: number;
  readonly length: number;
};
const spellings: readonly Spelling[] = spells.map((spell) => {
  const [one, other] = ['0', 'f'].map((digit) => spell(`${begin}${digit.repeat(digits)}`));
  if (one === undefined || other === undefined) throw new Error('two of them');
  const { length } = one;
  const same = [...one].map((byte, at) => byte === other[at]);
  const offset = same.indexOf(true);
  const end = same.indexOf(false, offset);
  return { spell, anchor: one.subarray(offset, end < 0 ? length : end), offset, length };
});

/** One look through the bytes for thousands of canaries. */
const found = (
  bytes: Buffer,
  { anchor, offset, length }: Spelling,
  places: ReadonlyMap<string, string> = new Map(),
): readonly string[] => {
  const heard = new Set<string>();
  for (let at = bytes.indexOf(anchor); at >= 0; at = bytes.indexOf(anchor, at + 1)) {
    const from = at - offset;
    const place = places.get(bytes.toString('latin1', Math.max(from, 0), from + length));
    if (place !== undefined) heard.add(place);
  }
  return [...heard];
};
