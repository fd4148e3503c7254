import { useState } from 'preact/hooks';
import type { Scorer } from '../../clients/typescript/src/generated/scorers-types-2.js';
import { useSurroundings } from '../client/context.js';
import { Instant } from '../client/instants.js';
import { NamedList } from '../client/named-list.js';
import { useCaller } from '../client/queries.js';
import { useView } from '../client/view.js';
import { ActionsHead } from '../parts/actions-head.js';
import { Button } from '../parts/button.js';
import { EmptyNotice } from '../parts/notice.js';
import { organizationPermit } from '../parts/permits.js';
import { RecordedWord } from '../parts/recorded-text.js';
import { DeleteScorer } from './delete-scorer.js';
import { scorerPermit, scorerText } from './model.js';
import { NewScorer } from './new-scorer.js';
import { scorersMax, useScorers } from './questions.js';
import { scorerListCodec } from './state.js';

/** Scorers of the organisation, found by name. */
export const Page = () => {
  const [{ find }, change] = useView(scorerListCodec);
  const [isCreating, setIsCreating] = useState(false);
  const scorers = useScorers(find);
  const caller = useCaller();
  const permit = organizationPermit(caller.value, 'creator');
  const rows = scorers.value?.scorers ?? [];
  return (
    <NamedList
      title="Scorers"
      noun="scorer"
      permit={permit}
      list={scorers}
      find={find}
      onFind={(text) => change({ find: text }, 'replace')}
      onCreate={() => setIsCreating(true)}
    >
      {scorers.value !== undefined && rows.length === 0 && (
        <EmptyNotice title="No scorer has this in its name">
          <p>Find by another part of the name, or make a scorer.</p>
        </EmptyNotice>
      )}
      {rows.length > 0 && <ScorerTable rows={rows} isStale={scorers.isPrevious} />}
      {scorers.value?.next_starting_token != null && (
        <p class="note">The first {scorersMax} scorers are shown. Find others by name.</p>
      )}
      {isCreating && <NewScorer permit={permit} onClose={() => setIsCreating(false)} />}
    </NamedList>
  );
};

const ScorerTable = (props: { readonly rows: readonly Scorer[]; readonly isStale: boolean }) => {
  const [doomed, setDoomed] = useState<Scorer | null>(null);
  return (
    <div class="scroll-x" aria-busy={props.isStale}>
      <table class="grid-table">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Version</th>
            <th scope="col">Scores</th>
            <th scope="col">Purpose</th>
            <th scope="col">Changed</th>
            <ActionsHead />
          </tr>
        </thead>
        <tbody>
          {props.rows.map((scorer) => (
            <ScorerRow key={scorer.id} scorer={scorer} onDelete={() => setDoomed(scorer)} />
          ))}
        </tbody>
      </table>
      {doomed !== null && <DeleteScorer scorer={doomed} onClose={() => setDoomed(null)} />}
    </div>
  );
};

const ScorerRow = (props: { readonly scorer: Scorer; readonly onDelete: () => void }) => {
  const { navigation } = useSurroundings();
  const { scorer } = props;
  return (
    <tr>
      <td>
        <a href={navigation.href(`/scorers/${scorer.id}`)}>
          <RecordedWord text={scorer.name} />
        </a>
      </td>
      <td>{scorerText(scorer)}</td>
      <td>{scorer.scoreable_node_types.join(', ')}</td>
      <td>
        <RecordedWord text={scorer.description} />
      </td>
      <td>
        <Instant at={scorer.updated_at} relative />
      </td>
      <td class="number">
        {scorer.scorer_type === 'code' && (
          <Button
            look="plain"
            label={`Delete ${scorer.name}`}
            permit={scorerPermit(scorer)}
            onClick={props.onDelete}
          >
            Delete…
          </Button>
        )}
      </td>
    </tr>
  );
};
