import type {
  LanguageModelV3CallOptions,
  LanguageModelV3Message,
  SharedV3ProviderOptions,
} from '@ai-sdk/provider';
import type { ModelMessage, ModelRequest, CallSettings } from '../../kernel/model-calls.js';
import { jsonOf } from './configuration.js';
import type { ProviderModel } from './provider-models.js';

/** Options of one attempt in the shape of the provider packages. */
export const callOptions = (
  request: ModelRequest,
  { model, options }: ProviderModel,
  abortSignal: AbortSignal,
): LanguageModelV3CallOptions => {
  const { messages, json, tools, toolChoice, settings = {} } = request;
  const { maxTokens, stopSequences } = settings;
  return {
    prompt: messages.map(promptMessage),
    abortSignal,
    ...definedOf({
      temperature: settings.temperature,
      topP: settings.topP,
      topK: settings.topK,
      frequencyPenalty: settings.frequencyPenalty,
      presencePenalty: settings.presencePenalty,
      seed: settings.seed,
      maxOutputTokens: maxTokens,
      stopSequences: stopSequences && [...stopSequences],
      responseFormat: json && {
        type: 'json',
        name: json.name,
        ...(json.schema === null ? {} : { schema: json.schema }),
      },
      tools: tools?.map(({ name, description, parameters }) => ({
        type: 'function' as const,
        name,
        ...(description === undefined ? {} : { description }),
        inputSchema: parameters,
      })),
      toolChoice: toolChoice && choiceOf(toolChoice),
    }),
    providerOptions: providerOptions(settings, options, model.provider),
  };
};

/** Members that are defined: packages tell an absent option from one that is undefined. */
const definedOf = <T extends object>(
  members: T,
): { readonly [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    readonly [K in keyof T]?: Exclude<T[K], undefined>;
  };

const choiceOf = (choice: NonNullable<ModelRequest['toolChoice']>) =>
  typeof choice === 'string' ? { type: choice } : { type: 'tool' as const, toolName: choice.tool };

const promptMessage = (message: ModelMessage): LanguageModelV3Message => {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.content };
    case 'user':
      return { role: 'user', content: [{ type: 'text', text: message.content }] };
    case 'assistant': {
      const calls = (message.toolCalls ?? []).map(({ id, name, arguments: input }) => ({
        type: 'tool-call' as const,
        toolCallId: id,
        toolName: name,
        // As text when they are not JSON.
        input: jsonOf(input) ?? input,
      }));
      const text = message.content === '' ? [] : [{ type: 'text' as const, text: message.content }];
      return { role: 'assistant', content: [...text, ...calls] };
    }
    case 'tool': {
      const { toolCallId, toolName, content } = message;
      const output = { type: 'text' as const, value: content };
      return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] };
    }
  }
};

/** Settings that each package names in its own way; only those that were set are sent. */
const providerOptions = (
  { reasoningEffort: effort, verbosity }: CallSettings,
  options: ProviderModel['options'],
  provider: string,
): SharedV3ProviderOptions => {
  const verbose = verbosity === undefined ? {} : { textVerbosity: verbosity };
  const openai = { ...(effort === undefined ? {} : { reasoningEffort: effort }), ...verbose };
  if (options === 'openai') return { openai };
  if (options === 'compatible') return { [provider.split('.')[0] ?? provider]: openai };
  if (effort === undefined) return {};
  if (options === 'anthropic') return { anthropic: { effort } };
  if (options === 'google') return { google: { thinkingConfig: { thinkingLevel: effort } } };
  return { bedrock: { reasoningConfig: { maxReasoningEffort: effort } } };
};
