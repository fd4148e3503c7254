import { seededRandom, type SeededRandom } from '../kernel/seeded-random.js';
import { instantOf } from '../tools/demo/sample-spans.js';

export const spansPerTrace = 10;
export const tracesPerRequest = 20;
export const spansPerRequest = spansPerTrace * tracesPerRequest;

/**
 * A request body that is ready to go; its traces are the same bytes, for whoever stores them by
 * other means.
 */
export type Body = { readonly bytes: Buffer; readonly traces: readonly Buffer[] };
/** The n-th body of a load: the same for the same seed and n, no id in common with another n. */
export type Bodies = (n: number) => Body;

const day = 86_400_000;
/** All times lie in the 30 days before this. */
export const loadEnd = Date.parse('2026-03-31T00:00:00Z');
export const loadDays = 30;

const words = (
  'agent answer ask book cancel change check city customer date delay delivery email fare flight ' +
  'gate hotel invoice item late luggage message name number order plan price refund reply route ' +
  'seat search status ticket time total trip user wait window'
).split(' ');
const text = (random: SeededRandom, length: number): string => {
  let said = '';
  while (said.length < length) said += `${words[random.integer(0, words.length - 1)]} `;
  return said.slice(0, length);
};

/** The texts that fit into a span of 1 KB. */
export const spanTextsOf = (seed: number, count: number): readonly string[] => {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => text(random, spanBytes - 300));
};

const spanBytes = 1_024;
const templates = 16;

/**
 * Traces of 10 spans of 1 KB, 20 a request. The texts come from a few templates made beforehand;
 * only the ids are written anew for each request, so that the generator costs next to nothing.
 */
export const wideBodies = (seed: number, run: string): Bodies => {
  const random = seededRandom(seed);
  const made = Array.from({ length: templates }, () => template(random, run));
  return (n) => {
    const { bytes, ids, traces } = made[n % templates] ?? template(random, run);
    const own = Buffer.from(bytes);
    for (const [at, offset] of ids.entries())
      own.write(scrambled(n * ids.length + at), offset, 'latin1');
    return { bytes: own, traces: traces.map(([from, to]) => own.subarray(from, to)) };
  };
};

type Template = {
  readonly bytes: Buffer;
  /** Offsets of the first eight digits of each id. */
  readonly ids: readonly number[];
  readonly traces: readonly (readonly [from: number, to: number])[];
};
const template = (random: SeededRandom, run: string): Template => {
  const head = `{"log_stream_id":"${run}","traces":[`;
  const texts = Array.from({ length: tracesPerRequest }, () => JSON.stringify(wideTrace(random)));
  const bytes = Buffer.from(`${head}${texts.join(',')}]}`);
  const traces: [number, number][] = [];
  let from = head.length;
  for (const one of texts) {
    traces.push([from, from + one.length]);
    from += one.length + 1;
  }
  const ids: number[] = [];
  const mark = '"id":"';
  for (let at = bytes.indexOf(mark); at !== -1; at = bytes.indexOf(mark, at + 1))
    ids.push(at + mark.length);
  return { bytes, ids, traces };
};

const wideTrace = (random: SeededRandom): object => {
  const at = loadEnd - random.next() * loadDays * day;
  const spans = Array.from({ length: spansPerTrace }, (_, step) => {
    const span = {
      type: 'llm',
      id: random.uuid(),
      name: `step ${step}`,
      created_at: instantOf(at + step * 100),
      step_number: step,
      model: `model-${random.integer(0, 7)}`,
      input: '',
      output: { role: 'assistant', content: text(random, 120) },
      metrics: { duration_ns: random.integer(1e6, 1e9), num_total_tokens: random.integer(9, 999) },
    };
    return { ...span, input: text(random, spanBytes - JSON.stringify(span).length) };
  });
  return {
    id: random.uuid(),
    name: text(random, 20),
    created_at: instantOf(at),
    input: 'bench',
    tags: [`tag-${random.integer(0, 11)}`],
    spans,
  };
};

/**
 * Eight hexadecimal digits, another for each n below 2^32, in no visible order: as random ids fall.
 */
const scrambled = (n: number): string => {
  let mixed = Math.imul(n ^ (n >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 16)) >>> 0).toString(16).padStart(8, '0');
};

/**
 * Smaller spans of all kinds with much to filter and group by: what the questions are asked about.
 */
export const variedBodies =
  (seed: number, run: string): Bodies =>
  (n) => {
    const random = seededRandom(seed + n * 7_919);
    let ids = n * tracesPerRequest * (1 + spansPerTrace);
    const id = (): string => `${scrambled(ids++)}${random.uuid().slice(8)}`;
    const traces = Array.from({ length: tracesPerRequest }, () =>
      Buffer.from(JSON.stringify(variedTrace(random, id))),
    );
    return joined(run, traces);
  };

