import { expect } from 'chai';
import { brokenPromises, openLedger, type ObservedTrace } from './ledger.js';

const seen = (more: Partial<ObservedTrace> = {}): ReadonlyMap<string, ObservedTrace> =>
  new Map([['t', { times: 1, spans: ['a', 'b'], tags: [], ...more }]]);
const trace = { kind: 'trace', trace: 't', spans: ['a', 'b'], session: null } as const;

describe('the ledger of what was promised', () => {
  it('accepts a state where all that was acknowledged exists once', () => {
    const ledger = openLedger();
    ledger.acknowledge(ledger.sent(trace));
    expect(brokenPromises(ledger, seen())).to.deep.equal([]);
  });

  it('reports a missing acknowledged trace, also if only a tag was acknowledged', () => {
    const ledger = openLedger();
    ledger.acknowledge(ledger.sent(trace));
    expect(brokenPromises(ledger, new Map())).to.deep.equal([
      'trace t was acknowledged and is lost',
    ]);
    const other = openLedger();
    other.sent(trace);
    other.acknowledge(other.sent({ kind: 'tag', trace: 't', tag: 'x' }));
    expect(brokenPromises(other, new Map())).to.deep.equal([
      'trace t was acknowledged and is lost',
    ]);
  });

  it('accepts an unknown trace whole or not at all', () => {
    const ledger = openLedger();
    ledger.sent(trace);
    expect(brokenPromises(ledger, new Map())).to.deep.equal([]);
    expect(brokenPromises(ledger, seen())).to.deep.equal([]);
    expect(brokenPromises(ledger, seen({ spans: ['a'] }))).to.deep.equal([
      'trace t: span b is lost',
    ]);
  });

  it('reports a trace that exists twice', () => {
    const ledger = openLedger();
    ledger.acknowledge(ledger.sent(trace));
    expect(brokenPromises(ledger, seen({ times: 2 }))).to.deep.equal(['trace t is there 2 times']);
    expect(brokenPromises(ledger, seen({ spans: ['a', 'b', 'a'] }))).to.have.length(1);
  });

  it('reports a trace that was not sent', () => {
    const ledger = openLedger();
    expect(brokenPromises(ledger, seen())).to.deep.equal(['trace t was never sent']);
    ledger.acknowledge(ledger.sent(trace));
    expect(brokenPromises(ledger, seen({ tags: ['x'] }))).to.deep.equal([
      'trace t: tag x was never sent',
    ]);
  });

  it('requires late spans and tags from their acknowledgement on', () => {
    const ledger = openLedger();
    ledger.acknowledge(ledger.sent(trace));
    const span = ledger.sent({ kind: 'span', trace: 't', span: 'c' });
    const tag = ledger.sent({ kind: 'tag', trace: 't', tag: 'x' });
    expect(brokenPromises(ledger, seen())).to.deep.equal([]);
    expect(ledger.open()).to.have.length(2);
    ledger.acknowledge(span);
    ledger.acknowledge(tag);
    expect(brokenPromises(ledger, seen())).to.deep.equal([
      'trace t: span c is lost',
      'trace t: tag x is lost',
    ]);
    expect(ledger.traces()).to.deep.equal(['t']);
  });
});
