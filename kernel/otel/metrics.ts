// Counts, costs and times that exporters send of a span.
import { attribute, count, parseNumber, type Rule } from './rule.js';

const durationRule = (name: string, nanoseconds: number): Rule<number> =>
  attribute(name, (value) => {
    const time = parseNumber(value) ?? -1;
    const found = Math.round(time * nanoseconds);
    return time >= 0 && Number.isSafeInteger(found) ? found : undefined;
  });
const countRules = (...names: readonly string[]): readonly Rule<number>[] => names.map(count);

/** Rules by metric of contract 3.4; the first that matches wins. */
export const metricRules: Readonly<Record<string, readonly Rule<number>[]>> = {
  num_input_tokens: countRules(
    'gen_ai.usage.input_tokens',
    'gen_ai.usage.prompt_tokens',
    'llm.token_count.prompt',
    'ai.usage.inputTokens',
    'ai.usage.promptTokens',
  ),
  num_output_tokens: countRules(
    'gen_ai.usage.output_tokens',
    'gen_ai.usage.completion_tokens',
    'llm.token_count.completion',
    'ai.usage.outputTokens',
    'ai.usage.completionTokens',
  ),
  num_total_tokens: countRules(
    'llm.token_count.total',
    'llm.usage.total_tokens',
    'gen_ai.usage.total_tokens',
    'ai.usage.totalTokens',
  ),
  num_cached_input_tokens: countRules(
    'gen_ai.usage.cache_read.input_tokens',
    'gen_ai.usage.cache_read_input_tokens',
    'llm.token_count.prompt_details.cache_read',
    'ai.usage.cachedInputTokens',
    'ai.usage.inputTokenDetails.cacheReadTokens',
  ),
  num_cache_creation_input_tokens: countRules(
    'gen_ai.usage.cache_creation.input_tokens',
    'gen_ai.usage.cache_creation_input_tokens',
    'llm.token_count.prompt_details.cache_write',
    'ai.usage.inputTokenDetails.cacheWriteTokens',
  ),
  num_reasoning_tokens: countRules(
    'gen_ai.usage.reasoning.output_tokens',
    'gen_ai.usage.reasoning_tokens',
    'llm.token_count.completion_details.reasoning',
    'ai.usage.reasoningTokens',
    'ai.usage.outputTokenDetails.reasoningTokens',
  ),
  num_image_input_tokens: countRules('gen_ai.usage.image.input_tokens'),
  num_image_output_tokens: countRules('gen_ai.usage.image.output_tokens'),
  num_audio_input_tokens: countRules(
    'gen_ai.usage.audio.input_tokens',
    'llm.token_count.prompt_details.audio',
  ),
  num_audio_output_tokens: countRules(
    'gen_ai.usage.audio.output_tokens',
    'llm.token_count.completion_details.audio',
  ),
  cost: countRules('llm.cost.total', 'splunk_ao.llm.cost.total_usd'),
  input_cost: countRules('llm.cost.prompt', 'splunk_ao.llm.cost.input_usd'),
  output_cost: countRules('llm.cost.completion', 'splunk_ao.llm.cost.output_usd'),
  time_to_first_token_ns: [
    durationRule('splunk_ao.llm.time_to_first_token_ns', 1),
    durationRule('gen_ai.response.time_to_first_chunk', 1e9),
    durationRule('gen_ai.server.time_to_first_token', 1e9),
    durationRule('ai.response.msToFirstChunk', 1e6),
    durationRule('ai.stream.msToFirstChunk', 1e6),
  ],
};
