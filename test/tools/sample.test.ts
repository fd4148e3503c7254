import { expect } from 'chai';
import { makeSample, spansIn } from '../../tools/demo/sample.js';

const end = Date.parse('2026-03-08T12:00:00Z');
const asked = { seed: 7, runs: 400, days: 7, end };

describe('the sample of the demo', () => {
  const sample = makeSample(asked);
  const traces = sample.flatMap((stream) => stream.traces);
  const spans = traces.flatMap((trace) => spansIn(trace.spans));

  it('depends on the seed alone', () => {
    expect(makeSample(asked)).to.deep.equal(sample);
    expect(makeSample({ ...asked, seed: 8 })).not.to.deep.equal(sample);
  });

  it('has the requested number of runs, in three log streams, by time', () => {
    expect(sample.map(({ name }) => name)).to.deep.equal(['support', 'airline', 'coding']);
    expect(traces).to.have.length(400);
    for (const stream of sample) {
      const times = stream.traces.map((trace) => trace.created_at);
      expect(times).to.deep.equal(times.toSorted());
    }
  });

  it('gives every record an id of its own, of the version-4 layout', () => {
    const ids = [...traces, ...spans].map(({ id }) => id);
    expect(new Set(ids).size).to.equal(ids.length);
    for (const id of ids)
      expect(id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('lies within the days before its end', () => {
    const times = [...traces, ...spans].map(({ created_at }) => Date.parse(created_at));
    expect(Math.max(...times)).to.be.at.most(end);
    expect(Math.min(...times)).to.be.at.least(end - 8 * 24 * 3_600_000);
    expect(new Set(traces.map(({ created_at }) => created_at.slice(0, 10))).size).to.be.least(7);
  });

  it('shows every kind of span, failures, sessions, references and every kind of metric', () => {
    expect(new Set(spans.map(({ type }) => type))).to.deep.equal(
      new Set(['llm', 'tool', 'retriever', 'agent', 'workflow', 'control']),
    );
    expect(traces.some(({ status_code }) => status_code >= 500)).to.equal(true);
    expect(traces.some(({ session_id }) => session_id !== null)).to.equal(true);
    expect(traces.some(({ dataset_output }) => dataset_output !== undefined)).to.equal(true);
    const values = traces.flatMap(({ metrics }) => Object.values(metrics));
    expect(new Set(values.map((value) => typeof value))).to.deep.equal(
      new Set(['number', 'boolean', 'string']),
    );
  });

  it('lets each span begin after the record around it', () => {
    for (const trace of traces)
      for (const span of spansIn(trace.spans))
        expect(span.created_at >= trace.created_at, span.id).to.equal(true);
    for (const span of spans)
      for (const child of span.spans ?? [])
        expect(child.created_at >= span.created_at, child.id).to.equal(true);
  });
});
