import { expect } from 'chai';
import { projectOf, rangeView } from '../../console/shell/places.js';

const place = (path: string, view = '') => ({ path, view });

describe('places of the console', () => {
  it('keeps the project on pages of the organisation until all projects are listed', () => {
    const left = [place('/p/one/traces'), place('/'), place('/p/two')];
    expect(projectOf([place('/datasets/d'), place('/scorers'), ...left])).to.equal('one');
    expect(projectOf([place('/p/three/settings'), ...left])).to.equal('three');
    expect(projectOf([place('/keys'), place('/'), ...left])).to.equal(null);
    expect(projectOf([place('/people')])).to.equal(null);
  });

  it('carries the range that was chosen last in the project, and nothing else', () => {
    const list = place('/p/one/traces', 't=7d&f=name%20%3D%20x&sort=-name');
    expect(rangeView('one', [list])).to.equal('t=7d');
    expect(rangeView('one', [place('/p/one/settings'), place('/datasets'), list])).to.equal('t=7d');
    expect(rangeView('two', [place('/p/two/settings'), list])).to.equal('');
    expect(rangeView(null, [place('/datasets'), list])).to.equal('');
    const opened = place('/p/one/traces/1', 't=2026-03-01..2026-03-02&from=traces&row=1');
    expect(rangeView('one', [opened, list])).to.equal(
      't=2026-03-01T00:00:00.000000Z..2026-03-02T00:00:00.000000Z',
    );
    // The usual range is left out of an address, and chosen all the same.
    for (const path of ['/p/one', '/p/one/spans', '/p/one/sessions', '/p/one/rate']) {
      expect(rangeView('one', [place('/p/one/runs'), place(path), list]), path).to.equal('');
    }
  });
});
