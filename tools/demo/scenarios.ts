import {
  parentSpan,
  llmSpan,
  stepSpan,
  toolCall,
  type DemoMetrics,
  type DemoRun,
  type SampleSpan,
} from './sample-spans.js';
import type { SeededRandom } from '../../kernel/seeded-random.js';

/** Result of one run of an agent: a trace without id, time and place. */
export type ScenarioResult = {
  readonly name: string;
  readonly input: string;
  readonly output: string;
  readonly status_code: number;
  readonly tags: readonly string[];
  readonly metrics: DemoMetrics;
  /** Expected answer, when the run is one of a test set. */
  readonly reference: string | null;
  readonly spans: readonly SampleSpan[];
};
export type Scenario = (run: DemoRun, turn: number) => ScenarioResult;

type Topic = readonly [topic: string, question: string, answer: string];
const topics: readonly [Topic, ...Topic[]] = [
  ['refund', 'When will my refund arrive?', 'Your refund arrives within 5 business days.'],
  ['invoice', 'Can I get an invoice for March?', 'The invoice for March is in your account.'],
  ['password', 'I cannot reset my password.', 'I have sent you a new link to reset it.'],
  ['delivery', 'Where is my parcel?', 'Your parcel is in Lyon and arrives tomorrow.'],
  ['cancel', 'Please cancel my subscription.', 'Your subscription ends on the last of the month.'],
  ['size', 'Können Sie meine Größe ändern?', 'Ja, die Größe ist jetzt geändert.'],
];

const guardSpan = (
  run: DemoRun,
  stage: 'pre' | 'post',
  text: string,
  place: number,
): SampleSpan => {
  const matched = run.random.chance(0.04);
  return stepSpan(run, 'control', `${stage === 'pre' ? 'input' : 'output'} guard`, place, 12, {
    input: text,
    output: {
      action: matched ? 'steer' : 'observe',
      matched,
      confidence: Number((0.5 + run.random.next() / 2).toFixed(3)),
    },
    control_id: stage === 'pre' ? 1 : 2,
    agent_name: 'support',
    check_stage: stage,
    applies_to: 'llm_call',
    evaluator_name: 'pii',
    metrics: { guard_hit: matched },
  });
};

/** Answers a customer out of a knowledge base; guarded on both sides. */
export const supportScenario: Scenario = (run, turn) => {
  const { random } = run;
  const [topic, question, reference] = random.pick(topics);
  const articles = ['returns', 'billing', 'account', 'shipping'].map((title, at) => ({
    content: `${title}: what we promise about ${topic}, part ${at + 1}.`,
    metadata: { title, score: Number((0.9 - at * 0.15).toFixed(2)) },
  }));
  const answer = random.pick([
    reference,
    reference.replace('Your', 'Certainly, your'),
    `${reference} Is there anything else?`,
    'I am not sure, let me connect you with a colleague.',
  ] as const);
  const resolved = !answer.startsWith('I am not sure');
  const before = guardSpan(run, 'pre', question, 0);
  const work = parentSpan(
    run,
    'agent',
    'support agent',
    1,
    question,
    () => ({
      output: answer,
      spans: [
        stepSpan(run, 'retriever', 'knowledge base', 0, 45, {
          input: question,
          output: articles.slice(0, random.integer(1, 4)),
          metrics: { context_relevance: Number(random.next().toFixed(3)) },
        }),
        llmSpan(run, 'answer', 1, [{ role: 'user', content: question }], {
          role: 'assistant',
          content: answer,
        }),
      ],
    }),
    { agent_type: 'router' },
  );
  return {
    name: `support: ${topic}`,
    input: question,
    output: answer,
    status_code: 200,
    tags: ['support', topic, turn === 0 ? 'first-contact' : 'follow-up'],
    metrics: {
      resolved,
      csat: resolved ? random.integer(3, 5) : random.integer(1, 3),
      sentiment: random.pick(resolved ? ['positive', 'neutral'] : ['negative', 'neutral']),
    },
    reference: random.chance(0.5) ? reference : null,
    spans: [before, work, guardSpan(run, 'post', answer, 2)],
  };
};

const plans: readonly [readonly string[], ...(readonly string[])[]] = [
  ['search_flights', 'book_reservation'],
  ['get_reservation', 'cancel_reservation'],
  ['search_flights', 'get_user', 'book_reservation', 'send_receipt'],
];
const airports = ['SEA', 'JFK', 'ATL', 'LYS', 'NRT', 'GRU'] as const;

