import { useEffect, useState } from 'preact/hooks';
import { Button } from '../parts/button.js';
import { markedText } from '../parts/text-pieces.js';
import { CellContent } from './cell-dialog.js';
import { countedText, type DraftColumn } from './changes.js';
import type { GridModel } from './grid-model.js';
import type { DatasetRows } from './questions.js';

const cardsAtOnce = 20;

/** Rows as cards, to read, so many at a time. */
export const RowCards = (props: {
  readonly grid: GridModel;
  readonly rows: DatasetRows;
  readonly columns: readonly DraftColumn[];
}) => {
  const { grid, rows, columns } = props;
  const [shown, setShown] = useState(cardsAtOnce);
  const count = Math.min(shown, rows.total);
  useEffect(() => rows.want(0, count), [count]);
  return (
    <>
      <p class="note">Rows can be edited on a screen of at least 640 px.</p>
      <ol class="row-cards">
        {Array.from({ length: count }, (_row, index) => (
          <li key={index} class="card">
            <h2>Row {index + 1}</h2>
            <dl>
              {columns.map((column) => (
                <div key={column.key}>
                  <dt>{markedText(column.name)}</dt>
                  <dd>
                    {grid.placeOf(index) === null ? (
                      '…'
                    ) : (
                      <CellContent cell={grid.cellAt(index, column)?.cell ?? null} />
                    )}
                  </dd>
                </div>
              ))}
            </dl>
          </li>
        ))}
      </ol>
      {count < rows.total && (
        <Button onClick={() => setShown(shown + cardsAtOnce)}>
          {`More of ${countedText(rows.total, 'row')}`}
        </Button>
      )}
    </>
  );
};
