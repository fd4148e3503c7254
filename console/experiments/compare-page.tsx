import { useSurroundings } from '../client/context.js';
import { useKeys } from '../client/keys.js';
import { useProjectPermit } from '../client/project.js';
import { useAction } from '../client/queries.js';
import { useView } from '../client/view.js';
import { Button } from '../parts/button.js';
import { Select, TextField } from '../parts/field.js';
import { addressCodec } from '../parts/address.js';
import { PageHeading } from '../parts/heading.js';
import { BehindNotice, EmptyNotice, FaultNotice, Skeleton } from '../parts/notice.js';
import type { PageProps } from '../parts/page.js';
import { scopeMembers, type RecordScope } from '../parts/record-scope.js';
import { markedText } from '../parts/text-pieces.js';
import { useChoices, useComparison } from './compare-questions.js';
import { ComparedRows } from './compared-rows.js';
import {
  cautions,
  comparedIds,
  judgingMetric,
  unchangedSentence,
  type Caution,
} from './comparison.js';
import { MetricTables } from './metric-table.js';
import { experimentName, useCriteria } from './questions.js';
import { comparisonCodec } from './state.js';

/** Is another experiment better or worse than the baseline, and on which rows? */
export const Page = ({ params }: PageProps) => {
  const { navigation } = useSurroundings();
  const projectId = params['project_id'] ?? '';
  const [view] = useView(comparisonCodec);
  const comparison = useComparison(projectId, view);
  const criteria = useCriteria(projectId);
  const { value } = comparison;
  const judge = judgingMetric(value?.metrics ?? [], view.metric, criteria.value?.criteria ?? []);
  const isPossible = comparedIds(view).length > 1;
  const isItself = view.base !== '' && (view.with ?? []).includes(view.base);
  const unchanged = value === undefined ? null : unchangedSentence(value, judge);
  return (
    <>
      <PageHeading title="Compare">
        <a href={navigation.href(`/p/${projectId}/experiments`)}>All experiments</a>
      </PageHeading>
      <Compared projectId={projectId} />
      {!isPossible && <NothingCompared isItself={isItself} />}
      <FaultNotice fault={comparison.fault} onRetry={comparison.refetch} />
      <BehindNotice isBehind={comparison.isBehind} />
      {comparison.isLoading && <Skeleton />}
      {isPossible && value !== undefined && (
        <>
          <Cautions projectId={projectId} sentences={cautions(value)} />
          {unchanged !== null && (
            <p class="notice" role="status">
              <strong>{unchanged}</strong>
            </p>
          )}
          <MetricTables comparison={value} judge={judge} isStale={comparison.isPrevious} />
          {judge === null ? (
            <EmptyNotice title="No metric to compare">
              <p>No trace of these experiments has a number or a yes or no as metric.</p>
            </EmptyNotice>
          ) : (
            <ComparedRows projectId={projectId} comparison={value} judge={judge} />
          )}
        </>
      )}
    </>
  );
};

const NothingCompared = ({ isItself }: { readonly isItself: boolean }) =>
  isItself ? (
    <p class="notice" role="status">
      <strong>No row changed: the experiment is compared with itself.</strong>
    </p>
  ) : (
    <EmptyNotice title="Nothing to compare yet">
      <p>Choose a baseline, and add the experiments to compare with it.</p>
    </EmptyNotice>
  );

const Cautions = (props: {
  readonly projectId: string;
  readonly sentences: readonly Caution[];
}) => {
  const { navigation } = useSurroundings();
  const failedOf = (id: string): string => {
    const scope = { t: 'all', f: 'status_code >= 400', run: `experiment:${id}` } as const;
    const view = addressCodec<RecordScope>(scopeMembers).write(scope);
    return navigation.href(`/p/${props.projectId}/traces`, view);
  };
  if (props.sentences.length === 0) return null;
  return (
    <ul class="cautions">
      {props.sentences.map(({ text, failedOf: id }) => (
        <li key={text}>
          {markedText(text)}
          {id !== null && (
            <>
              {' '}
              <a href={failedOf(id)}>Failed traces</a>
            </>
          )}
        </li>
      ))}
    </ul>
  );
};

