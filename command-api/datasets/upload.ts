import type { Upload } from '../../contract/operation.js';
import type { ContentTable } from '../../kernel/dataset-content.js';
import { validationFault } from '../../kernel/fault.js';

/** The table of a file; `format` null: by the name's ending, else by its content. */
export type ReadTable = (
  file: Upload,
  format: 'csv' | 'json' | 'jsonl' | null,
) => Promise<ContentTable>;

const nameMax = 255;

/**
 * The name of a new dataset: that of the part, else the file's without its ending (contract 5.11).
 * Throws Fault `invalid` when neither is there.
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

/** Also a file's name becomes a name of contract 1.3. */
const nameOfFile = (fileName: string): string => {
  // oxlint-disable-next-line no-control-regex -- contract 1.3 rules these characters out
  const clean = fileName.replaceAll(/[\u0000-\u001f\u007f]/g, '').trim();
  const ending = clean.lastIndexOf('.');
  const base = (ending > 0 ? clean.slice(0, ending) : clean).trim();
  return Array.from(base).slice(0, nameMax).join('').trim();
};
