// A LangChain.js agent with a tool and a retriever, as OpenInference instruments it. Nothing here
// knows of Assay: where spans go is said outside.
//
//   export OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://localhost:8080/v2/otel/v1/traces
//   export OTEL_EXPORTER_OTLP_TRACES_HEADERS="Service-API-Key=$KEY,project=langchain example"
//   export OPENAI_API_KEY=...
//   node dist/examples/langchain.js
import { LangChainInstrumentation } from '@arizeai/openinference-instrumentation-langchain';
import * as callbacks from '@langchain/core/callbacks/manager';
import { Document } from '@langchain/core/documents';
import { BaseRetriever } from '@langchain/core/retrievers';
import { ChatOpenAI } from '@langchain/openai';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { createAgent, tool } from 'langchain';
import { z } from 'zod';

const provider = new NodeTracerProvider({
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
});
provider.register();
new LangChainInstrumentation().manuallyInstrument(callbacks);

class Timetable extends BaseRetriever {
  readonly lc_namespace = ['example'];
  override async _getRelevantDocuments(city: string): Promise<Document[]> {
    return [new Document({ pageContent: `SK 4711 to ${city}`, metadata: { page: 12 } })];
  }
}
const timetable = new Timetable();
const search = tool(
  async ({ city }: { city: string }) => {
    const found = await timetable.invoke(city);
    return found.map(({ pageContent }) => pageContent).join('\n');
  },
  { name: 'search', description: 'Flights to a city', schema: z.object({ city: z.string() }) },
);

const model = new ChatOpenAI({ model: process.env['MODEL'] ?? 'gpt-5-mini' });
try {
  const agent = createAgent({ model, tools: [search] });
  const { messages } = await agent.invoke({ messages: 'A flight to Oslo, please' });
  process.stdout.write(`${messages.at(-1)?.text}\n`);
} finally {
  await provider.shutdown();
}
