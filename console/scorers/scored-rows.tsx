import { useMemo, useRef, useState } from 'preact/hooks';
import type { Scorer, ScorerTask } from '../../clients/typescript/src/generated/scorers-types-2.js';
import { useSurroundings } from '../client/context.js';
import { useGridKeys } from '../client/keys.js';
import { useView } from '../client/view.js';
import { DataGrid, type GridColumn, type GridCursor } from '../parts/data-grid.js';
import { BehindNotice, FaultNotice, Skeleton } from '../parts/notice.js';
import { RecordedWord } from '../parts/recorded-text.js';
import { rowNumber, type TestScore } from './model.js';
import { useScoredTraces, type ScoredTraces } from './questions.js';
import { scoredRows, sortedRows, textOf, type ScoredRow } from './scored-row.js';
import { scoreText } from './score-summary.js';
import { scorerCodec } from './state.js';

/** The rows of a validation with their scores, each with the way to its trace. */
export const ScoredRows = (props: {
  readonly scorer: Scorer;
  readonly task: ScorerTask;
  readonly scores: readonly TestScore[];
}) => {
  const { task, scores } = props;
  const { navigation } = useSurroundings();
  const [view, change] = useView(scorerCodec);
  const [cursor, setCursor] = useState<GridCursor>({ row: 0, column: 0 });
  const grid = useRef<HTMLDivElement | null>(null);
  useGridKeys(grid);
  const scored = useScoredTraces(task, props.scorer);
  const rows = useMemo(
    () => sortedRows(scoredRows(scores, scored.value?.traces ?? []), view.sort),
    [scores, scored.value, view.sort?.column, view.sort?.ascending],
  );
  const pathOf = (row: ScoredRow): string | null =>
    row.traceId === null ? null : `/p/${task.project_id ?? ''}/traces/${row.traceId}`;
  return (
    <>
      <FaultNotice fault={scored.fault} onRetry={scored.refetch} />
      <BehindNotice isBehind={scored.isBehind} />
      {scored.isLoading && <Skeleton />}
      {scored.value !== undefined && (
        <div class="scored-rows">
          <DataGrid
            label="Scored rows"
            columns={columnsOf(scored.value, (row) => {
              const path = pathOf(row);
              return path === null ? null : navigation.href(path);
            })}
            rows={rows}
            keyOf={({ key }) => key}
            totalRows={rows.length}
            cursor={cursor}
            gridRef={grid}
            onCursor={setCursor}
            onOpen={(row) => {
              const path = pathOf(row);
              if (path !== null) navigation.go(path);
            }}
            sort={view.sort}
            onSort={(column) =>
              change({
                sort: { column, ascending: view.sort?.column !== column || !view.sort.ascending },
              })
            }
          />
        </div>
      )}
    </>
  );
};

const columnsOf = (
  { columns }: ScoredTraces,
  hrefOf: (row: ScoredRow) => string | null,
): readonly GridColumn<ScoredRow>[] => {
  const [tested, ...required] = columns;
  return [
    {
      id: 'row',
      label: 'Row',
      width: 56,
      isNumber: true,
      isSortable: true,
      cell: ({ row }) => (row === null ? '–' : rowNumber(row)),
    },
    {
      id: 'score',
      label: tested?.label ?? 'Score',
      width: 80,
      isNumber: true,
      isSortable: true,
      isPrimary: true,
      cell: ({ score }) => <RecordedWord text={scoreText(score)} />,
    },
    ...required.map((column) => ({
      id: column.id,
      label: column.label,
      width: 80,
      cell: ({ metrics }: ScoredRow) => (
        <RecordedWord text={textOf(metrics[column.id.replace(/^metrics\//, '')]) || '–'} />
      ),
    })),
    {
      id: 'input',
      label: 'Input',
      width: 160,
      isPrimary: true,
      cell: ({ input }) => <RecordedWord text={input} />,
    },
    {
      id: 'output',
      label: 'Output',
      width: 160,
      cell: ({ output }) => <RecordedWord text={output} />,
    },
    {
      id: 'reference',
      label: 'Reference',
      width: 120,
      cell: ({ reference }) => <RecordedWord text={reference} />,
    },
    {
      id: 'trace',
      label: 'Trace',
      width: 64,
      cell: (row) => {
        const href = hrefOf(row);
        return href === null ? null : (
          <a href={href} tabIndex={-1}>
            open
          </a>
        );
      },
    },
  ];
};