const joined = (run: string, traces: readonly Buffer[]): Body => {
  const head = `{"log_stream_id":"${run}","traces":[`;
  const parts = traces.flatMap((trace, at) => (at === 0 ? [trace] : [Buffer.from(','), trace]));
  return { bytes: Buffer.concat([Buffer.from(head), ...parts, Buffer.from(']}')]), traces };
};

const kinds = ['llm', 'tool', 'llm', 'retriever', 'llm', 'tool', 'agent', 'llm', 'tool', 'llm'];
const variedTrace = (random: SeededRandom, id: () => string): object => {
  const at = loadEnd - random.next() * loadDays * day;
  const spans = kinds.map((type, step) => {
    const tokens = random.integer(20, 2_000);
    return {
      type,
      id: id(),
      name: text(random, 16),
      created_at: instantOf(at + step * 250),
      step_number: step,
      tags: tagsOf(random),
      status_code: random.chance(0.03) ? 500 : 200,
      input: text(random, 60),
      output: type === 'retriever' ? [{ content: text(random, 60) }] : text(random, 60),
      ...(type === 'llm' && { model: `model-${random.integer(0, 7)}` }),
      metrics: {
        duration_ns: Math.round(random.latency(4e8)),
        ...(type === 'llm' && {
          num_total_tokens: tokens,
          cost: tokens / 1e6,
          toxicity: Number((random.next() ** 3).toFixed(4)),
        }),
      },
    };
  });
  return { ...traceMembers(random, id, at), spans };
};

const tagsOf = (random: SeededRandom): string[] => [
  `tag-${random.integer(0, 11)}`,
  `team-${random.integer(0, 4)}`,
];

const traceMembers = (random: SeededRandom, id: () => string, at: number) => ({
  id: id(),
  name: text(random, 24),
  created_at: instantOf(at),
  input: text(random, 80),
  output: text(random, 80),
  tags: tagsOf(random),
  status_code: random.chance(0.05) ? 500 : 200,
  user_metadata: { plan: random.pick(['free', 'pro', 'enterprise']) },
  metrics: { solved: random.chance(0.6) },
});

export const bareTracesPerRequest = 500;

/** Traces without spans, for lists and charts of many. */
export const bareTraceBodies =
  (seed: number, run: string): Bodies =>
  (n) => {
    const random = seededRandom(seed + n * 7_919);
    let ids = n * bareTracesPerRequest;
    const id = (): string => `${scrambled(ids++)}${random.uuid().slice(8)}`;
    const traces = Array.from({ length: bareTracesPerRequest }, () => {
      const at = loadEnd - random.next() * loadDays * day;
      return Buffer.from(JSON.stringify(traceMembers(random, id, at)));
    });
    return joined(run, traces);
  };

/** Bytes of each input of a long body. */
export const longTextBytes = 8_192;
export const longTracesPerRequest = 2;
export const longSpansPerRequest = longTracesPerRequest * spansPerTrace;
/** The last words of one input of ten thousand. */
export const rareLongWords = 'booking zq-7781';
const longOneIn = 10_000;
const poolBytes = 33_554_432;

/** Spans with inputs of 8 KiB: each is a piece of one long text, and no two are the same. */
export const longBodies = (seed: number, run: string): Bodies => {
  const pool = text(seededRandom(seed), poolBytes);
  return (n) => {
    const random = seededRandom(seed + n * 7_919);
    let ids = n * (longTracesPerRequest + longSpansPerRequest);
    const id = (): string => `${scrambled(ids++)}${random.uuid().slice(8)}`;
    let spans = n * longSpansPerRequest;
    const input = (): string => {
      const from = random.integer(0, poolBytes - longTextBytes);
      const some = pool.slice(from, from + longTextBytes);
      return spans++ % longOneIn === 0
        ? `${some.slice(rareLongWords.length)}${rareLongWords}`
        : some;
    };
    const traces = Array.from({ length: longTracesPerRequest }, () => {
      const at = loadEnd - random.next() * loadDays * day;
      const spansOf = Array.from({ length: spansPerTrace }, (_, step) => ({
        type: 'llm',
        id: id(),
        name: `step ${step}`,
        created_at: instantOf(at + step * 100),
        input: input(),
      }));
      const trace = { id: id(), created_at: instantOf(at), input: 'bench', spans: spansOf };
      return Buffer.from(JSON.stringify(trace));
    });
    return joined(run, traces);
  };
};
