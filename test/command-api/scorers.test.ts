import { scorers } from '../../command-api/facts/scorers.js';
import {
  addVersion,
  sourcesMax,
  change,
  create,
  noDetails,
  remove,
} from '../../command-api/scorers/scorers.js';
import type { ScorerEvent, ScorerVersionAdded } from '../../events/scorers.js';
import type { ScorerId, ScorerVersionId } from '../../kernel/schema-types.js';
import { deciderSpec } from '../support/decider-spec.js';
import { instantAfter } from '../support/test-log.js';
import { organization, userId } from '../support/access-events.js';

const id = 'e0000000-0000-4000-8000-000000000001' as ScorerId;
const details = noDetails('length');
const creation = {
  scorer_id: id,
  organization_id: organization,
  name: 'length',
  details,
  created_by: userId(1),
  created_at: instantAfter(0),
};
const created: ScorerEvent = { type: 'ScorerCreated', data: creation };
const deleted: ScorerEvent = {
  type: 'ScorerDeleted',
  data: { scorer_id: id, organization_id: organization },
};
const version: Omit<ScorerVersionAdded, 'version'> = {
  scorer_id: id,
  version_id: 'e1000000-0000-4000-8000-000000000001' as ScorerVersionId,
  source: 'x = 1',
  sha256: 'ab',
  score_type: 'bool',
  scoreable_node_types: ['tool'],
  chain_aggregation: null,
  created_by: userId(1),
  created_at: instantAfter(1),
};

describe('a scorer', () => {
  const given = deciderSpec(scorers);

  it('is created once; its id stays taken', () => {
    given().when(create(creation)).then(created);
    const other = { ...creation, name: 'other', created_at: instantAfter(9) };
    given(created).when(create(other)).thenRejected('already-exists');
    given(created)
      .when(create({ ...creation, created_at: instantAfter(9) }))
      .thenNothing();
    given(created)
      .when(create({ ...creation, created_by: userId(2) }))
      .thenRejected('already-exists');
    given(created, deleted).when(create(creation)).thenRejected('already-exists');
  });

  it('changes what is named and leaves the rest', () => {
    const data = { scorer_id: id, details: { ...details, label: 'Length', tags: ['a'] } };
    given(created)
      .when(change({ label: 'Length', tags: ['a', 'a'], description: null }))
      .then({ type: 'ScorerDetailsChanged', data });
    given(created).when(change({})).thenNothing();
    given(created, deleted).when(change({})).thenRejected('not-found');
    given().when(change({})).thenRejected('not-found');
  });

  it('counts its versions from one', () => {
    const first: ScorerEvent = { type: 'ScorerVersionAdded', data: { ...version, version: 1 } };
    given(created).when(addVersion(version)).then(first);
    const more = { ...version, version_id: id as string as ScorerVersionId };
    given(created, first)
      .when(addVersion(more))
      .then({ type: 'ScorerVersionAdded', data: { ...more, version: 2 } });
    given(created, deleted).when(addVersion(version)).thenRejected('not-found');
    const large = { ...version, source: 'x'.repeat(sourcesMax), version: 1 };
    given(created, { type: 'ScorerVersionAdded', data: large })
      .when(addVersion(more))
      .thenRejected('conflict');
  });

  it('is deleted once', () => {
    given(created).when(remove).then(deleted);
    given(created, deleted).when(remove).thenNothing();
  });
});
