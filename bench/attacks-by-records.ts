import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '../test/support/client.js';
import { registeredScorer } from '../test/support/scorer-validations.js';
import {
  attack,
  logLongTraces,
  addSpans,
  logTraces,
  runLoops,
  logTrace,
  loremText,
  type Attack,
} from './attackers.js';

const longTexts = attack(
  'long-texts',
  (stage) => logTrace(stage),
  (stage, trace, signal) => {
    const long = loremText(1_000_000);
    return runLoops(2, signal, (n) =>
      n % 2 === 0
        ? addSpans(
            stage,
            trace,
            Array.from({ length: 9 }, () => ({ type: 'tool', input: long })),
          )
        : logTraces(
            stage,
            Array.from({ length: 9 }, () => ({ input: long })),
          ),
    );
  },
);

const ratedGiant = attack(
  'rated-giant',
  async (stage) => {
    const trace = await logTrace(stage);
    for (let request = 0; request < 4; request += 1)
      await addSpans(
        stage,
        trace,
        Array.from({ length: 90 }, () => ({ type: 'tool', input: loremText(100_000) })),
      );
    const made = await stage.client.call<{ id: string }>(
      'POST',
      `${stage.root}/annotation/templates`,
      { body: { name: 'stars', constraints: { annotation_type: 'star' } } },
    );
    return `${stage.root}/annotation/templates/${made.body.id}/traces/${trace}/rating`;
  },
  (stage, rating, signal) =>
    runLoops(4, signal, (n) =>
      stage.client.send('PUT', rating, {
        body: { rating: { annotation_type: 'star', value: (n % 5) + 1 } },
      }),
    ),
);

const emptyExperiments = attack(
  'empty-experiments',
  async (stage) => {
    await logLongTraces(stage, 20_000, 100);
    const ids: string[] = [];
    for (let n = 0; n < 100; n += 1) {
      const body = { name: `experiment ${n}` };
      const made = await stage.client.call<{ id: string }>('POST', `${stage.root}/experiments`, {
        body,
      });
      ids.push(made.body.id);
    }
    return ids;
  },
  async (stage, ids, signal) => {
    await Promise.all(
      ids.map((id) => stage.client.send('DELETE', `${stage.root}/experiments/${id}`)),
    );
    await pause(60_000, null, { signal }).catch(() => null);
  },
);

const longAgent = attack(
  'long-agent',
  (stage) => logTrace(stage),
  (stage, trace, signal) => {
    const input = loremText(20_000);
    return runLoops(2, signal, () =>
      addSpans(
        stage,
        trace,
        Array.from({ length: 20 }, () => ({ type: 'tool', input })),
      ),
    );
  },
);

const longSession = attack(
  'long-session',
  (stage) => Promise.resolve({ session: randomUUID(), stage }),
  (stage, { session }, signal) =>
    runLoops(2, signal, () =>
      stage.client.send('POST', `${stage.root}/traces`, {
        body: {
          log_stream_id: stage.run,
          session_id: session,
          traces: Array.from({ length: 500 }, () => ({ input: 'question', output: 'answer' })),
        },
      }),
    ),
);

/** Scores 499 records of each process at once, and hangs on the last one. */
const hanging = [
  'def scorer_fn(*, node_output, **kwargs) -> int:',
  '    while node_output == "last": pass',
  '    return 1',
  '',
].join('\n');

const hangingScorer = attack(
  'hanging-scorer',
  async (stage) => {
    const { client } = stage;
    const headers = { 'Service-API-Key': stage.personalKey };
    const call: Client['call'] = (method, path, ask) =>
      client.call(method, path, { ...ask, headers: { ...ask?.headers, ...headers } });
    const maker = { client: { ...client, call } };
    const scorers: object[] = [];
    for (let n = 0; n < 4; n += 1) {
      const { id } = await registeredScorer(maker, { name: `hangs ${n}` }, hanging);
      scorers.push({ id, scorer_type: 'code', scoreable_node_types: ['trace'] });
    }
    const settings = `${stage.root}/runs/${stage.run}/scorer-settings`;
    await client.call('POST', settings, { body: { run_id: stage.run, scorers } });
  },
  (stage, _, signal) =>
    runLoops(1, signal, async () => {
      const traces = Array.from({ length: 499 }, () => ({ input: 'a', output: 'first' }));
      await logTraces(stage, [...traces, { input: 'a', output: 'last' }]);
      await pause(1_000);
    }),
);

const endlessNames = attack(
  'endless-names',
  () => Promise.resolve(),
  (stage, _, signal) =>
    runLoops(4, signal, async (n) => {
      const named = (trace: number) =>
        Object.fromEntries(
          Array.from({ length: 200 }, (_metric, m) => [`${stage.run}-${n}-${trace}-${m}`, 1]),
        );
      await logTraces(
        stage,
        Array.from({ length: 100 }, (_trace, trace) => ({ input: 'a', metrics: named(trace) })),
      );
      await stage.client.send('POST', `${stage.root}/traces/available_columns`, {
        body: { log_stream_id: stage.run },
      });
    }),
);

/** No attack: traces of 2,000 spans, chats of 100 KB and sessions of thousands, in seven loops. */
const heavyNeighbour = attack(
  'heavy-neighbour',
  (stage) => Promise.resolve(stage),
  async (stage, _, signal) => {
    const [short, chat] = [loremText(300), loremText(100_000)];
    const spans = Array.from({ length: 2_000 }, () => ({ type: 'tool', input: short }));
    const sessions = [randomUUID(), randomUUID()];
    await Promise.all([
      runLoops(3, signal, () => logTraces(stage, [{ input: 'agent', spans }])),
      runLoops(2, signal, () =>
        logTraces(
          stage,
          Array.from({ length: 10 }, () => ({ input: chat, output: chat })),
        ),
      ),
      runLoops(2, signal, (n) =>
        stage.client.send('POST', `${stage.root}/traces`, {
          body: {
            log_stream_id: stage.run,
            session_id: sessions[n % 2],
            traces: Array.from({ length: 100 }, () => ({ input: 'question', output: short })),
          },
        }),
      ),
    ]);
  },
);

export const attacksByRecords: readonly Attack[] = [
  longTexts,
  ratedGiant,
  emptyExperiments,
  longAgent,
  longSession,
  hangingScorer,
  endlessNames,
  heavyNeighbour,
];