/** Experiments that one comparison takes (contract 5.5). */
const comparedMax = 10;

/** The baseline, the others, and the seed of the intervals. */
const Compared = ({ projectId }: { readonly projectId: string }) => {
  const [view, change] = useView(comparisonCodec);
  const experiments = useChoices(projectId);
  const others = view.with ?? [];
  const nameOf = (id: string): string => {
    const found = experiments.find((one) => one.id === id);
    return markedText(found === undefined ? id.slice(0, 8) : experimentName(found));
  };
  const ids = [...new Set([...(view.base === '' ? [] : [view.base]), ...others])];
  const choices = [...new Set([...ids, ...experiments.map(({ id }) => id)])].map((id) => ({
    value: id,
    text: nameOf(id),
  }));
  const setBase = (base: string): void =>
    change({ base, with: [view.base, ...others].filter((id) => id !== base && id !== '') });
  const first = others.find((id) => id !== view.base) ?? '';
  useKeys(
    [
      {
        keys: 'b',
        what: 'Swap the baseline with the first other',
        run: () => first && setBase(first),
      },
    ],
    [view.base, view.with],
  );
  const free = choices.filter(({ value }) => !ids.includes(value));
  return (
    <div class="experiments-toolbar" role="group" aria-label="Compared experiments">
      <Select
        label="Baseline"
        value={view.base}
        choices={view.base === '' ? [{ value: '', text: 'Choose…' }, ...choices] : choices}
        onChange={setBase}
      />
      <span class="muted">compared with</span>
      {others.map((id) => (
        <span key={id} class="experiment-tag">
          <bdi>{nameOf(id)}</bdi>
          <Button
            look="plain"
            label={`Remove ${nameOf(id)}`}
            onClick={() => change({ with: others.filter((other) => other !== id) })}
          >
            ×
          </Button>
        </span>
      ))}
      {ids.length < comparedMax && free.length > 0 && (
        <Select
          label="And with"
          value=""
          choices={[{ value: '', text: 'Add an experiment…' }, ...free]}
          onChange={(id) => change({ with: [...others, id] })}
        />
      )}
      <WinnerChoice projectId={projectId} ids={ids} nameOf={nameOf} />
      <div class="seed">
        <TextField
          label="Seed"
          hint="Intervals are drawn at random; the same seed draws the same."
          type="number"
          value={String(view.seed)}
          onInput={(seed) => change({ seed: comparisonCodec.read(`seed=${seed}`).seed }, 'replace')}
        />
      </div>
    </div>
  );
};

/** Chooses a compared experiment as the winner of its group. */
const WinnerChoice = (props: {
  readonly projectId: string;
  readonly ids: readonly string[];
  readonly nameOf: (id: string) => string;
}) => {
  const choose = useAction(
    useProjectPermit(props.projectId, 'editor'),
    (operations, experiment_id: string, options) =>
      operations.experiments.chooseWinner({ project_id: props.projectId, experiment_id }, options),
    ['experiments'],
  );
  const { isAllowed, reason } = choose.permit;
  const first = props.ids[1];
  useKeys(
    isAllowed && first !== undefined
      ? [{ keys: 'w', what: 'The first other is the winner', run: () => void choose.run(first) }]
      : [],
    [isAllowed, first],
  );
  return (
    <>
      <Select
        label="Winner"
        value=""
        isDisabled={!isAllowed}
        {...(reason !== null && { hint: reason })}
        choices={[
          { value: '', text: 'Choose…' },
          ...props.ids.map((id) => ({ value: id, text: props.nameOf(id) })),
        ]}
        onChange={(id) => void choose.run(id)}
      />
      <FaultNotice fault={choose.fault} />
    </>
  );
};
