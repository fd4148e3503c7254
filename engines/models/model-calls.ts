import type { LanguageModelV3GenerateResult } from '@ai-sdk/provider';
import { egressLimits, type Egress } from '../../kernel/egress.js';
import type {
  ModelAnswer,
  ModelCalls,
  ModelError,
  ModelErrorCode,
  ModelFinish,
  ModelOutcome,
  ModelRequest,
  TokenCounts,
} from '../../kernel/model-calls.js';
import type { Clock } from '../../kernel/ports.js';
import { attemptError } from './attempt-error.js';
import { callOptions } from './call-options.js';
import { secretTexts } from './configuration.js';
import { digestOfBody, openRecordingFetch, type Fetch } from './recording-fetch.js';

type ModelCallsNeeds = {
  readonly egress: Egress;
  readonly clock: Pick<Clock, 'now' | 'milliseconds'>;
};

/** Opens calls of models by the AI SDK's provider packages, which the first call loads (D-243). */
export const openModelCalls = ({ egress, clock }: ModelCallsNeeds): ModelCalls => ({
  call: async (request) => {
    const { timeoutMs, signal = new AbortController().signal } = request;
    signal.throwIfAborted();
    const began = clock.milliseconds();
    const elapsed = (): number => Math.round(clock.milliseconds() - began);
    const { providerModel } = await import('./provider-models.js');
    const timeout = AbortSignal.timeout(timeoutMs);
    const recording = openRecordingFetch(fetchFor(egress, timeoutMs));
    const secrets = [...secretTexts(request.configuration)];
    const opened = providerModel(request.provider, {
      name: request.model,
      configuration: request.configuration,
      fetch: recording.around,
      onSecret: (secret) => secrets.push(secret),
    });
    if ('notCallable' in opened) return failed(ownError(1101, `${opened.notCallable}.`, elapsed()));
    try {
      const options = callOptions(request, opened, AbortSignal.any([signal, timeout]));
      const result = await opened.model.doGenerate(options);
      return outcomeOf(request, result, recording.received()?.body ?? null, elapsed());
    } catch (error) {
      signal.throwIfAborted();
      const received = recording.received();
      const isTimeout = timeout.aborted;
      return failed(
        attemptError({
          error,
          received,
          secrets,
          isTimeout,
          ms: elapsed(),
          now: Date.parse(clock.now()),
        }),
      );
    }
  },
});

/**
 * An answer that is not streamed begins when it is complete, so that a model that reasons at length
 * may begin as late as it may end.
 */
const fetchFor = (egress: Egress, timeoutMs: number): Fetch =>
  egress.fetchWithin({
    wholeMs: timeoutMs,
    firstByteMs: timeoutMs > egressLimits.wholeMs ? timeoutMs : egressLimits.firstByteMs,
  });

const failed = (error: ModelError): ModelOutcome => ({ answer: null, error });

const ownError = (code: ModelErrorCode, message: string, ms: number): ModelError => ({
  code,
  message,
  status: null,
  isTransient: false,
  retryAfterMs: null,
  ms,
  answer: null,
});

/** Answer of a model; error 1110 with the partial answer when it was cut or filtered. */
const outcomeOf = (
  request: ModelRequest,
  result: LanguageModelV3GenerateResult,
  body: Uint8Array | null,
  ms: number,
): ModelOutcome => {
  const { content, finishReason, response, usage } = result;
  const answer: ModelAnswer = {
    text: content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
    toolCalls: content.flatMap((part) =>
      part.type === 'tool-call'
        ? [{ id: part.toolCallId, name: part.toolName, arguments: part.input }]
        : [],
    ),
    model: response?.modelId ?? request.model,
    tokens: tokenCounts(usage),
    finish: finishes[finishReason.unified],
    sha256: digestOfBody(body ?? new Uint8Array()),
    ms,
  };
  const reason = cutReasons[answer.finish];
  return reason === undefined
    ? { answer, error: null }
    : failed({ ...ownError(1110, reason, ms), status: 200, answer });
};

const finishes = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'filtered',
  'tool-calls': 'tool_calls',
  error: 'other',
  other: 'other',
} as const satisfies Record<string, ModelFinish>;

const cutReasons: Readonly<Partial<Record<ModelFinish, string>>> = {
  length: 'The answer was cut at max_tokens.',
  filtered: "The provider's content filter stopped the answer.",
};

const tokenCounts = ({
  inputTokens,
  outputTokens,
}: LanguageModelV3GenerateResult['usage']): TokenCounts => ({
  input: inputTokens.total ?? 0,
  output: outputTokens.total ?? 0,
  cache_read: inputTokens.cacheRead ?? 0,
  cache_write: inputTokens.cacheWrite ?? 0,
  reasoning: outputTokens.reasoning ?? 0,
});
