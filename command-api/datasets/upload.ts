import type { Upload } from '../../contract/operation.js';
import type { ContentTable } from '../../kernel/dataset-content.js';
import { validationFault } from '../../kernel/fault.js';

/**
 * Parses a file into a table; `format` null: detected from the file name's ending, else from the
 * content.
 */
export type ReadTable = (
  file: Upload,
  format: 'csv' | 'json' | 'jsonl' | null,
) => Promise<ContentTable>;

const nameMax = 255;

/**
 * The name of a new dataset: that of the part, else the file's without its ending (contract 5.11).
 * Throws Fault `invalid` without either.
 */
export const uploadedDatasetName = (
  part: string | null | undefined,
  file: Upload | undefined,
): string => {
  const name = part ?? (file === undefined ? '' : nameOfFile(file.fileName));
  if (name === '') {
    throw validationFault([{ loc: ['body', 'name'], msg: 'Field required', type: 'missing' }]);
  }
  return name;
};

/** Dataset name from a file name, in the form of contract 1.3. */
const nameOfFile = (fileName: string): string => {
  // oxlint-disable-next-line no-control-regex -- contract 1.3 rules these characters out
  const clean = fileName.replaceAll(/[\u0000-\u001f\u007f]/g, '').trim();
  const ending = clean.lastIndexOf('.');
  const base = (ending > 0 ? clean.slice(0, ending) : clean).trim();
  return Array.from(base).slice(0, nameMax).join('').trim();
};
