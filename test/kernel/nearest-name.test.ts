import { expect } from 'chai';
import { nearestName } from '../../kernel/nearest-name.js';

describe('nearestName', () => {
  const known = ['filters', 'filter_tree', 'log_stream_id', 'or', 'id', 'name', 'dry_run'];

  it('finds a name with one or two letters added, left out, replaced or swapped', () => {
    for (const wrong of ['filter', 'fliters', 'filterss', 'filtres', 'fitlesr', 'Filters']) {
      expect(nearestName(wrong, known), wrong).to.equal('filters');
    }
    expect(nearestName('log_steam_id', known)).to.equal('log_stream_id');
  });

  it('ignores case, underscores and hyphens', () => {
    expect(nearestName('filterTree', known)).to.equal('filter_tree');
    expect(nearestName('LOG-STREAM-ID', known)).to.equal('log_stream_id');
  });

  it('allows one change in a name of up to three letters, and never all letters', () => {
    expect(nearestName('ids', known)).to.equal('id');
    expect(nearestName('xy', known)).to.equal(null);
    expect(nearestName('i', known)).to.equal(null);
    expect(nearestName('', known)).to.equal(null);
  });

  it('finds nothing near a name that is three changes away', () => {
    expect(nearestName('population', known)).to.equal(null);
    expect(nearestName('type', known)).to.equal(null);
    expect(nearestName('dried', known)).to.equal(null);
  });
});
