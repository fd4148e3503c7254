import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { clientOf, type Client } from '../support/client.js';
import { form } from '../support/forms.js';
import { newRun } from './bench.js';

/** What a tenant with ordinary rights has: an editor's key, bound to its one project. */
export type Stage = {
  readonly url: string;
  readonly apiKey: string;
  /** Of somebody who may make scorers. */
  readonly personalKey: string;
  readonly root: string;
};
export type Prepared = Stage & { readonly client: Client; readonly run: string };

/**
 * One way to take more than one's share. `strike` goes on until the signal; whatever it is answered
 * is well, as long as others are served.
 */
export type Attack = {
  readonly name: string;
  readonly prepare: (stage: Prepared) => Promise<unknown>;
  readonly strike: (stage: Prepared, prepared: never, signal: AbortSignal) => Promise<void>;
};

const attack = <P>(
  name: string,
  prepare: (stage: Prepared) => Promise<P>,
  strike: (stage: Prepared, prepared: P, signal: AbortSignal) => Promise<void>,
): Attack => ({ name, prepare, strike });

export const prepared = async (stage: Stage): Promise<Prepared> => {
  const client = clientOf({ ...stage, connections: 1_000 });
  return { ...stage, client, run: await newRun(client, stage.root, 'attack') };
};

/** So many loops of `work`, each beginning anew when it was answered, whatever the answer. */
const loops = async (
  count: number,
  signal: AbortSignal,
  work: (n: number) => Promise<unknown>,
): Promise<void> => {
  let n = 0;
  const loop = async (): Promise<void> => {
    while (!signal.aborted) {
      const answered = work(n++).catch(() => pause(20));
      await Promise.race([answered, pause(60_000, null, { signal }).catch(() => null)]);
    }
  };
  await Promise.all(Array.from({ length: count }, loop));
};

const words = (bytes: number): string => 'lorem ipsum dolor sit amet '.repeat(bytes / 27 + 1);
const text = (bytes: number): string => words(bytes).slice(0, bytes);

const logged = async (
  { client, root, run }: Prepared,
  traces: readonly object[],
): Promise<readonly string[]> => {
  const body = { log_stream_id: run, include_trace_ids: true, traces };
  const reply = await client.send<{ trace_ids?: string[] }>('POST', `${root}/traces`, { body });
  return reply.body.trace_ids ?? [];
};
const oneTrace = async (stage: Prepared, trace: object = {}): Promise<string> => {
  const [id] = await logged(stage, [{ input: 'a', ...trace }]);
  if (id === undefined) throw new Error('no trace to attack with');
  return id;
};

const grow = (
  { client, root }: Prepared,
  trace: string,
  spans: readonly object[],
): Promise<unknown> =>
  client.send('POST', `${root}/spans`, { body: { trace_id: trace, parent_id: trace, spans } });

const longTexts = attack(
  'long-texts',
  (stage) => oneTrace(stage),
  (stage, trace, signal) => {
    const long = text(1_000_000);
    return loops(2, signal, (n) =>
      n % 2 === 0
        ? grow(
            stage,
            trace,
            Array.from({ length: 9 }, () => ({ type: 'tool', input: long })),
          )
        : logged(
            stage,
            Array.from({ length: 9 }, () => ({ input: long })),
          ),
    );
  },
);

/** So many traces with an input of so many bytes. */
const filled = async (stage: Prepared, count: number, bytes: number): Promise<void> => {
  const perRequest = Math.max(1, Math.min(1_000, Math.floor(9_000_000 / bytes)));
  for (let left = count; left > 0; left -= perRequest) {
    const traces = Array.from({ length: Math.min(left, perRequest) }, () => ({
      input: text(bytes),
      output: 'done',
    }));
    await logged(stage, traces);
  }
};

const widePages = attack(
  'wide-pages',
  (stage) => filled(stage, 300, 200_000),
  (stage, _, signal) =>
    loops(8, signal, () =>
      stage.client.send('POST', `${stage.root}/traces/search`, {
        body: { log_stream_id: stage.run, limit: 1_000 },
      }),
    ),
);

/** As many needles as a request may have, in as many leaves. */
const manyNeedles = (run: string) => ({
  log_stream_id: run,
  filters: Array.from({ length: 99 }, (_leaf, leaf) => ({
    type: 'text',
    name: 'input',
    operator: 'contains',
    case_sensitive: false,
    value: Array.from({ length: 20 }, (_needle, n) => `lorem ipsum dolor sit amet ${leaf}-${n}`),
  })),
});

const endlessQuestions = attack(
  'endless-questions',
  (stage) => filled(stage, 200, 200_000),
  async (stage, _, signal) => {
    const body = manyNeedles(stage.run);
    await loops(8, signal, (n) => {
      const asked = stage.client.send('POST', `${stage.root}/traces/search`, { body });
      // Every other one leaves: what was asked for it has to end too.
      return n % 2 === 0 ? asked : Promise.race([asked, pause(500)]);
    });
  },
);

const listings = attack(
  'listings',
  () => Promise.resolve(),
  (stage, _, signal) => {
    const values = (leaf: number) => Array.from({ length: 20 }, (_value, n) => `${leaf}-${n}`);
    const filters = Array.from({ length: 100 }, (_leaf, leaf) => ({
      name: 'name',
      operator: 'contains',
      value: values(leaf),
      case_sensitive: false,
    }));
    return loops(4, signal, () =>
      stage.client.send('POST', `${stage.root}/log_streams/search`, { body: { filters } }),
    );
  },
);

