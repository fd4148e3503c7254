import { SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import OpenAI from 'openai';
import type { ChatCompletionMessageParam, ChatCompletionTool } from 'openai/resources';
import { missingModel } from '../support/openai-server.js';

const tools: ChatCompletionTool[] = [
  {
    type: 'function',
    function: {
      name: 'search',
      description: 'Flights to a city',
      parameters: { type: 'object', properties: { city: { type: 'string' } } },
    },
  },
];

/**
 * Calls of OpenAI's client: a whole answer with a tool's call, the answer to the result of the tool
 * as a stream, and a model that does not exist.
 */
const askModels = async (client: OpenAI): Promise<void> => {
  const messages: ChatCompletionMessageParam[] = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'A flight to Oslo, please' },
  ];
  const usual = { model: 'model-a', temperature: 0.25, tools };
  const called = await client.chat.completions.create({ ...usual, messages });
  const [choice] = called.choices;
  if (choice === undefined) throw new Error('the model said nothing');
  messages.push(choice.message);
  for (const { id } of choice.message.tool_calls ?? [])
    messages.push({ role: 'tool', tool_call_id: id, content: 'SK 4711' });
  const stream = await client.chat.completions.create({
    ...usual,
    messages,
    stream: true,
    stream_options: { include_usage: true },
  });
  for await (const _ of stream);
  // Neither instrumentation ends its span when a call is refused: the program's own span tells.
  await trace.getTracer('flights').startActiveSpan('ask again', async (span) => {
    try {
      await client.chat.completions.create({ model: missingModel, messages });
    } catch (error) {
      span.recordException(error as Error);
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end();
  });
};

/** The program around it, with its client instrumented once spans have somewhere to go. */
export const traced = async (instrument: () => void): Promise<void> => {
  const provider = new NodeTracerProvider({
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  provider.register();
  instrument();
  await trace.getTracer('flights').startActiveSpan('answer', async (span) => {
    await askModels(new OpenAI({ maxRetries: 0 }));
    span.end();
  });
  await provider.shutdown();
};
