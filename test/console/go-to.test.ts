import { expect } from 'chai';
import { matchesText, placeGroups, wantedPlace } from '../../console/go-to/model.js';

const id = '60c67a87-024d-48e3-9dcf-ae5652800741';
const hex = id.replaceAll('-', '');

describe('the places to go to', () => {
  it('takes a uuid and the hex digits of OpenTelemetry for an id, in any case', () => {
    expect(wantedPlace('  ')).to.equal(null);
    expect(wantedPlace(` ${id.toUpperCase()} `)).to.deep.equal({
      by: 'id',
      id,
      externalIds: [id.toUpperCase(), id],
    });
    expect(wantedPlace(hex)).to.deep.equal({ by: 'id', id, externalIds: [hex] });
    expect(wantedPlace('eee19b7ec3c1b174')).to.deep.equal({
      by: 'id',
      id: null,
      externalIds: ['eee19b7ec3c1b174'],
    });
  });

  it('takes any other text for a part of a name', () => {
    for (const text of ['airline', `${id}0`, hex.slice(1), `g${hex.slice(1)}`]) {
      expect(wantedPlace(text), text).to.deep.equal({ by: 'name', text });
    }
    expect(matchesText({ text: 'Log streams' }, ' LOG ')).to.equal(true);
    expect(matchesText({ text: 'Log streams' }, 'logs')).to.equal(false);
  });

  it('groups places by kind and shows each once', () => {
    const page = { kind: 'Pages', text: 'Traces', note: 'g t', path: '/p/1/traces', view: '' };
    const dataset = { kind: 'Datasets', text: 'airline', note: '', path: '/datasets/1', view: '' };
    const options = [dataset, page, dataset] as Parameters<typeof placeGroups>[0];
    expect(placeGroups(options)).to.deep.equal([
      { kind: 'Pages', options: [page] },
      { kind: 'Datasets', options: [dataset] },
    ]);
  });
});
