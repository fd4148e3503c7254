import { expect } from 'chai';
import { editsLeft } from '../../console/parts/edits-left.js';
import { detailsChange, detailsOf } from '../../console/scorers/details.js';
import { hasOverlap } from '../../console/templates/model.js';
import type { Scorer } from '../../clients/typescript/src/generated/scorers-types-2.js';

const scorer = {
  label: 'Refunds',
  description: 'finds refunds',
  tags: ['a', 'b'],
  scoreable_node_types: ['trace'],
  roll_up_method: null,
  required_scorers: [],
  threshold: null,
} as unknown as Scorer;

describe('the edited members of a form', () => {
  it('sends back no member that somebody else changed meanwhile', () => {
    const edits = { label: 'Refunds, all' };
    const later = { ...scorer, description: 'finds refunds, and none in jest', tags: ['c'] };
    const shown = { ...detailsOf(later), ...editsLeft(detailsOf(later), edits) };
    expect(detailsChange(later, shown)).to.deep.equal(edits);
  });

  it('ends an edit once the service has the same', () => {
    const edits = { label: 'Refunds', tags: 'a, b', description: 'other' };
    expect(editsLeft(detailsOf(scorer), edits)).to.deep.equal({ description: 'other' });
  });

  it('finds a member that two people changed to different values', () => {
    const base = { name: 'Helpful', criteria: 'Was it?' };
    const edits = { name: 'Useful' };
    expect(hasOverlap(edits, base, base)).to.equal(false);
    expect(hasOverlap(edits, base, { ...base, criteria: 'Is it?' })).to.equal(false);
    expect(hasOverlap(edits, base, { ...base, name: 'Useful' })).to.equal(false);
    expect(hasOverlap(edits, base, { ...base, name: 'Kind' })).to.equal(true);
  });
});
