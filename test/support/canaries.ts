import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Unique texts, each identified by the place where it was planted. */
export type Canaries = {
  /** A new one for this place. */
  readonly plant: (place: string) => string;
  /** Registers a text that the service generated. */
  readonly register: (place: string, text: string) => void;
  /** The places whose canary is in the bytes, in any of the encodings. */
  readonly foundIn: (bytes: Buffer) => readonly string[];
  /** The same over each file below the folder, with its path. */
  readonly foundBelow: (dir: string) => Promise<readonly string[]>;
};

export const canaries = (): Canaries => {
  const learnt = new Map<string, readonly Buffer[]>();
  const places = encodedAnchors.map(() => new Map<string, string>());
  const heardIn = (bytes: Buffer): readonly string[] => [
    ...new Set([
      ...[...learnt]
        .filter(([, spelled]) => spelled.some((one) => bytes.includes(one)))
        .map(([place]) => place),
      ...encodedAnchors.flatMap((spelling, at) => findCanaries(bytes, spelling, places[at])),
    ]),
  ];
  return {
    plant: (place) => {
      const text = `${begin}${randomBytes(digits / 2).toString('hex')}`;
      encodedAnchors.forEach(({ spell }, at) =>
        places[at]?.set(spell(text).toString('latin1'), place),
      );
      return text;
    },
    register: (place, text) =>
      void learnt.set(
        place,
        encodedAnchors.map(({ spell }) => spell(Buffer.from(text))),
      ),
    foundIn: heardIn,
    foundBelow: async (dir) => {
      const entries = await readdir(dir, { recursive: true, withFileTypes: true });
      const heard: string[] = [];
      for (const entry of entries) {
        if (!entry.isFile()) continue;
        const path = join(entry.parentPath, entry.name);
        // A file may be removed during the scan.
        const bytes = await readFile(path).catch(() => Buffer.alloc(0));
        heard.push(...heardIn(bytes).map((place) => `${place} in ${entry.name}`));
      }
      return heard;
    },
  };
};

type Encode = (text: Buffer | string) => Buffer;
const begin = 'canary';
const digits = 32;

const base64At =
  (shift: number): Encode =>
  (text) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), Buffer.from(text)]).toString('base64');
    // The characters at both ends depend on what stands beside the text.
    return Buffer.from(encoded.slice(4, -4));
  };

/**
 * Encodings: in clear, as UTF-16, in hex, reversed, and as base64 at each of its three alignments.
 */
const encodings: readonly Encode[] = [
  (text) => Buffer.from(text),
  (text) => Buffer.from(text.toString(), 'utf16le'),
  (text) => Buffer.from(Buffer.from(text).toString('hex')),
  (text) => Buffer.from(text).reverse(),
  base64At(0),
  base64At(1),
  base64At(2),
];

/** Part that all canaries share in an encoding, at `offset` of their `length` bytes. */
type EncodedAnchor = {
  readonly spell: Encode;
  readonly anchor: Buffer;
  readonly offset: number;
  readonly length: number;
};
const encodedAnchors: readonly EncodedAnchor[] = encodings.map((spell) => {
  const [one, other] = ['0', 'f'].map((digit) => spell(`${begin}${digit.repeat(digits)}`));
  if (one === undefined || other === undefined) throw new Error('two of them');
  const { length } = one;
  const same = [...one].map((byte, at) => byte === other[at]);
  const offset = same.indexOf(true);
  const end = same.indexOf(false, offset);
  return { spell, anchor: one.subarray(offset, end < 0 ? length : end), offset, length };
});

/** Finds thousands of canaries in one pass over the bytes. */
const findCanaries = (
  bytes: Buffer,
  { anchor, offset, length }: EncodedAnchor,
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
