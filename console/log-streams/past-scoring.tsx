import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Job } from '../../clients/typescript/src/generated/jobs-types.js';
import type { Scorer } from '../../clients/typescript/src/generated/scorers-types-2.js';
import type { PastScoringRequest } from '../../clients/typescript/src/generated/scorers-types.js';
import { useSurroundings } from '../client/context.js';
import { useAction, type Action } from '../client/queries.js';
import { useScopeFields } from '../client/scope-fields.js';
import { useView } from '../client/view.js';
import { Button } from '../parts/button.js';
import { Select } from '../parts/field.js';
import { BehindNotice, FaultNotice } from '../parts/notice.js';
import { printCount } from '../parts/numbers.js';
import type { Permit } from '../parts/permits.js';
import { windowOf } from '../parts/record-scope.js';
import { markedText } from '../parts/text-pieces.js';
import { scorerText } from '../scorers/model.js';
import { isUnfinished } from './model.js';
import { PastJob } from './past-job.js';
import {
  usePastScoring,
  useScorerChoice,
  useTraceCount,
  type RunIds,
  type RunScorers,
} from './questions.js';
import { logStreamCodec } from './state.js';

type Props = {
  readonly ids: RunIds;
  readonly runScorers: RunScorers | undefined;
  readonly jobs: readonly Job[] | undefined;
  readonly permit: Permit<'editor'>;
};

/** Scores the traces that the run has already: which, how many, and how far it has come. */
export const PastScoring = (props: Props) => {
  const { ids, permit } = props;
  const choice = useScorerChoice();
  const [view, change] = useView(logStreamCodec);
  const scorers = scorersFor(choice.value ?? [], props.runScorers);
  const scorer = view.scorer === null ? scorers[0] : scorers.find(({ id }) => id === view.scorer);
  const past = usePastScoring(ids, scorer, props.jobs);
  const score = useAction(
    permit,
    (operations, request: PastScoringRequest, options) =>
      operations.scorers.scorePast(
        {
          project_id: ids.projectId,
          run_id: ids.runId,
          scorer_id: scorer?.id ?? '',
          ...request,
        },
        options,
      ),
    ['jobs', 'scorer-settings'],
  );
  const isBusy = past.value !== undefined && isUnfinished(past.value);
  return (
    <section class="card stack" aria-labelledby="past-scoring">
      <h2 id="past-scoring">Score what is there</h2>
      <TraceChoice
        ids={ids}
        permit={permit}
        isReady={scorer !== undefined && !isBusy && !score.isRunning}
        onStart={(request) => void score.run(request)}
      >
        <Select
          label="Scorer"
          value={scorer?.id ?? ''}
          choices={[
            ...(scorer === undefined ? [{ value: '', text: noScorerText(scorers) }] : []),
            ...scorers.map((one) => ({
              value: one.id,
              text: `${markedText(one.name)} (${scorerText(one)})`,
            })),
          ]}
          onChange={(id) => change({ scorer: id })}
        />
        {scorer !== undefined && (
          <span class="note">Of each trace: {scorer.scoreable_node_types.join(', ')}.</span>
        )}
      </TraceChoice>
      <FaultNotice fault={choice.fault ?? score.fault ?? past.fault} />
      <BehindNotice isBehind={past.isBehind} />
      {past.value !== undefined && (
        <PastJob ids={ids} job={past.value} permit={permit} onContinue={continuation(score)} />
      )}
    </section>
  );
};

const noScorerText = (scorers: readonly Scorer[]): string =>
  scorers.length === 0 ? 'No scorer has a version yet' : 'Choose one';

const continuation =
  (score: Action<PastScoringRequest>) =>
  (request: PastScoringRequest): void =>
    void score.run(request);

/** Code scorers with a version, those of the run first. */
const scorersFor = (all: readonly Scorer[], own: RunScorers | undefined): readonly Scorer[] => {
  const ids = new Set(own?.scorers.map(({ id }) => id));
  const able = all.filter(
    ({ scorer_type, latest_version }) => scorer_type === 'code' && latest_version !== null,
  );
  return [...able.filter(({ id }) => ids.has(id)), ...able.filter(({ id }) => !ids.has(id))];
};

const TraceChoice = (props: {
  readonly ids: RunIds;
  readonly permit: Permit;
  /** False while there is no scorer to start, or one at work. */
  readonly isReady: boolean;
  readonly onStart: (request: PastScoringRequest) => void;
  /** The choice of the scorer. */
  readonly children: ComponentChildren;
}) => {
  const { ids, permit } = props;
  const { service } = useSurroundings();
  const [view, change] = useView(logStreamCodec);
  const now = useMemo(() => service.now(), [view.t]);
  const fields = useScopeFields({
    projectId: ids.projectId,
    population: 'trace',
    view,
    onChange: change,
  });
  const { tree } = fields;
  const request = { ...windowOf(view.t, now), ...(tree !== null && { filter_tree: tree }) };
  const question = { project_id: ids.projectId, log_stream_id: ids.runId, ...request };
  const isWhole = view.f === '' || tree !== null;
  const count = useTraceCount(question, isWhole);
  return (
    <>
      <div class="run-fields">
        {props.children}
        {fields.range}
      </div>
      {fields.filter(null)}
      <FaultNotice fault={count.fault} onRetry={count.refetch} />
      <div class="inline">
        <span role="status" aria-busy={count.isPrevious}>
          {count.value === undefined ? '' : `${printCount(count.value)} traces`}
        </span>
        <Button
          look="primary"
          permit={permit}
          isDisabled={!props.isReady || !isWhole || count.value === 0}
          onClick={() => props.onStart(request)}
        >
          Start
        </Button>
        <span class="note">
          {permit.reason ??
            'Complete traces alone, newest first; a record that the version scored is skipped.'}
        </span>
      </div>
    </>
  );
};
