import { useRef, useState } from 'preact/hooks';
import type {
  Experiment,
  RankingCriterion,
} from '../../clients/typescript/src/generated/experiments-types-2.js';
import { useSurroundings } from '../client/context.js';
import { Instant } from '../client/instants.js';
import { selectionKeys, useGridKeys } from '../client/keys.js';
import { DataGrid, type GridColumn, type GridCursor } from '../parts/data-grid.js';
import { metricLabel } from '../parts/metrics.js';
import { printScore, type Figure } from '../parts/numbers.js';
import { markedText } from '../parts/text-pieces.js';
import {
  datasetText,
  metricFigure,
  newestVersions,
  ratingSummaries,
  shownMetrics,
  versionWarning,
  winnerMark,
} from './model.js';
import { experimentName, useTemplateNames } from './questions.js';
import { leaderboardCodec, type LeaderboardView } from './state.js';

/** Experiments with rank, progress, the metrics that rank, ratings and score. */
export const LeaderboardGrid = (props: {
  readonly projectId: string;
  readonly view: LeaderboardView;
  readonly rows: readonly Experiment[];
  readonly criteria: readonly RankingCriterion[];
  readonly isStale: boolean;
  readonly onChange: (change: Partial<LeaderboardView>) => void;
}) => {
  const { view, rows, onChange } = props;
  const grid = useRef<HTMLDivElement | null>(null);
  const [wanted, setCursor] = useState<GridCursor>({ row: 0, column: 0 });
  const templates = useTemplateNames(props.projectId);
  const { navigation } = useSurroundings();
  const path = `/p/${props.projectId}/experiments`;
  useGridKeys(grid, selectionKeys);
  const metrics = shownMetrics(rows, props.criteria);
  const columns = [
    ...leadColumns(rows, (id) =>
      navigation.href(path, leaderboardCodec.write({ ...view, open: id })),
    ),
    ...metrics.map(metricColumn),
    ...tailColumns(rows, templates),
  ];
  const cursor = {
    row: Math.min(wanted.row, rows.length - 1),
    column: Math.min(wanted.column, columns.length - 1),
  };
  return (
    <div class="leaderboard">
      <DataGrid
        gridRef={grid}
        label="Experiments"
        columns={columns}
        rows={rows}
        keyOf={({ id }) => id}
        totalRows={rows.length}
        cursor={cursor}
        onCursor={setCursor}
        onOpen={({ id }) => onChange({ open: id })}
        selected={new Set(view.sel)}
        onSelect={(next) => onChange({ sel: next.size === 0 ? null : [...next] })}
        sort={view.sort}
        onSort={(column) => onChange({ sort: nextOrder(view.sort, column) })}
        isStale={props.isStale}
      />
    </div>
  );
};

const textFirst = ['rank', 'name'];

/** The best first, then the other way round, then newest first. */
const nextOrder = (sort: LeaderboardView['sort'], column: string): LeaderboardView['sort'] => {
  const ascending = textFirst.includes(column);
  if (sort?.column !== column) return { column, ascending };
  return sort.ascending === ascending ? { column, ascending: !ascending } : null;
};

