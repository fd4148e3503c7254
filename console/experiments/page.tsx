import { useEffect, useRef, useState } from 'preact/hooks';
import type { Experiment } from '../../clients/typescript/src/generated/experiments-types-2.js';
import { useKeys } from '../client/keys.js';
import { useProjectPermit } from '../client/project.js';
import { useView } from '../client/view.js';
import { Button } from '../parts/button.js';
import { Select, TextField } from '../parts/field.js';
import { PageHeading } from '../parts/heading.js';
import { BehindNotice, EmptyNotice, FaultNotice, Skeleton } from '../parts/notice.js';
import type { PageProps } from '../parts/page.js';
import { markedText } from '../parts/text-pieces.js';
import { CriteriaDialog } from './criteria-dialog.js';
import { ExperimentDetail } from './experiment-detail.js';
import { LeaderboardGrid } from './leaderboard-grid.js';
import {
  criteriaText,
  experimentsMax,
  groupsOf,
  isUnderWay,
  numericMetrics,
  unrankedText,
} from './model.js';
import { progressMs, useCriteria, useExperiments } from './questions.js';
import { SelectionActions } from './selection-actions.js';
import { leaderboardCodec, type LeaderboardView } from './state.js';

const unfiltered = { group: '', find: '', sort: leaderboardCodec.read('').sort };

/** Which experiment is best? */
export const Page = ({ params }: PageProps) => {
  const projectId = params['project_id'] ?? '';
  const [view, change] = useView(leaderboardCodec);
  const [isLive, setIsLive] = useState(false);
  const list = useExperiments(projectId, view, { everyMs: isLive && progressMs });
  const all = useExperiments(projectId, unfiltered, { freshMs: 60_000 });
  const criteria = useCriteria(projectId);
  const rows = list.value?.experiments ?? noRows;
  useEffect(() => setIsLive(isUnderWay(rows)), [rows]);
  useKeys([{ keys: '.', what: 'Ask now', run: list.refetch }], []);
  const selected = (view.sel ?? []).flatMap((id) => rows.filter((row) => row.id === id));
  const opened = rows.find(({ id }) => id === view.open);
  return (
    <>
      <PageHeading title="Experiments" />
      <Toolbar
        projectId={projectId}
        view={view}
        experiments={all.value?.experiments ?? noRows}
        onChange={change}
      />
      <FaultNotice fault={list.fault ?? criteria.fault} onRetry={list.refetch} />
      <BehindNotice isBehind={list.isBehind || criteria.isBehind} />
      {list.isLoading && <Skeleton />}
      {list.value !== undefined && rows.length === 0 && (
        <NoExperiments isFiltered={view.group !== '' || view.find !== ''} />
      )}
      {rows.length > 0 && (
        <>
          <LeaderboardGrid
            projectId={projectId}
            view={view}
            rows={rows}
            criteria={criteria.value?.criteria ?? []}
            isStale={list.isPrevious}
            onChange={change}
          />
          <span class="note" role="status">
            {countText(rows.length, list.value?.next_starting_token != null)}
            {isLive && ' · traces are coming, asked again every 5 s'}
          </span>
        </>
      )}
      {selected.length > 0 && (
        <SelectionActions
          projectId={projectId}
          selected={selected}
          groups={groupsOf(all.value?.experiments ?? rows)}
          onClear={() => change({ sel: null })}
        />
      )}
      {opened !== undefined && (
        <ExperimentDetail
          projectId={projectId}
          experiment={opened}
          onClose={() => change({ open: '' })}
        />
      )}
    </>
  );
};
const noRows: readonly Experiment[] = [];

const countText = (count: number, isCut: boolean): string => {
  if (isCut) return `The first ${experimentsMax.toLocaleString('en')} experiments. Find by name`;
  return count === 1 ? '1 experiment' : `${count.toLocaleString('en')} experiments`;
};

const NoExperiments = ({ isFiltered }: { readonly isFiltered: boolean }) =>
  isFiltered ? (
    <EmptyNotice title="No experiment matches">
      <p>Choose another group, or find by another part of the name.</p>
    </EmptyNotice>
  ) : (
    <EmptyNotice title="No experiment yet">
      <p>
        An experiment holds the traces of one run of your application over a dataset. Make one with
        a client: <code>experiments.create</code>, then log traces into it.
      </p>
    </EmptyNotice>
  );

const Toolbar = (props: {
  readonly projectId: string;
  readonly view: LeaderboardView;
  readonly experiments: readonly Experiment[];
  readonly onChange: (change: Partial<LeaderboardView>, how?: 'push' | 'replace') => void;
}) => {
  const { projectId, view, experiments, onChange } = props;
  const toolbar = useRef<HTMLDivElement | null>(null);
  useKeys(
    [{ keys: '/', what: 'Find', run: () => toolbar.current?.querySelector('input')?.focus() }],
    [],
  );
  const groups = groupsOf(experiments);
  const isListed = ['', 'none', ...groups.map(({ id }) => id)].includes(view.group);
  return (
    <div class="experiments-toolbar" ref={toolbar}>
      <Select
        label="Group"
        value={view.group}
        choices={[
          { value: '', text: 'All groups' },
          { value: 'none', text: 'In no group' },
          ...groups.map(({ id, name }) => ({ value: id, text: name })),
          ...(isListed ? [] : [{ value: view.group, text: view.group.slice(0, 8) }]),
        ]}
        onChange={(group) => onChange({ group })}
      />
      <TextField
        label="Find by name"
        type="search"
        value={view.find}
        onInput={(find) => onChange({ find }, 'replace')}
      />
      <Ranking projectId={projectId} experiments={experiments} />
    </div>
  );
};

/** The ranking criteria in words, and the way to change it. */
const Ranking = (props: {
  readonly projectId: string;
  readonly experiments: readonly Experiment[];
}) => {
  const [isChanging, setIsChanging] = useState(false);
  const criteria = useCriteria(props.projectId);
  const permit = useProjectPermit(props.projectId, 'editor');
  const { value } = criteria;
  const { experiments } = props;
  const unranked = unrankedText(experiments, value?.criteria ?? []);
  const isEmpty = experiments.length === 0 || value === undefined || value.criteria.length === 0;
  return (
    <div class="experiments-ranking">
      {unranked !== null && <span class="warn">{markedText(unranked)}</span>}
      {!isEmpty && unranked === null && (
        <span>
          Ranked by {markedText(criteriaText(value.criteria))}
          {value.default && <span class="muted">, the metrics with thresholds</span>}
        </span>
      )}
      {experiments.length > 0 && value?.criteria.length === 0 && (
        <span class="muted">Not ranked: no criteria are set</span>
      )}
      <Button permit={permit} isDisabled={value === undefined} onClick={() => setIsChanging(true)}>
        {unranked === null ? 'Criteria' : 'Choose criteria'}
      </Button>
      {isChanging && value !== undefined && (
        <CriteriaDialog
          projectId={props.projectId}
          permit={permit}
          criteria={value}
          metrics={numericMetrics(props.experiments)}
          onClose={() => setIsChanging(false)}
        />
      )}
    </div>
  );
};
