import {
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  type Attributes,
  type Span,
} from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtoExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { expect } from 'chai';
import { sharedApp } from '../support/app.js';
import { outline, waitForTraces, spansUnder, type SenderRecord } from '../support/sender-runs.js';

/** Members that do not depend on the run: the same from every exporter. */
const told = (record: SenderRecord): unknown => {
  const { type, name, input, output, status_code, model, tags, user_metadata, spans } = record;
  const told_spans = spans?.map(told);
  return { type, name, input, output, status_code, model, tags, user_metadata, told_spans };
};

describe("OpenTelemetry's SDK with its batch processor", function () {
  it('shows the same tree from protobuf and from JSON, whatever the batches', async () => {
    const { client, url, apiKey } = await sharedApp();
    const shown: SenderRecord[] = [];
    for (const Exporter of [ProtoExporter, JsonExporter]) {
      const project = `batches ${shown.length}`;
      const headers = { 'service-api-key': apiKey, project, logstream: 'nightly' };
      const exporter = new Exporter({ url: `${url}/v2/otel/v1/traces`, headers });
      // Two a batch: children are sent before their parents, over several requests.
      const processor = new BatchSpanProcessor(exporter, { maxExportBatchSize: 2 });
      const provider = new NodeTracerProvider({ spanProcessors: [processor] });
      const tracer = provider.getTracer('flights', '1.0');
      // Steps that begin at the same microsecond would stand in any order.
      let startTime = Date.now() - 1_000;
      const begin = (name: string, attributes: Attributes, parent?: Span): Span => {
        const under = parent === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, parent);
        startTime += 1;
        return tracer.startSpan(name, { attributes, startTime }, under);
      };
      const root = begin('answer', { 'gen_ai.operation.name': 'invoke_agent', 'tag.tags': ['a'] });
      const look = begin('look up', { 'openinference.span.kind': 'RETRIEVER' }, root);
      look.setAttributes({
        'input.value': 'Oslo',
        'retrieval.documents.0.document.content': 'SK 4711',
        'retrieval.documents.0.document.score': 0.5,
      });
      look.end();
      const tool = begin('book', { 'openinference.span.kind': 'TOOL', seats: 2 }, root);
      tool.recordException(new Error('sold out'));
      tool.setStatus({ code: SpanStatusCode.ERROR });
      const inner = begin('chat', { 'gen_ai.operation.name': 'chat' }, tool);
      inner.setAttribute('gen_ai.request.model', 'model-a');
      inner.end();
      tool.end();
      root.setStatus({ code: SpanStatusCode.OK });
      root.end();
      await provider.shutdown();
      const [sent] = await waitForTraces(client, project, 1);
      if (sent !== undefined) shown.push(sent);
    }
    const [proto, json] = shown;
    if (proto === undefined || json === undefined) return expect.fail('no trace');
    expect(outline(proto)).to.deep.equal([
      'trace answer',
      '  agent answer',
      '    retriever look up',
      '    tool book',
      '      llm chat',
    ]);
    expect(told(proto)).to.deep.equal(told(json));
    const [agent, look, tool, llm] = spansUnder(proto);
    expect(agent).to.deep.include({ status_code: 200, tags: ['a'] });
    expect(look).to.deep.include({
      input: 'Oslo',
      output: [{ content: 'SK 4711', metadata: { score: 0.5 } }],
    });
    expect(tool).to.deep.include({
      status_code: 500,
      user_metadata: { seats: '2', 'error.message': 'sold out' },
    });
    expect(llm).to.include({ model: 'model-a' });
  });
});
