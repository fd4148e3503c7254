import type { DatasetCell } from '../../clients/typescript/src/generated/datasets-types.js';
import { Dialog } from '../parts/dialog.js';
import { JsonTree } from '../parts/json-tree.js';
import { RecordedText, RecordedValue } from '../parts/recorded-text.js';

/** A cell of any length, whole. */
export const CellDialog = (props: {
  readonly title: string;
  readonly cell: DatasetCell;
  readonly onClose: () => void;
}) => (
  <Dialog title={props.title} onClose={props.onClose}>
    <CellContent cell={props.cell} />
  </Dialog>
);

/** A cell as text, an object as a tree. */
export const CellContent = ({ cell }: { readonly cell: DatasetCell }) => {
  if (cell === null) return <p class="muted">No value</p>;
  if (typeof cell !== 'object') return <RecordedText text={String(cell)} />;
  return <JsonTree value={cell} text={(text) => <RecordedValue text={text} />} />;
};
