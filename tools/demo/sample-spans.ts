import type { SeededRandom } from '../../kernel/seeded-random.js';

/** Records in the shape of contract 5.6, as the sample sends them. */
export type SampleSpan = {
  readonly type: 'llm' | 'retriever' | 'tool' | 'workflow' | 'agent' | 'control';
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  readonly step_number: number;
  readonly input: unknown;
  readonly output: unknown;
  readonly status_code: number;
  readonly metrics: DemoMetrics;
  readonly tags?: readonly string[];
  readonly spans?: readonly SampleSpan[];
  readonly model?: string;
  readonly temperature?: number;
  readonly finish_reason?: string;
  readonly tools?: readonly object[];
  readonly tool_call_id?: string;
  readonly agent_type?: string;
  readonly control_id?: number;
  readonly agent_name?: string;
  readonly check_stage?: string;
  readonly applies_to?: string;
  readonly evaluator_name?: string;
};
export type DemoMetrics = Readonly<Record<string, number | boolean | string>>;

/** State of a run being generated: its random numbers and a clock that each step advances. */
export type DemoRun = {
  readonly random: SeededRandom;
  /** Current time of the run in milliseconds since 1970. */
  now: number;
  /** Slowdown factor: above 1 on a bad day. */
  readonly strain: number;
  readonly model: PricedModel;
};
export type PricedModel = {
  readonly name: string;
  /** Dollars for a million tokens in and out. */
  readonly price: readonly [number, number];
  readonly tokensPerSecond: number;
};

export const instantOf = (ms: number): string => `${new Date(ms).toISOString().slice(0, -1)}000Z`;
const nanoseconds = (ms: number): number => Math.round(ms) * 1_000_000;
const tokensOf = (text: unknown): number =>
  Math.max(1, Math.ceil((typeof text === 'string' ? text : JSON.stringify(text)).length / 4));

export type Message = {
  readonly role: string;
  readonly content: string;
  readonly tool_calls?: readonly object[];
};

/** A model call: tokens, cost and time follow from the texts and the model. */
export const llmSpan = (
  run: DemoRun,
  name: string,
  step: number,
  input: readonly Message[],
  output: Message,
  more: Partial<SampleSpan> = {},
): SampleSpan => {
  const { random, model } = run;
  const tokensIn = tokensOf(input) + random.integer(150, 900);
  const tokensOut = tokensOf(output.content) + random.integer(5, 60);
  const firstToken = random.latency(320) * run.strain;
  const took = firstToken + (tokensOut / model.tokensPerSecond) * 1_000 * run.strain;
  const created = run.now;
  run.now += took;
  const cost = (tokensIn * model.price[0] + tokensOut * model.price[1]) / 1e6;
  const toxic = random.chance(0.03) ? 0.5 + random.next() / 2 : random.next() ** 4 / 4;
  const failedEvaluation = random.chance(0.01);
  return {
    type: 'llm',
    id: random.uuid(),
    name,
    created_at: instantOf(created),
    step_number: step,
    input,
    output,
    status_code: 200,
    model: model.name,
    temperature: random.pick([0, 0.2, 0.7]),
    finish_reason: output.tool_calls === undefined ? 'stop' : 'tool_calls',
    ...more,
    metrics: {
      duration_ns: nanoseconds(took),
      time_to_first_token_ns: nanoseconds(firstToken),
      num_input_tokens: tokensIn,
      num_output_tokens: tokensOut,
      num_total_tokens: tokensIn + tokensOut,
      cost: Number(cost.toFixed(6)),
      ...(failedEvaluation
        ? { toxicity_ems_error_code: 1003 }
        : { toxicity: Number(toxic.toFixed(4)) }),
      ...more.metrics,
    },
  };
};

/** A step other than a model call, which takes about `median` milliseconds. */
export const stepSpan = (
  run: DemoRun,
  type: 'retriever' | 'tool' | 'control',
  name: string,
  place: number,
  median: number,
  given: Pick<SampleSpan, 'input' | 'output'> & Partial<SampleSpan>,
): SampleSpan => {
  const created = run.now;
  const took = run.random.latency(median) * run.strain;
  run.now += took;
  return {
    type,
    id: run.random.uuid(),
    name,
    created_at: instantOf(created),
    step_number: place,
    status_code: 200,
    ...given,
    metrics: { duration_ns: nanoseconds(took), ...given.metrics },
  };
};

/** A span around others, from the start of the first to the end of the last. */
export const parentSpan = (
  run: DemoRun,
  type: 'agent' | 'workflow',
  name: string,
  place: number,
  input: string,
  inside: () => { readonly output: string; readonly spans: readonly SampleSpan[] },
  more: Partial<SampleSpan> = {},
): SampleSpan => {
  const created = run.now;
  run.now += 2;
  const { output, spans } = inside();
  run.now += 2;
  return {
    type,
    id: run.random.uuid(),
    name,
    created_at: instantOf(created),
    step_number: place,
    input,
    output,
    status_code: 200,
    ...more,
    metrics: { duration_ns: nanoseconds(run.now - created), ...more.metrics },
    spans,
  };
};

export const toolCall = (run: DemoRun, name: string, args: object): object => ({
  id: `call_${run.random.uuid().slice(0, 8)}`,
  function: { name, arguments: JSON.stringify(args) },
});
