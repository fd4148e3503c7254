import {
  airlineScenario,
  codingScenario,
  supportScenario,
  type Scenario,
  type ScenarioResult,
} from './scenarios.js';
import { seededRandom, type SeededRandom } from '../../kernel/seeded-random.js';
import {
  instantOf,
  type DemoMetrics,
  type PricedModel,
  type DemoRun,
  type SampleSpan,
} from './sample-spans.js';

export type SampleTrace = {
  readonly type: 'trace';
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  readonly session_id: string | null;
  readonly external_id: string;
  readonly input: string;
  readonly output: string;
  readonly status_code: number;
  readonly tags: readonly string[];
  readonly user_metadata: Readonly<Record<string, string>>;
  readonly dataset_input?: string;
  readonly dataset_output?: string;
  readonly metrics: DemoMetrics;
  readonly spans: readonly SampleSpan[];
};
type SampleSession = { readonly id: string; readonly name: string };
export type SampleStream = {
  /** Name of the log stream. */
  readonly name: string;
  readonly sessions: readonly SampleSession[];
  /** By time. */
  readonly traces: readonly SampleTrace[];
};

const hour = 3_600_000;
const day = 24 * hour;

const scenarioMix: readonly {
  readonly name: string;
  readonly share: number;
  readonly tell: Scenario;
}[] = [
  { name: 'support', share: 0.5, tell: supportScenario },
  { name: 'airline', share: 0.3, tell: airlineScenario },
  { name: 'coding', share: 0.2, tell: codingScenario },
];
export const models: readonly [PricedModel, ...PricedModel[]] = [
  { name: 'gpt-4o', price: [2.5, 10], tokensPerSecond: 90 },
  { name: 'gpt-4o-mini', price: [0.15, 0.6], tokensPerSecond: 140 },
  { name: 'claude-3-5-sonnet', price: [3, 15], tokensPerSecond: 70 },
];

/**
 * `runs` realistic agent runs over the `days` before `end` (milliseconds since 1970), in the shape
 * of the members of `POST …/traces` (contract 5.6). Deterministic: the same arguments give the same
 * sample, ids included. On the last day but one everything is slow and tools fail: something for a
 * reader to find.
 */
export const makeSample = (asked: {
  readonly seed: number;
  readonly runs: number;
  readonly days: number;
  readonly end: number;
}): readonly SampleStream[] => {
  const random = seededRandom(asked.seed);
  return scenarioMix.map(({ name, share, tell }) => {
    const traces: SampleTrace[] = [];
    const sessions: SampleSession[] = [];
    const count = Math.max(1, Math.round(asked.runs * share));
    while (traces.length < count) {
      const chat = name === 'support' && random.chance(0.6);
      const turns = Math.min(count - traces.length, chat ? random.integer(2, 4) : 1);
      const session = chat ? { id: random.uuid(), name: `chat ${sessions.length + 1}` } : null;
      if (session !== null) sessions.push(session);
      let now = randomMoment(random, asked.days, asked.end);
      for (let turn = 0; turn < turns; turn += 1) {
        const number = traces.length + 1;
        const made = traceOf(random, tell, { now, turn, number, session, end: asked.end });
        traces.push(made.trace);
        now = made.until + random.integer(5_000, 90_000);
      }
    }
    traces.sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
    return { name, sessions, traces };
  });
};

/**
 * Mostly daytime: two thirds of the runs fall between 8 and 18 o'clock. A run has an hour to end
 * before `end`.
 */
const randomMoment = (random: SeededRandom, days: number, end: number): number => {
  const midnight = Math.floor((end - random.integer(0, days - 1) * day) / day) * day;
  const at = midnight + (random.chance(0.66) ? 8 + random.next() * 10 : random.next() * 24) * hour;
  return at > end - hour ? at - day : at;
};

const traceOf = (
  random: SeededRandom,
  tell: Scenario,
  place: {
    readonly now: number;
    readonly turn: number;
    readonly number: number;
    readonly session: SampleSession | null;
    readonly end: number;
  },
): { readonly trace: SampleTrace; readonly until: number } => {
  const badDay = Math.floor(place.end / day) - Math.floor(place.now / day) === 1;
  const run: DemoRun = {
    random,
    now: place.now,
    strain: badDay ? 2.5 : 1,
    model: random.pick(models),
  };
  const id = random.uuid();
  const told = tell(run, place.turn);
  const trace = sampleTrace(told, {
    id,
    from: place.now,
    until: run.now,
    session_id: place.session?.id ?? null,
    external_id: `demo/${told.tags[0] ?? 'run'}/${place.number}`,
    user_metadata: {
      plan: random.pick(['free', 'pro', 'enterprise']),
      region: random.pick(['eu', 'us', 'apac']),
      release: badDay ? '2.5.0' : '2.4.1',
    },
  });
  return { trace, until: run.now };
};

/** The trace of a scenario's result; `from` and `until` in milliseconds since 1970. */
export const sampleTrace = (
  told: ScenarioResult,
  place: Pick<SampleTrace, 'id' | 'session_id' | 'external_id' | 'user_metadata'> & {
    readonly from: number;
    readonly until: number;
  },
): SampleTrace => ({
  type: 'trace',
  id: place.id,
  name: told.name,
  created_at: instantOf(place.from),
  session_id: place.session_id,
  external_id: place.external_id,
  input: told.input,
  output: told.output,
  status_code: told.status_code,
  tags: told.tags,
  user_metadata: place.user_metadata,
  ...datasetMembersOf(told),
  metrics: { duration_ns: Math.round(place.until - place.from) * 1_000_000, ...told.metrics },
  spans: told.spans,
});

const datasetMembersOf = (
  told: ScenarioResult,
): Pick<SampleTrace, 'dataset_input' | 'dataset_output'> =>
  told.reference === null ? {} : { dataset_input: told.input, dataset_output: told.reference };

/** The spans of a list of trees, whatever their depth. */
export const spansIn = (spans: readonly SampleSpan[]): readonly SampleSpan[] =>
  spans.flatMap((span) => [span, ...spansIn(span.spans ?? [])]);