const leadColumns = (
  rows: readonly Experiment[],
  hrefOf: (id: string) => string,
): readonly GridColumn<Experiment>[] => {
  const newest = newestVersions(rows);
  const hasGroups = new Set(rows.map(({ experiment_group_id: id }) => id)).size > 1;
  const hasDatasets = rows.some(({ dataset }) => dataset !== null);
  return [
    {
      id: 'rank',
      label: 'Rank',
      width: 80,
      isNumber: true,
      isSortable: true,
      isPrimary: true,
      cell: (row) => <RankCell experiment={row} />,
    },
    {
      id: 'name',
      label: 'Name',
      width: 176,
      isSortable: true,
      isPrimary: true,
      cell: (row) => (
        <a tabIndex={-1} href={hrefOf(row.id)}>
          <bdi>{markedText(experimentName(row))}</bdi>
        </a>
      ),
    },
    createdColumn,
    ...(hasGroups
      ? [
          {
            id: 'group',
            label: 'Group',
            width: 112,
            cell: (row: Experiment) => <bdi>{markedText(row.experiment_group_name ?? '–')}</bdi>,
          },
        ]
      : []),
    ...(hasDatasets
      ? [
          {
            id: 'dataset',
            label: 'Dataset',
            width: 128,
            cell: (row: Experiment) => <DatasetCell experiment={row} newest={newest} />,
          },
        ]
      : []),
    {
      id: 'progress',
      label: 'Progress',
      width: 80,
      isNumber: true,
      cell: ({ status }) => `${status.log_generation.progress_percent} %`,
    },
    {
      id: 'num_traces',
      label: 'Traces',
      width: 72,
      isNumber: true,
      cell: (row) => row.num_traces?.toLocaleString('en') ?? '–',
    },
  ];
};

/** Column beside the name, in sight at 1,280 px however many metrics there are. */
const createdColumn: GridColumn<Experiment> = {
  id: 'created_at',
  label: 'Created',
  width: 120,
  isSortable: true,
  cell: (row) => <Instant at={row.created_at} relative isInGrid />,
};

const RankCell = ({ experiment }: { readonly experiment: Experiment }) => {
  const mark = winnerMark(experiment);
  return (
    <span class="inline-figure">
      {mark !== null && (
        <span class="winner-star" role="img" aria-label={mark.text} title={mark.text}>
          {mark.star}
        </span>
      )}{' '}
      {experiment.rank ?? <span title="No value of any metric that ranks">–</span>}
    </span>
  );
};

const DatasetCell = (props: {
  readonly experiment: Experiment;
  readonly newest: ReadonlyMap<string, number>;
}) => {
  const text = datasetText(props.experiment);
  const warning = versionWarning(props.experiment, props.newest);
  if (text === null) return <span class="muted">–</span>;
  return (
    <>
      <bdi>{markedText(text)}</bdi>
      {warning !== null && (
        <strong class="warn" role="img" aria-label={warning} title={warning}>
          {' '}
          !
        </strong>
      )}
    </>
  );
};

const FigureText = ({ figure }: { readonly figure: Figure }) =>
  figure.reason === null ? (
    <>{figure.text}</>
  ) : (
    <span class="muted" title={figure.reason}>
      {figure.text}
    </span>
  );

const metricColumn = (metric: string): GridColumn<Experiment> => ({
  id: `metrics/${metric}`,
  label: metricLabel(metric),
  width: 96,
  isNumber: true,
  isSortable: true,
  isPrimary: true,
  cell: (row) => <FigureText figure={metricFigure(row, metric)} />,
});

const tailColumns = (
  rows: readonly Experiment[],
  templates: ReadonlyMap<string, string>,
): readonly GridColumn<Experiment>[] => [
  ...(rows.some((row) => ratingSummaries(row, templates).length > 0)
    ? [ratingColumn(templates)]
    : []),
  {
    id: 'ranking_score',
    label: 'Score',
    width: 80,
    isNumber: true,
    isSortable: true,
    cell: ({ ranking_score: score }) => (score === null ? '–' : printScore(score)),
  },
  ...(rows.some(({ tags }) => Object.keys(tags).length > 0) ? [tagColumn] : []),
];

const ratingColumn = (templates: ReadonlyMap<string, string>): GridColumn<Experiment> => ({
  id: 'ratings',
  label: 'Ratings',
  width: 96,
  cell: (row) =>
    ratingSummaries(row, templates).map(({ text, title }, index) => (
      <span key={title} title={title}>
        {index > 0 && ' · '}
        {text}
      </span>
    )),
});

const tagColumn: GridColumn<Experiment> = {
  id: 'tags',
  label: 'Tags',
  width: 112,
  cell: ({ tags }) =>
    markedText(
      Object.values(tags)
        .flat()
        .map(({ key, value }) => `${key}: ${value}`)
        .join(', '),
    ),
};
