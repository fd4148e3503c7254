// A made-up agent that OpenTelemetry traces. Nothing here knows of Assay: where spans go is said
// outside.
//
//   export OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://localhost:8080/v2/otel/v1/traces
//   export OTEL_EXPORTER_OTLP_TRACES_HEADERS="Service-API-Key=$KEY,project=opentelemetry example"
//   node dist/examples/opentelemetry.js
import { trace, type Attributes, type Span } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

const provider = new NodeTracerProvider({
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
});
provider.register();
const tracer = trace.getTracer('flights');

const step = <T>(name: string, attributes: Attributes, work: (span: Span) => Promise<T>) =>
  tracer.startActiveSpan(name, { attributes }, (span) => work(span).finally(() => span.end()));

const search = (city: string): Promise<string> =>
  step(
    'execute_tool search',
    {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'search',
      'gen_ai.tool.call.arguments': JSON.stringify({ city }),
    },
    async (span) => {
      const flight = `SK 4711 to ${city}`;
      span.setAttribute('gen_ai.tool.call.result', flight);
      return flight;
    },
  );

const choose = (question: string, flight: string): Promise<string> =>
  step(
    'chat model-a',
    {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'model-a',
      'gen_ai.input.messages': JSON.stringify([
        { role: 'user', parts: [{ type: 'text', content: question }] },
        { role: 'tool', parts: [{ type: 'tool_call_response', id: 'call_1', response: flight }] },
      ]),
    },
    async (span) => {
      const answer = `${flight} leaves at nine.`;
      span.setAttributes({
        'gen_ai.output.messages': JSON.stringify([
          { role: 'assistant', parts: [{ type: 'text', content: answer }], finish_reason: 'stop' },
        ]),
        'gen_ai.usage.input_tokens': 21,
        'gen_ai.usage.output_tokens': 7,
      });
      return answer;
    },
  );

await step('answer', { 'gen_ai.operation.name': 'invoke_agent' }, async (span) => {
  const question = 'A flight to Oslo, please';
  span.setAttribute('input.value', question);
  const answer = await choose(question, await search('Oslo'));
  span.setAttribute('output.value', answer);
});
await provider.shutdown();
