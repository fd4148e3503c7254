/** Where and with which key a snippet sends. */
type SnippetTarget = {
  readonly url: string;
  readonly apiKey: string;
  readonly projectId: string;
};

export type SnippetKey = 'otel' | 'python' | 'typescript' | 'langchain' | 'curl' | 'assistant';

type Snippet = {
  /** Lines for a shell. */
  readonly shell: string;
  /** Lines of a program; null where the shell's lines are enough. */
  readonly program: string | null;
};

/** The ways to send a first trace, from the programs in `examples/`. */
export const snippetOf = (key: SnippetKey, target: SnippetTarget): Snippet => {
  switch (key) {
    case 'otel':
      return { shell: exporterLines(target), program: null };
    case 'langchain':
      return { shell: exporterLines(target), program: langchainLines };
    case 'python':
      return { shell: clientLines(target), program: pythonLines };
    case 'typescript':
      return { shell: clientLines(target), program: typescriptLines };
    case 'curl':
      return { shell: curlLines(target), program: null };
    case 'assistant':
      return { shell: assistantLines(target), program: null };
  }
};

const exporterLines = ({ url, apiKey, projectId }: SnippetTarget): string =>
  [
    `export OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=${url}/v2/otel/v1/traces`,
    `export OTEL_EXPORTER_OTLP_TRACES_HEADERS="Service-API-Key=${apiKey},projectid=${projectId}"`,
  ].join('\n');

const clientLines = ({ url, apiKey, projectId }: SnippetTarget): string =>
  [
    `export ASSAY_URL=${url}`,
    `export ASSAY_API_KEY=${apiKey}`,
    `export ASSAY_PROJECT=${projectId}`,
  ].join('\n');

const langchainLines = [
  "import { LangChainInstrumentation } from '@arizeai/openinference-instrumentation-langchain';",
  "import * as callbacks from '@langchain/core/callbacks/manager';",
  "import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';",
  "import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';",
  '',
  'const provider = new NodeTracerProvider({',
  '  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],',
  '});',
  'provider.register();',
  'new LangChainInstrumentation().manuallyInstrument(callbacks);',
  '',
  '// Your agent runs here; at the end of the program:',
  '  await provider.shutdown();',
].join('\n');

const pythonLines = `from assay import Assay

assay = Assay()


@assay.span(type="tool")
def search(city: str) -> list:
    return [f"Monday to {city}", f"Tuesday to {city}"]


@assay.trace
def answer(question: str) -> str:
    flights = search("Oslo")
    with assay.span("choose", type="llm", model="model-a", input=question) as span:
        span.output = flights[0]
        span.metrics.update(num_input_tokens=9, num_output_tokens=3)
    return flights[0]


answer("A flight to Oslo, please")
assay.flush()`;

const typescriptLines = `import { Assay } from 'assay-client';

const assay = new Assay();
await assay.trace('trip', { input: 'To Oslo?' }, async (step) => {
  step.set({ metrics: { correct: 1 } });
  return assay.span('book', { type: 'llm', model: 'model-a', input: 'Oslo' }, async () => 'booked');
});
await assay.flush();
await assay.close();`;

const curlLines = ({ url, apiKey, projectId }: SnippetTarget): string =>
  `curl -sS --fail-with-body '${url}/v2/projects/${projectId}/traces' \\
  -H 'Service-API-Key: ${apiKey}' -H 'Content-Type: application/json' -d '{"traces": [
  {"name": "trip", "input": "To Oslo?", "output": "booked", "metrics": {"correct": 1}, "spans": [
    {"type": "tool", "name": "search", "input": "Oslo", "output": "SK 4711"},
    {"type": "llm", "name": "choose", "model": "model-a", "input": "To Oslo?", "output": "SK 4711",
     "metrics": {"num_input_tokens": 9, "num_output_tokens": 3}}]}]}'`;

const assistantLines = ({ url, apiKey, projectId }: SnippetTarget): string =>
  `Record the runs of this program with Assay.
- Where OpenTelemetry instruments it, set only the environment and call shutdown() of the tracer
  provider at its end:
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=${url}/v2/otel/v1/traces
  OTEL_EXPORTER_OTLP_TRACES_HEADERS="Service-API-Key=${apiKey},projectid=${projectId}"
- Otherwise POST ${url}/v2/projects/${projectId}/traces with the header Service-API-Key: ${apiKey}
  and {"traces": [{"name", "input", "output", "spans": [{"type": "llm" or "tool", "name", "input",
  "output", "model", "metrics": {"num_input_tokens", "num_output_tokens", "duration_ns"}}]}]}.
- Read the key from the environment and keep it out of the repository.
- The interface is described by ${url}/v2/openapi.json.`;