export type AirlineTask = {
  readonly from: string;
  readonly to: string;
  readonly plan: readonly string[];
  readonly question: string;
  readonly expected: string;
};

export const drawAirlineTask = (random: SeededRandom): AirlineTask => {
  const [from, to] = [random.pick(airports), random.pick(airports)];
  return {
    from,
    to,
    plan: random.pick(plans),
    question: `I need a flight from ${from} to ${to}, two bags.`,
    expected: `Done: ${from} to ${to} with two bags.`,
  };
};

/** Books, changes and cancels flights with tools that sometimes fail. */
export const airlineScenario: Scenario = (run) => runAirlineTask(run, drawAirlineTask(run.random));

export const runAirlineTask = (
  run: DemoRun,
  { from, to, plan, question, expected }: AirlineTask,
): ScenarioResult => {
  const { random } = run;
  const spans: SampleSpan[] = [];
  let failed = false;
  for (const [at, tool] of plan.entries()) {
    const call = toolCall(run, tool, { from, to, bags: 2 });
    spans.push(
      llmSpan(run, 'next step', at * 2, [{ role: 'user', content: question }], {
        role: 'assistant',
        content: '',
        tool_calls: [call],
      }),
    );
    const broke = random.chance(run.strain > 1.5 ? 0.3 : 0.04);
    failed ||= broke;
    spans.push(
      stepSpan(run, 'tool', tool, at * 2 + 1, broke ? 4_000 : 180, {
        input: JSON.stringify({ from, to, bags: 2 }),
        output: broke ? 'upstream timeout' : JSON.stringify({ ok: true, tool }),
        status_code: broke ? 504 : 200,
        tool_call_id: (call as { readonly id: string }).id,
      }),
    );
    if (broke) break;
  }
  const answer = failed
    ? 'I am sorry, the booking system does not answer. Please try again later.'
    : expected;
  spans.push(
    llmSpan(run, 'answer', plan.length * 2, [{ role: 'user', content: question }], {
      role: 'assistant',
      content: answer,
    }),
  );
  return {
    name: `airline: ${plan.at(-1)}`,
    input: question,
    output: answer,
    status_code: failed ? 504 : 200,
    tags: ['airline', from.toLowerCase(), `tools-${plan.length}`],
    metrics: { reward: failed ? 0 : 1, solved: !failed },
    reference: random.chance(0.3) ? expected : null,
    spans,
  };
};

/**
 * Works on a repository in rounds of reading, editing and testing until the tests pass or the
 * rounds run out.
 */
export const codingScenario: Scenario = (run) => {
  const { random } = run;
  const file = random.pick(['parser.ts', 'buckets.ts', 'session.py', 'retry.go'] as const);
  const task = `Fix the failing test in ${file}.`;
  let passed = false;
  let patience = 4;
  const round = (number: number): SampleSpan =>
    parentSpan(run, 'workflow', `round ${number + 1}`, number, task, () => {
      passed = random.chance(0.45);
      if (passed) patience = number;
      const diff = `--- a/${file}\n+++ b/${file}\n@@ -${number + 1} +${number + 1} @@`;
      const spans = [
        stepSpan(run, 'tool', 'read_file', 0, 8, { input: file, output: `export // ${file}` }),
        llmSpan(run, 'edit', 1, [{ role: 'user', content: task }], {
          role: 'assistant',
          content: diff,
        }),
        stepSpan(run, 'tool', 'run_tests', 2, 2_500, {
          input: `test ${file}`,
          output: passed ? '12 passed' : '11 passed, 1 failed',
          status_code: passed ? 200 : 422,
          metrics: { tests_failed: passed ? 0 : 1 },
        }),
      ];
      return { output: passed ? 'tests pass' : 'tests fail', spans };
    });
  let rounds = 0;
  const inside = (): { readonly output: string; readonly spans: readonly SampleSpan[] } => {
    const spans: SampleSpan[] = [];
    for (; rounds < patience; rounds += 1) spans.push(round(rounds));
    return { output: passed ? 'done' : 'gave up', spans };
  };
  const agent = parentSpan(run, 'agent', 'coding agent', 0, task, inside, { agent_type: 'react' });
  return {
    name: `code: ${file}`,
    input: task,
    output: passed ? `${file} is fixed after ${rounds} rounds.` : `Gave up on ${file}.`,
    status_code: passed ? 200 : 500,
    tags: ['coding', file.slice(file.lastIndexOf('.') + 1)],
    metrics: { solved: passed, rounds, verdict: passed ? 'merged' : 'abandoned' },
    reference: null,
    spans: [agent],
  };
};
