import { expect } from 'chai';
import {
  longBodies,
  longTextBytes,
  longTracesPerRequest,
  spansPerTrace,
  tracesPerRequest,
  variedBodies,
  wideBodies,
  type Body,
} from '../../bench/bodies.js';

type Trace = { readonly id: string; readonly spans: readonly { readonly id: string }[] };
const tracesOf = ({ bytes }: Body): readonly Trace[] =>
  (JSON.parse(bytes.toString('utf8')) as { readonly traces: readonly Trace[] }).traces;

for (const [name, make, traces] of [
  ['wide', wideBodies, tracesPerRequest],
  ['varied', variedBodies, tracesPerRequest],
  ['long', longBodies, longTracesPerRequest],
] as const)
  describe(`the ${name} bodies of the bench`, () => {
    const bodies = make(3, 'run');
    const many = Array.from({ length: 40 }, (_, n) => tracesOf(bodies(n))).flat();

    it('are traces of 10 spans, cut where each trace begins and ends', () => {
      const body = bodies(1);
      expect(tracesOf(body)).to.have.length(traces);
      for (const trace of tracesOf(body)) expect(trace.spans).to.have.length(spansPerTrace);
      expect(body.traces.map((bytes) => JSON.parse(bytes.toString('utf8')))).to.deep.equal(
        tracesOf(body),
      );
    });
    it('have no id in common', () => {
      const ids = many.flatMap(({ id, spans }) => [id, ...spans.map((span) => span.id)]);
      expect(ids).to.have.length(40 * traces * (spansPerTrace + 1));
      expect(new Set(ids).size).to.equal(ids.length);
      for (const id of ids) expect(id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-/);
    });
    it('are the same for the same number, and another load is another', () => {
      expect(make(3, 'run')(5).bytes.equals(bodies(5).bytes)).to.equal(true);
      expect(make(4, 'run')(5).bytes.equals(bodies(5).bytes)).to.equal(false);
    });
  });

describe('a wide body', () => {
  it('has spans of 1 KB', () => {
    const [trace] = tracesOf(wideBodies(3, 'run')(0));
    for (const span of trace?.spans ?? []) expect(JSON.stringify(span)).to.have.length(1_024);
  });
});

describe('a long body', () => {
  it('has another input of 8 KiB in each span', () => {
    const bodies = longBodies(3, 'run');
    const inputs = [0, 1, 2]
      .flatMap((n) => tracesOf(bodies(n)))
      .flatMap(({ spans }) => spans.map((span) => (span as { readonly input?: string }).input));
    for (const input of inputs) expect(input).to.have.length(longTextBytes);
    expect(new Set(inputs).size).to.equal(3 * longTracesPerRequest * spansPerTrace);
  });
});
