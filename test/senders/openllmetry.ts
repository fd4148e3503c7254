import { OpenAIInstrumentation } from '@traceloop/instrumentation-openai';
import { trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import OpenAI from 'openai';
import { askModels } from './openai-agent.js';

// A program: OpenAI's client as OpenLLMetry instruments it.
const provider = new NodeTracerProvider({
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
});
provider.register();
new OpenAIInstrumentation().manuallyInstrument(OpenAI);
await trace.getTracer('flights').startActiveSpan('answer', async (span) => {
  await askModels(new OpenAI({ maxRetries: 0 }));
  span.end();
});
await provider.shutdown();
