import { useState } from 'preact/hooks';
import type { Scorer } from '../../clients/typescript/src/generated/scorers-types-2.js';
import type { CountedRunScorer } from '../../clients/typescript/src/generated/scorers-types.js';
import { useSurroundings } from '../client/context.js';
import { useAction, type Query } from '../client/queries.js';
import { ActionsHead } from '../parts/actions-head.js';
import { Button } from '../parts/button.js';
import { Select } from '../parts/field.js';
import { BehindNotice, FaultNotice, Skeleton } from '../parts/notice.js';
import type { Permit } from '../parts/permits.js';
import { RecordedWord } from '../parts/recorded-text.js';
import { markedText } from '../parts/text-pieces.js';
import { scorerText } from '../scorers/model.js';
import { countsText, reasonsText } from './model.js';
import { useScorerChoice, type RunIds, type RunScorers as Scorers } from './questions.js';

/** The scorers that score each new trace of the run, with what became of its records. */
export const RunScorers = (props: {
  readonly ids: RunIds;
  readonly query: Query<Scorers>;
  readonly permit: Permit<'editor'>;
}) => {
  const { ids, query, permit } = props;
  const choice = useScorerChoice();
  const listed = query.value?.scorers ?? [];
  const save = useAction(
    permit,
    (operations, scorers: readonly Pick<CountedRunScorer, 'id' | 'scorer_type'>[], options) =>
      operations.scorers.setSettings(
        { project_id: ids.projectId, run_id: ids.runId, body: { scorers } },
        options,
      ),
    ['scorer-settings', 'jobs'],
  );
  const kept = listed.map(({ id, name, scorer_type, scoreable_node_types }) => ({
    id,
    name,
    scorer_type,
    scoreable_node_types,
  }));
  return (
    <section class="card stack" aria-labelledby="run-scorers">
      <h2 id="run-scorers">Scorers of new traces</h2>
      <FaultNotice fault={query.fault ?? save.fault} onRetry={query.refetch} />
      <BehindNotice isBehind={query.isBehind} />
      {query.isLoading && <Skeleton rows={2} />}
      {query.value !== undefined && listed.length === 0 && (
        <p class="note">None. A trace is scored when it is complete, and again when it changes.</p>
      )}
      {listed.length > 0 && (
        <ScorerTable
          scorers={listed}
          withoutVersion={query.value?.withoutVersion ?? new Set()}
          known={choice.value ?? []}
          permit={permit}
          isDisabled={save.isRunning}
          onRemove={(id) => void save.run(kept.filter((one) => one.id !== id))}
        />
      )}
      {query.value !== undefined && (
        <AddScorer
          choice={(choice.value ?? []).filter(({ id }) => listed.every((one) => one.id !== id))}
          permit={permit}
          isDisabled={save.isRunning}
          onAdd={({ id, scorer_type }) => void save.run([...kept, { id, scorer_type }])}
        />
      )}
    </section>
  );
};

const ScorerTable = (props: {
  readonly scorers: readonly CountedRunScorer[];
  readonly withoutVersion: ReadonlySet<string>;
  readonly known: readonly Scorer[];
  readonly permit: Permit;
  readonly isDisabled: boolean;
  readonly onRemove: (id: string) => void;
}) => {
  const { navigation } = useSurroundings();
  return (
    <div class="scroll-x">
      <table class="grid-table">
        <thead>
          <tr>
            <th scope="col">Scorer</th>
            <th scope="col">Version</th>
            <th scope="col">Scores</th>
            <th scope="col">Records</th>
            <ActionsHead />
          </tr>
        </thead>
        <tbody>
          {props.scorers.map((scorer) => {
            const known = props.known.find(({ id }) => id === scorer.id);
            const kinds = scorer.scoreable_node_types ?? known?.scoreable_node_types ?? [];
            return (
              <tr key={scorer.id}>
                <td>
                  <a href={navigation.href(`/scorers/${scorer.id}`)}>
                    <RecordedWord text={scorer.name} />
                  </a>
                </td>
                <td>
                  {props.withoutVersion.has(scorer.name) ? (
                    <span class="warn">no version yet: scores nothing</span>
                  ) : (
                    known !== undefined && scorerText(known)
                  )}
                </td>
                <td>{kinds.join(', ')}</td>
                <td>
                  <Counts scorer={scorer} />
                </td>
                <td class="number">
                  <Button
                    look="plain"
                    label={`Remove ${scorer.name}`}
                    permit={props.permit}
                    isDisabled={props.isDisabled}
                    onClick={() => props.onRemove(scorer.id)}
                  >
                    Remove
                  </Button>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
};

const Counts = ({ scorer }: { readonly scorer: CountedRunScorer }) => {
  const { counts } = scorer;
  if (counts === null) return <>–</>;
  const reasons = reasonsText(counts);
  return (
    <>
      {countsText(counts)}
      {reasons !== '' && <span class="bad"> ({reasons})</span>}
    </>
  );
};

const AddScorer = (props: {
  readonly choice: readonly Scorer[];
  readonly permit: Permit;
  readonly isDisabled: boolean;
  readonly onAdd: (scorer: Scorer) => void;
}) => {
  const { choice, permit } = props;
  const [chosen, setChosen] = useState('');
  const scorer = choice.find(({ id }) => id === chosen);
  return (
    <form
      class="run-fields"
      onSubmit={(event) => {
        event.preventDefault();
        if (scorer !== undefined) props.onAdd(scorer);
        setChosen('');
      }}
    >
      <Select
        label="Add a scorer"
        value={chosen}
        isDisabled={props.isDisabled || !permit.isAllowed}
        choices={[
          { value: '', text: choice.length === 0 ? 'No other scorer' : 'Choose one' },
          ...choice.map((one) => ({
            value: one.id,
            text: `${markedText(one.name)} (${scorerText(one)})`,
          })),
        ]}
        onChange={setChosen}
      />
      <Button type="submit" permit={permit} isDisabled={props.isDisabled || scorer === undefined}>
        Add
      </Button>
      <span class="note">{permit.reason ?? 'Its newest version runs, also ones to come.'}</span>
    </form>
  );
};