const ratedGiant = attack(
  'rated-giant',
  async (stage) => {
    const trace = await oneTrace(stage);
    for (let request = 0; request < 4; request += 1)
      await grow(
        stage,
        trace,
        Array.from({ length: 90 }, () => ({ type: 'tool', input: text(100_000) })),
      );
    const made = await stage.client.call<{ id: string }>(
      'POST',
      `${stage.root}/annotation/templates`,
      { body: { name: 'stars', constraints: { annotation_type: 'star' } } },
    );
    return `${stage.root}/annotation/templates/${made.body.id}/traces/${trace}/rating`;
  },
  (stage, rating, signal) =>
    loops(4, signal, (n) =>
      stage.client.send('PUT', rating, {
        body: { rating: { annotation_type: 'star', value: (n % 5) + 1 } },
      }),
    ),
);

const emptyExperiments = attack(
  'empty-experiments',
  async (stage) => {
    await filled(stage, 20_000, 100);
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
  (stage) => oneTrace(stage),
  (stage, trace, signal) => {
    const input = text(20_000);
    return loops(2, signal, () =>
      grow(
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
    loops(2, signal, () =>
      stage.client.send('POST', `${stage.root}/traces`, {
        body: {
          log_stream_id: stage.run,
          session_id: session,
          traces: Array.from({ length: 500 }, () => ({ input: 'question', output: 'answer' })),
        },
      }),
    ),
);

const bigAnswers = attack(
  'big-answers',
  async (stage) => {
    const spans = Array.from({ length: 9 }, () => ({ type: 'tool', input: text(1_000_000) }));
    return oneTrace(stage, { spans });
  },
  (stage, trace, signal) =>
    loops(400, signal, () => stage.client.send('GET', `${stage.root}/traces/${trace}`)),
);

const headOf = (stage: Stage, request: string, headers: readonly string[]): string =>
  [
    `${request} HTTP/1.1`,
    'Host: localhost',
    `Service-API-Key: ${stage.apiKey}`,
    'X-Forwarded-For: 10.66.66.66',
    ...headers,
    '',
    '',
  ].join('\r\n');

/** Keeps so many sockets open, each with these bytes sent and nothing read. */
const sockets = async (
  stage: Stage,
  count: number,
  bytes: string,
  signal: AbortSignal,
): Promise<void> => {
  const { hostname, port } = new URL(stage.url);
  const open = new Set<Socket>();
  while (!signal.aborted) {
    while (open.size < count) {
      const socket = connect({ host: hostname, port: Number(port) });
      open.add(socket);
      socket.on('error', () => null);
      socket.on('close', () => open.delete(socket));
      socket.pause();
      socket.write(bytes);
    }
    await pause(100, null, { signal }).catch(() => null);
  }
  for (const socket of open) socket.destroy();
};

const deafReaders = attack('deaf-readers', bigAnswers.prepare, (stage, trace, signal) => {
  const bytes = headOf(stage, `GET ${stage.root}/traces/${String(trace)}`, []);
  return sockets(stage, 80, bytes, signal);
});

const gzipBombs = attack(
  'gzip-bombs',
  () => Promise.resolve(gzipSync(`{"name":"${' '.repeat(10_000_000)}"}`)),
  (stage, bomb, signal) =>
    loops(200, signal, () =>
      stage.client.send('POST', `${stage.root}/traces`, {
        body: bomb,
        headers: { 'Content-Encoding': 'gzip' },
      }),
    ),
);

const slowBodies = attack(
  'slow-bodies',
  () => Promise.resolve(),
  (stage, _, signal) => {
    const [first = '', ...others] = headOf(stage, `POST ${stage.root}/traces`, [
      'Content-Type: application/json',
      'Content-Length: 1048576',
    ]).split('\r\n');
    const anonymous = others.filter((line) => !line.startsWith('Service-API-Key'));
    return sockets(stage, 512, `${[first, ...anonymous].join('\r\n')}{`, signal);
  },
);

const futurePositions = attack(
  'future-positions',
  () => Promise.resolve(),
  (stage, _, signal) =>
    loops(500, signal, () =>
      stage.client.send('GET', stage.root, { headers: { 'X-Min-Position': 'f'.repeat(16) } }),
    ),
);

const hanging = 'def scorer_fn(**k) -> int:\n    while True: pass\n';

const hangingScorer = attack(
  'hanging-scorer',
  (stage) => filled(stage, 200, 100),
  async (stage, _, signal) => {
    const maker = clientOf({ url: stage.url, apiKey: stage.personalKey });
    const parts = [
      { name: 'file', content: hanging, fileName: 'scorer.py' },
      { name: 'node_input', content: 'a' },
      { name: 'node_output', content: 'b' },
    ];
    await loops(4, signal, () =>
      maker.send('POST', '/v2/scorers/code/validate', form(parts)).then(() => pause(200)),
    );
    maker.close();
  },
);

const endlessNames = attack(
  'endless-names',
  () => Promise.resolve(),
  (stage, _, signal) =>
    loops(4, signal, async (n) => {
      const named = (trace: number) =>
        Object.fromEntries(
          Array.from({ length: 200 }, (_metric, m) => [`${stage.run}-${n}-${trace}-${m}`, 1]),
        );
      await logged(
        stage,
        Array.from({ length: 100 }, (_trace, trace) => ({ input: 'a', metrics: named(trace) })),
      );
      await stage.client.send('POST', `${stage.root}/traces/available_columns`, {
        body: { log_stream_id: stage.run },
      });
    }),
);

/** By the numbers of what was seen to stop others: texts, pages, questions, … */
export const attacks: readonly Attack[] = [
  longTexts,
  widePages,
  endlessQuestions,
  listings,
  ratedGiant,
  emptyExperiments,
  longAgent,
  longSession,
  bigAnswers,
  deafReaders,
  gzipBombs,
  slowBodies,
  futurePositions,
  hangingScorer,
  endlessNames,
];
