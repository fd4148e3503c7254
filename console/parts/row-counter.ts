/** Counts the rows of a file while it comes: lines of JSON, records of CSV without the header. */
export const openRowCounter = (format: 'jsonl' | 'csv') => {
  let ends = 0;
  let isQuoted = false;
  return {
    add: (chunk: Uint8Array): void => {
      for (const byte of chunk) {
        if (byte === quote && format === 'csv') isQuoted = !isQuoted;
        else if (byte === lineFeed && !isQuoted) ends += 1;
      }
    },
    rows: (): number => (format === 'csv' ? Math.max(0, ends - 1) : ends),
  };
};

const lineFeed = 10;
/** A doubled quote within a cell ends the text and begins it again. */
const quote = 34;
