import type { Population } from '../../kernel/records/record.js';
import { ExportDialog } from '../client/export-dialog.js';
import { kindOf } from '../client/filter-context.js';
import type { RecordQuestion, SortMember } from './questions.js';

/** Saves all records of the question. */
export const RecordExport = (props: {
  readonly population: Population;
  readonly question: RecordQuestion & { readonly sort?: SortMember };
  /** Records that the export has; undefined: not counted yet. */
  readonly count: number | undefined;
  readonly onClose: () => void;
}) => {
  const kind = kindOf[props.population];
  return (
    <ExportDialog
      title={`Export ${props.count?.toLocaleString('en') ?? 'all'} ${kind}`}
      fileName={kind}
      rows="lines"
      texts={{ jsonl: 'JSON Lines, as a search answers', csv: 'CSV, for a spreadsheet' }}
      download={(operations, format) => operations[kind].export({ ...props.question, format })}
      otherwise={`Large files come through the command line: assay export ${kind}`}
      onClose={props.onClose}
    />
  );
};
