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
  const known = new Map<string, readonly Buffer[]>();
  const heardIn = (bytes: Buffer): readonly string[] =>
    [...known]
      .filter(([, spellings]) => spellings.some((one) => bytes.includes(one)))
      .map(([place]) => place);
  return {
    at: (place) => {
      const text = `canary${randomBytes(16).toString('hex')}`;
      known.set(place, spellingsOf(text));
      return text;
    },
    learnt: (place, text) => void known.set(place, spellingsOf(text)),
    heardIn,
    heardBelow: async (dir) => {
      const entries = await readdir(dir, { recursive: true, withFileTypes: true });
      const heard: string[] = [];
      for (const entry of entries) {
        if (!entry.isFile()) continue;
        const path = join(entry.parentPath, entry.name);
        heard.push(...heardIn(await readFile(path)).map((place) => `${place} in ${entry.name}`));
      }
      return heard;
    },
  };
};

/** In clear, as UTF-16, in hex, reversed, and as base64 at each of its three alignments. */
const spellingsOf = (text: string): readonly Buffer[] => {
  const bytes = Buffer.from(text);
  const base64 = [0, 1, 2].map((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
    // The characters at both ends depend on what stands beside the text.
    return encoded.slice(4, -4);
  });
  return [
    bytes,
    Buffer.from(text, 'utf16le'),
    Buffer.from(bytes.toString('hex')),
    Buffer.from(bytes).reverse(),
    ...base64.map((one) => Buffer.from(one)),
  ];
};
