import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  addressCodec,
  changedView,
  choiceMember,
  instantMember,
  listMember,
  optionalMember,
  rangeMember,
  sortMember,
  textMember,
} from '../../console/parts/address.js';
import { instants } from '../support/record-generators.js';
import { runs } from '../support/runs.js';
import { drawSeed } from '../support/test-environment.js';
import { anyUtf16 } from './any-text.js';

/** Every key of a view. */
const view = addressCodec({
  t: rangeMember(),
  f: textMember(),
  run: optionalMember(),
  sort: sortMember({ column: 'created_at', ascending: false }),
  cols: listMember(),
  by: listMember(),
  pop: optionalMember(['traces', 'spans']),
  sel: optionalMember(),
  tab: choiceMember(['read', 'json', 'metrics'], 'read'),
  at: instantMember(),
});

const anyText = fc.string({ unit: 'grapheme', maxLength: 20 });
const text = anyText.filter((one) => one !== '');
const instant = fc.constantFrom(...instants);
const bounds = fc
  .tuple(instant, instant)
  .map(([one, other]) => (one < other ? { from: one, to: other } : { from: other, to: one }));
const perhaps = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const list = perhaps(fc.array(text, { maxLength: 4 }));
const views = fc.record({
  t: fc.oneof(fc.constantFrom('15m', '1h', '24h', '7d', '30d', 'all' as const), bounds),
  f: anyText,
  run: perhaps(text),
  sort: perhaps(
    fc.record({
      column: fc.oneof(text, fc.constantFrom('-x', '+x', '-')),
      ascending: fc.boolean(),
    }),
  ),
  cols: list,
  by: list,
  pop: perhaps(fc.constantFrom('traces', 'spans' as const)),
  sel: perhaps(text),
  tab: fc.constantFrom('read', 'json', 'metrics' as const),
  at: perhaps(instant),
});

describe('the fragment of an address', () => {
  const options = (what: string) => ({ seed: drawSeed(what), numRuns: runs(2_000) });

  it('reads what it writes, with every key of a view', () => {
    fc.assert(
      fc.property(views, (state) => {
        const written = view.write(state);
        expect(view.read(written), written).to.deep.equal(state);
        expect(view.read(`#${written}`)).to.deep.equal(state);
        // Nothing that ends a link in a text, and nothing that a browser would write otherwise.
        expect(written).to.match(/^[A-Za-z0-9%&=_.~:/,@-]*$/);
        expect(new URL(`https://here/console/#${written}`).hash.slice(1)).to.equal(written);
      }),
      options('views'),
    );
  });

  it('changes members of the view as it is now, and nothing once the page was left', () => {
    const place = { path: '/p/one/traces', view: 't=7d&f=name' };
    expect(changedView(view, place, '/p/one/traces', { f: 'type' })).to.equal('t=7d&f=type');
    expect(changedView(view, place, '/p/one/traces', { t: '24h' })).to.equal('f=name');
    expect(changedView(view, place, '/p/one', { f: 'type' })).to.equal(null);
    expect(changedView(view, place, '/p/two/traces', { f: 'type' })).to.equal(null);
  });

  it('leaves defaults out and stays readable', () => {
    const initial = view.read('');
    expect(view.write(initial)).to.equal('');
    expect(
      view.write({
        ...initial,
        t: { from: '2026-03-01T00:00:00.000001Z', to: '2026-03-02T00:00:00.000000Z' },
        f: 'type = tool',
        sort: { column: 'metrics/cost', ascending: true },
        cols: ['name', 'metrics/reward', 'user_metadata/a,b'],
      }),
    ).to.equal(
      't=2026-03-01T00:00:00.000001Z..2026-03-02T00:00:00.000000Z&f=type%20%3D%20tool' +
        '&sort=metrics/cost&cols=name,metrics/reward,user_metadata/a%252Cb',
    );
    // None instead of the default is written.
    expect(view.write({ ...initial, sort: null, cols: [] })).to.equal('sort=&cols=,');
  });

  it('reads any text, and takes the default for what it cannot read', () => {
    const { t, pop, tab, at, f } = view.read('t=2d&pop=x&tab=&at=soon&f=%zz&unknown=1&&=&t');
    expect({ t, pop, tab, at, f }).to.deep.equal({
      t: '24h',
      pop: null,
      tab: 'read',
      at: null,
      f: '',
    });
    expect(view.read('t=2026-03-02..2026-03-01').t).to.equal('24h');
    expect(view.read('t=2026-03-01..2026-03-02T01:00%2B01:00').t).to.deep.equal({
      from: '2026-03-01T00:00:00.000000Z',
      to: '2026-03-02T00:00:00.000000Z',
    });
    const pieces = fc.constantFrom(
      't=',
      'f=',
      'cols=',
      'sort=',
      '%',
      '%41',
      '&',
      '=',
      ',',
      '#',
      '..',
    );
    const texts = fc.array(fc.oneof(pieces, anyUtf16(5)));
    fc.assert(
      fc.property(texts, (parts) => {
        const state = view.read(parts.join(''));
        expect(view.read(view.write(state)).t).to.deep.equal(state.t);
      }),
      options('fragments'),
    );
  });
});
