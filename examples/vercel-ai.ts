// The Vercel AI SDK with its own telemetry. Nothing here knows of Assay: where spans go is said
// outside.
//
//   export OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://localhost:8080/v2/otel/v1/traces
//   export OTEL_EXPORTER_OTLP_TRACES_HEADERS="Service-API-Key=$KEY,project=vercel example"
//   export OPENAI_API_KEY=...
//   node dist/examples/vercel-ai.js
import { openai } from '@ai-sdk/openai';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { generateText, stepCountIs, streamText, tool } from 'ai';
import { z } from 'zod';

const provider = new NodeTracerProvider({
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
});
provider.register();

const search = tool({
  description: 'Flights to a city',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => `SK 4711 to ${city}`,
});
const asked = {
  model: openai.chat(process.env['MODEL'] ?? 'gpt-5-mini'),
  prompt: 'A flight to Oslo, please',
  experimental_telemetry: { isEnabled: true, functionId: 'flights', metadata: { tier: 'gold' } },
};

try {
  const { text } = await generateText({ ...asked, tools: { search }, stopWhen: stepCountIs(3) });
  process.stdout.write(`${text}\n`);
  for await (const part of streamText(asked).textStream) process.stdout.write(part);
  process.stdout.write('\n');
} finally {
  await provider.shutdown();
}
