import { expect } from 'chai';
import { openSpanIndex, openRecentSpans } from '../../command-api/traces/span-index.js';
import { randomIds } from '../../engines/node/ids.js';
import type { ProjectId, SpanId, TraceId } from '../../kernel/schema-types.js';
import { uuid } from '../support/trace-batches.js';

const project = uuid(1) as ProjectId;
const spansOf = (count: number): readonly SpanId[] =>
  Array.from({ length: count }, () => randomIds.next('SpanId'));

describe('table of recent spans', () => {
  it('finds a span in its last trace, within its project only', () => {
    const recent = openRecentSpans();
    const [one, other] = [uuid(2) as TraceId, uuid(3) as TraceId];
    const spans = spansOf(100);
    recent.note(project, one, spans);
    recent.note(project, other, spans.slice(50));
    expect(spans.map((span) => recent.find(project, span))).to.deep.equal([
      ...Array(50).fill(one),
      ...Array(50).fill(other),
    ]);
    expect(recent.find(uuid(9) as ProjectId, spans[0] as SpanId)).to.equal(null);
    expect(recent.find(project, uuid(10))).to.equal(null);
  });

  it('still finds most spans after many others, and never a wrong trace', () => {
    const recent = openRecentSpans();
    const traces = Array.from({ length: 80_000 }, () => ({
      trace: randomIds.next('TraceId'),
      span: randomIds.next('SpanId'),
    }));
    for (const { trace, span } of traces) recent.note(project, trace, [span]);
    const found = traces.map(({ span }) => recent.find(project, span));
    const wrong = found.filter((trace, at) => trace !== null && trace !== traces[at]?.trace);
    expect(wrong).to.deep.equal([]);
    expect(found.slice(-10_000).filter((trace) => trace !== null).length).to.be.above(9_500);
  });
});

describe('SpanIndex', () => {
  it('looks up only unknown spans in the read model', async () => {
    const asked: string[] = [];
    const [one, other] = [uuid(2) as TraceId, uuid(3) as TraceId];
    const [known, old, unknown] = spansOf(3) as [SpanId, SpanId, SpanId];
    const index = openSpanIndex({
      traceOfSpan: async (_project, span) => {
        asked.push(span);
        return span === old ? other : null;
      },
    });
    index.record(project, one, [known]);
    expect([...index.owners(project, [known, old, unknown])]).to.deep.equal([[known, one]]);
    expect(await index.traceOf(project, known)).to.equal(one);
    expect(await index.traceOf(project, old)).to.equal(other);
    expect(await index.traceOf(project, unknown)).to.equal(null);
    expect(asked).to.deep.equal([old, unknown]);
  });
});
