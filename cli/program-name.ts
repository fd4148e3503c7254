import { basename, relative } from 'node:path';

/** Command line of the program at this path, for a shell in this folder: `node dist/assay.js`. */
export const startedAs = (path: string, folder: string): string => {
  // Where npm has installed it, it has a name of its own.
  if (basename(path) === 'assay') return 'assay';
  const below = relative(folder, path);
  return `node ${below.startsWith('..') ? path : below}`;
};

/** `assay` before a command or its options, not in an address or a path. */
const writtenName = /(?<![\w./@-])assay (?=[a-z[])/g;

/** The text with its commands, which are written `assay …`, as this process was started. */
export const asStarted = (text: string): string => {
  const name = startedAs(process.argv[1] ?? 'assay', process.cwd());
  return text.replaceAll(writtenName, () => `${name} `);
};
