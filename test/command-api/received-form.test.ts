import { expect } from 'chai';
import * as fc from 'fast-check';
import type { TraceBatch } from '../../command-api/traces/trace-batch.js';
import { receivedForm } from '../../command-api/traces/event-packing.js';
import { decode } from '../../events/codec.js';
import { schemaErrors } from '../../events/schema-conformance.js';
import type { SpanContent, TraceLogged } from '../../events/traces.js';
import { parseJsonText } from '../../kernel/json-text.js';
import { runs } from '../support/runs.js';
import { drawSeed } from '../support/test-environment.js';
import {
  booking,
  spanId,
  throughJson,
  traceBatchOf,
  traceBatchOfBytes,
  uuid,
} from '../support/trace-batches.js';
import { sentTraces } from '../support/trace-generators.js';

/** The text that is stored for a trace of the batch; null: version 1 is written. */
const storedText = ({ received }: TraceBatch, logged: TraceLogged): string | null => {
  const bytes = received.get(logged);
  const form = bytes === undefined ? null : receivedForm(logged, bytes);
  return form === null ? null : Buffer.concat(form.json).toString('utf8');
};
const readBack = (text: string): unknown => decode('TraceLogged', 2, parseJsonText(text));

/** Stored texts of the traces of a body, as it is written. */
const textsOf = (body: string, priceOf?: (span: SpanContent) => SpanContent['price']) => {
  const batch = traceBatchOfBytes(Buffer.from(body), priceOf);
  return batch.logged.map((logged) => {
    const text = storedText(batch, logged);
    if (text !== null) expect(throughJson(readBack(text))).to.deep.equal(throughJson(logged));
    return text;
  });
};
const textOf = (trace: object): string | null => {
  const [text = null] = textsOf(JSON.stringify({ traces: [trace] }));
  return text;
};

describe('a trace stored byte for byte as it was sent', () => {
  it('is read as what the service decided on, whatever clients send', () => {
    let [read, all] = [0, 0];
    const prices = [undefined, { input: 1, output: 0.5 }];
    const property = fc.property(sentTraces(), fc.constantFrom(0, 1), (body, indent) => {
      let spans = 0;
      const texts = textsOf(JSON.stringify(body, null, indent), () => {
        spans += 1;
        return prices[spans % 2];
      });
      all += texts.length;
      read += texts.filter((text) => text !== null).length;
    });
    fc.assert(property, { seed: drawSeed('traces as sent'), numRuns: runs(300) });
    expect(read, `of ${all}`).to.be.above(all / 4);
  });

  it('has the bytes of the request, and fits the schema once it is read', () => {
    const sent = `{ "id":"${booking.id.toUpperCase()}","name":"b\\u006fok", "spans":[
      {"type":"llm","created_at":"2026-03-01 10:00+01:00","input":"\\ud83e\\uddf3",
        "metrics":{"reward":1.50}},
      {"type":"agent","input":[{"type":"file","file_id":"${uuid(30).replace('8', 'A')}"}]}]}`;
    const [text] = textsOf(`{"traces":[${sent}]}`);
    expect(text).to.include(`"sent":${sent}}`);
    expect(schemaErrors('TraceLogged', readBack(text ?? ''))).to.deep.equal([]);
  });

  it('gives spans without ids the ids that the answer and later events refer to', () => {
    const spans = [{ type: 'llm' }, { type: 'tool', id: spanId }, { type: 'tool' }];
    const [before, after] = ['first_span_id', '"id"'].map((name) =>
      textOf({ spans })?.includes(name),
    );
    expect([before, after]).to.deep.equal([true, true]);
    const { logged } = traceBatchOf({ traces: [{ spans: [{ type: 'llm' }, { type: 'tool' }] }] });
    const ids = logged[0]?.spans.map(({ id }) => id) ?? [];
    expect(new Set(ids).size).to.equal(2);
    expect(textOf({ spans: [{ type: 'llm', id: spanId }] })).not.to.include('first_span_id');
  });

  it('reads names and numbers of every form as JSON.parse does', () => {
    const odd = '{"metrics":{"a":1,"__proto__":2,"1":3,"\\n":4},"user_metadata":{"\\u0061":"x"}}';
    expect(textsOf(`{"traces":[${odd}]}`)[0]).to.include(odd);
  });

  it('is written anew where its bytes do not say what is recorded, or much too long', () => {
    const twice = { type: 'llm', id: spanId };
    const cases: Readonly<Record<string, string>> = {
      'an unpaired surrogate': '{"traces":[{"name":"\\ud83e"}]}',
      'a span that comes twice': JSON.stringify({ traces: [{ spans: [twice, twice] }] }),
      'more blanks than content': `{"traces":[{"name":"a"${' '.repeat(2_000)}}]}`,
      'letters as escapes': `{"traces":[{"input":"${'\\u0061'.repeat(500)}"}]}`,
      'more than fits into an event': `{"traces":[{"input":"${'a'.repeat(950_000)}"}]}`,
    };
    for (const [name, body] of Object.entries(cases))
      expect(textsOf(body), name).to.deep.equal([null]);
    expect(textsOf(`{"traces":[{"input":"${'飛行機'.repeat(500)}"}]}`)).not.to.deep.equal([null]);
  });
});
